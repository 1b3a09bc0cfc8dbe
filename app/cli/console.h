#pragma once

#include "engine/log.h"

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

namespace alcove::cli {

/// The terminal side of the program: results to standard output, everything else to standard error,
/// Ctrl+C as a stop request. One per process, made before any other thread, so that all threads
/// leave the signals to it.
class Console {
public:
    Console();

    /// Appends to the result. Kept back until flush(), or 64 KiB have come together.
    void out(std::string_view text);
    /// Sends what is kept back. A reader that has gone ends the output quietly and requests a stop.
    void flush();
    /// Drops what is kept back: after a failure standard output stays empty.
    void discard() { kept_back_.clear(); }
    bool reader_gone() const { return reader_gone_; }

    void note(std::string_view sentence); ///< a line on standard error
    /// The same, "warning: " before it; each sentence once.
    void warning(std::string_view sentence);
    /// A line that the next one overwrites; only where standard error is a terminal. Empty: wipes
    /// it.
    void progress(std::string_view text);

    bool input_is_terminal() const { return input_is_terminal_; }
    bool output_is_terminal() const { return output_is_terminal_; }

    /// Requested by Ctrl+C (SIGINT) or SIGTERM; a second Ctrl+C before rearm() ends the process at
    /// once with 130.
    std::stop_token stop_token() const;
    bool interrupted() const;
    /// After an interrupt that was dealt with: the next one stops the next action.
    void rearm();

    /// A line of standard input without its end; nothing at its end or when interrupted.
    std::optional<std::string> read_line();

    /// For the engine: warnings always, the rest with `verbose`.
    LogSink log_sink(bool verbose);

private:
    struct Signals;

    std::shared_ptr<Signals> signals_;
    std::set<std::string, std::less<>> warned_;
    std::string kept_back_;
    std::string input_;
    bool input_ended_ = false;
    bool input_is_terminal_, output_is_terminal_, error_is_terminal_;
    bool progress_shown_ = false;
    bool reader_gone_ = false;
};

} // namespace alcove::cli
