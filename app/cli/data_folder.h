#pragma once

#include "app/cli/command.h"
#include "app/paths.h"
#include "app/store/database.h"

#include <QDateTime>
#include <QString>

#include <memory>
#include <string>

namespace alcove::cli {

/// The data folder and its database, for the commands that use them.
struct DataFolder {
    app::AppPaths paths;
    std::unique_ptr<app::Database> database;
};

/// Opens (and makes, if absent) the folder of --data, ALCOVE_DATA or the platform. What happened to
/// a damaged database is said on standard error.
Result<DataFolder> open_data_folder(Invocation& invocation);

inline std::string utf8(const QString& text) {
    return text.toStdString();
}
/// ISO 8601 in UTC, or empty for a time that is none.
inline std::string iso_time(const QDateTime& time) {
    return time.isValid() ? utf8(time.toUTC().toString(Qt::ISODate)) : std::string();
}

} // namespace alcove::cli
