#include "app/cli/data_folder.h"

namespace alcove::cli {

Result<DataFolder> open_data_folder(Invocation& invocation) {
    DataFolder folder;
    ALCOVE_ASSIGN_OR_RETURN(folder.paths,
                            app::resolvePaths(QString::fromStdString(invocation.data_option)));
    ALCOVE_ASSIGN_OR_RETURN(folder.database, app::Database::open(folder.paths.database));
    if (!folder.database->notice().isEmpty())
        invocation.console.warning(utf8(folder.database->notice()));
    return folder;
}

} // namespace alcove::cli
