#pragma once

#include "engine/result.h"

#include <QString>

namespace alcove::app {

/// Where everything of one person's Alcove lives. `--data DIR` or ALCOVE_DATA keep all of it in one
/// folder (portable use); else the platform's application-data folder under "Alcove".
struct AppPaths {
    QString data;     ///< the folder itself
    QString database; ///< data/alcove.db
    QString models;   ///< data/models
    QString logs;     ///< data/logs
    QString lock;     ///< data/alcove.lock
};

/// Chooses and makes the folders. `dataOption` is the value of --data, empty if it was not given.
/// Fails with a sentence if the folder cannot be made or written.
Result<AppPaths> resolvePaths(const QString& dataOption);

} // namespace alcove::app
