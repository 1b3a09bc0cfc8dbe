#include "tests/app/cli/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

extern char** environ;

namespace alcove::test {
namespace {

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() {
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw std::runtime_error("pipe2");
    }
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    void close_end(int i) {
        if (ends[i] >= 0)
            ::close(ends[i]);
        ends[i] = -1;
    }
};

/// Appends what can be read; false at the end.
bool read_some(int fd, std::string& into) {
    char buffer[65536];
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n > 0)
        into.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (std::string& text : strings)
        all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

} // namespace

Ended run_process(const std::string& program, const std::vector<std::string>& arguments,
                  const Start& start) {
    ::signal(SIGPIPE, SIG_IGN);
    Pipe in;
    Pipe out;
    Pipe err;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.ends[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = start.environment;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.emplace_back(*variable);
    pid_t pid = -1;
    const int failure = ::posix_spawn(&pid, program.c_str(), &actions, nullptr,
                                      pointers(words).data(), pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        throw std::runtime_error("cannot start " + program);
    in.close_end(0);
    out.close_end(1);
    err.close_end(1);
    if (start.close_output)
        out.close_end(0);
    (void)!::write(in.ends[1], start.input.data(),
                   start.input.size()); // tests send less than a pipe holds
    in.close_end(1);

    Ended ended;
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto deadline = begin + std::chrono::minutes(2);
    bool interrupted = false;
    while (out.ends[0] >= 0 || err.ends[0] >= 0) {
        pollfd wanted[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
        ::poll(wanted, 2, 10);
        if ((wanted[0].revents & (POLLIN | POLLHUP)) != 0 && !read_some(out.ends[0], ended.out))
            out.close_end(0);
        if ((wanted[1].revents & (POLLIN | POLLHUP)) != 0 && !read_some(err.ends[0], ended.err))
            err.close_end(0);
        const bool late =
            start.interrupt_after.count() > 0 && Clock::now() - begin > start.interrupt_after;
        const bool seen =
            !start.interrupt_at.empty() && ended.out.find(start.interrupt_at) != std::string::npos;
        if (!interrupted && (late || seen)) {
            ::kill(pid, SIGINT);
            interrupted = true;
        }
        if (Clock::now() > deadline)
            ::kill(pid, SIGKILL);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
}

} // namespace alcove::test
