#pragma once

#include "app/paths.h"
#include "engine/log.h"

#include <QString>

namespace alcove::app {

enum class LogTarget { File, StandardError };

/// Starts logging: to data/logs/alcove.log (1 MB, 3 files kept) or to standard error. Qt's own
/// messages go there too. Never call it with anything that was written or generated: messages,
/// answers, titles and keys are not logged.
void startLogging(const AppPaths& paths, LogTarget target, bool verbose);
void stopLogging();

/// The engine's hook: a named logger per room.
LogSink engineLog();

void logInfo(const char* area, const QString& message);
void logWarning(const char* area, const QString& message);
void logDebug(const char* area, const QString& message);

} // namespace alcove::app
