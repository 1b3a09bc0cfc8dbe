#include "app/cli/console.h"

#include "app/cli/command.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>

namespace alcove::cli {
namespace {

constexpr std::size_t kKeptBackBytes = 64 << 10;

/// False if nobody reads any more.
bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

} // namespace

/// Shared with the thread that waits for signals; that thread lives as long as the process.
struct Console::Signals {
    std::mutex mutex;
    std::stop_source stop;
    int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    void interrupt() {
        const std::lock_guard lock(mutex);
        if (stop.stop_requested())
            ::_exit(kInterrupted);
        stop.request_stop();
        const std::uint64_t one = 1;
        (void)!::write(event, &one, sizeof one); // wakes read_line()
    }
};

Console::Console()
    : signals_(std::make_shared<Signals>()), input_is_terminal_(::isatty(STDIN_FILENO) == 1),
      output_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      error_is_terminal_(::isatty(STDERR_FILENO) == 1) {
    ::signal(SIGPIPE, SIG_IGN); // write() then fails with EPIPE
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread([signals = signals_, set] {
        for (;;) {
            int number = 0;
            if (::sigwait(&set, &number) == 0)
                signals->interrupt();
        }
    }).detach();
}

void Console::out(std::string_view text) {
    kept_back_ += text;
    if (kept_back_.size() >= kKeptBackBytes)
        flush();
}

void Console::flush() {
    if (!kept_back_.empty())
        progress({});
    if (!reader_gone_ && !write_all(STDOUT_FILENO, kept_back_)) {
        reader_gone_ = true;
        const std::lock_guard lock(signals_->mutex);
        signals_->stop.request_stop();
    }
    kept_back_.clear();
}

void Console::note(std::string_view sentence) {
    progress({});
    write_all(STDERR_FILENO, fmt::format("{}\n", sentence));
}

void Console::warning(std::string_view sentence) {
    note(fmt::format("warning: {}", sentence));
}

void Console::progress(std::string_view text) {
    if (!error_is_terminal_ || (text.empty() && !progress_shown_))
        return;
    write_all(STDERR_FILENO, fmt::format("\r\x1b[K{}", text));
    progress_shown_ = !text.empty();
}

std::stop_token Console::stop_token() const {
    const std::lock_guard lock(signals_->mutex);
    return signals_->stop.get_token();
}

bool Console::interrupted() const {
    return stop_token().stop_requested() && !reader_gone_;
}

void Console::rearm() {
    const std::lock_guard lock(signals_->mutex);
    std::uint64_t count = 0;
    (void)!::read(signals_->event, &count, sizeof count);
    signals_->stop = std::stop_source();
}

std::optional<std::string> Console::read_line() {
    for (;;) {
        const std::size_t end = input_.find('\n');
        if (end != std::string::npos || (input_ended_ && !input_.empty())) {
            std::string line = input_.substr(0, end);
            input_.erase(0, end == std::string::npos ? input_.size() : end + 1);
            if (!line.empty() && line.back() == '\r')
                line.pop_back();
            return line;
        }
        if (input_ended_)
            return std::nullopt;
        pollfd wanted[] = {{STDIN_FILENO, POLLIN, 0}, {signals_->event, POLLIN, 0}};
        if (::poll(wanted, 2, -1) < 0 && errno != EINTR)
            return std::nullopt;
        if (interrupted())
            return std::nullopt;
        if (wanted[0].revents == 0)
            continue;
        char buffer[4096];
        const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (n > 0)
            input_.append(buffer, static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            input_ended_ = true;
    }
}

LogSink Console::log_sink(bool verbose) {
    return [this, verbose](LogLevel level, std::string_view area, std::string_view message) {
        if (level == LogLevel::Warning)
            warning(message);
        else if (verbose)
            note(fmt::format("{}: {}", area, message));
    };
}

} // namespace alcove::cli
