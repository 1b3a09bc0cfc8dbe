#include "app/logging.h"

#include <QDir>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace alcove::app {

namespace {

constexpr std::size_t kFileBytes = 1'000'000;
constexpr std::size_t kFiles = 3;
constexpr const char* kPattern = "%Y-%m-%d %H:%M:%S.%e %-7l %n: %v";

/// The logger of a room; nothing is written before startLogging() or after stopLogging().
std::shared_ptr<spdlog::logger> loggerOf(const std::string& area) {
    if (auto logger = spdlog::get(area))
        return logger;
    const auto root = spdlog::get("alcove");
    if (!root)
        return nullptr;
    auto logger =
        std::make_shared<spdlog::logger>(area, root->sinks().begin(), root->sinks().end());
    logger->set_level(root->level());
    logger->flush_on(spdlog::level::info);
    try {
        spdlog::register_logger(logger);
    } catch (const spdlog::spdlog_ex&) {
        return spdlog::get(area); // another thread was first
    }
    return logger;
}

void write(const char* area, spdlog::level::level_enum level, std::string_view message) {
    if (const auto logger = loggerOf(area))
        logger->log(level, "{}", message);
}

void qtMessage(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    const auto level = type == QtDebugMsg  ? spdlog::level::debug
                       : type == QtInfoMsg ? spdlog::level::info
                                           : spdlog::level::warn;
    Q_UNUSED(context)
    write("qt", level, message.toStdString());
    if (type == QtFatalMsg)
        spdlog::shutdown(); // what was said is on the disk before the program ends
}

} // namespace

void startLogging(const AppPaths& paths, LogTarget target, bool verbose) {
    stopLogging();
    std::vector<spdlog::sink_ptr> sinks;
    try {
        if (target == LogTarget::File) {
            QDir().mkpath(paths.logs);
            sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                (paths.logs + QStringLiteral("/alcove.log")).toStdString(), kFileBytes, kFiles));
        }
    } catch (const spdlog::spdlog_ex&) {
        sinks.clear(); // a log that cannot be written must not keep the program from starting
    }
    if (sinks.empty())
        sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_mt>());
    auto root = std::make_shared<spdlog::logger>("alcove", sinks.begin(), sinks.end());
    root->set_level(verbose
                        ? spdlog::level::debug
                        : (target == LogTarget::File ? spdlog::level::info : spdlog::level::warn));
    root->set_pattern(kPattern);
    root->flush_on(spdlog::level::info);
    spdlog::register_logger(root);
    qInstallMessageHandler(qtMessage);
}

void stopLogging() {
    qInstallMessageHandler(nullptr);
    spdlog::drop_all();
}

LogSink engineLog() {
    return [](LogLevel level, std::string_view area, std::string_view message) {
        const auto severity = level == LogLevel::Debug  ? spdlog::level::debug
                              : level == LogLevel::Info ? spdlog::level::info
                                                        : spdlog::level::warn;
        write(("engine." + std::string(area)).c_str(), severity, message);
    };
}

void logInfo(const char* area, const QString& message) {
    write(area, spdlog::level::info, message.toStdString());
}
void logWarning(const char* area, const QString& message) {
    write(area, spdlog::level::warn, message.toStdString());
}
void logDebug(const char* area, const QString& message) {
    write(area, spdlog::level::debug, message.toStdString());
}

} // namespace alcove::app
