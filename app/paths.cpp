#include "app/paths.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace alcove::app {

namespace {

QString chosenFolder(const QString& dataOption) {
    if (!dataOption.isEmpty())
        return dataOption;
    if (QString variable = qEnvironmentVariable("ALCOVE_DATA"); !variable.isEmpty())
        return variable;
    // Independent of the application's name, so that window, command line and tests agree.
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/Alcove");
}

} // namespace

Result<AppPaths> resolvePaths(const QString& dataOption) {
    AppPaths paths;
    paths.data = QDir::cleanPath(QDir().absoluteFilePath(chosenFolder(dataOption)));
    paths.database = paths.data + QStringLiteral("/alcove.db");
    paths.models = paths.data + QStringLiteral("/models");
    paths.logs = paths.data + QStringLiteral("/logs");
    paths.lock = paths.data + QStringLiteral("/alcove.lock");
    for (const QString& folder : {paths.data, paths.models}) {
        const QFileInfo info(folder);
        if (info.exists() && !info.isDir())
            return Error{Errc::Io, "the data folder " + folder.toStdString() +
                                       " is a file, expected a folder"};
        if (!QDir().mkpath(folder))
            return Error{Errc::Io, "the data folder " + folder.toStdString() + " cannot be made"};
    }
    if (!QFileInfo(paths.data).isWritable())
        return Error{Errc::Io,
                     "the data folder " + paths.data.toStdString() + " cannot be written"};
    return paths;
}

} // namespace alcove::app
