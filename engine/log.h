#pragma once

#include <functional>
#include <string_view>

namespace alcove {

enum class LogLevel { Debug, Info, Warning };

/// Where the engine reports once-per-action facts. Never called per token; never given messages or answers.
/// `area` is the room ("format", "model", "session"). May be called from the thread that called the engine only.
using LogSink = std::function<void(LogLevel level, std::string_view area, std::string_view message)>;

} // namespace alcove
