#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace alcove::test {

/// How a program ended.
struct Ended {
    int status = -1; ///< exit status; 128 + number if a signal ended it
    std::string out;
    std::string err;
};

struct Start {
    std::string input{};                         ///< standard input
    std::vector<std::string> environment{};      ///< "NAME=value", added to this process's
    bool close_output = false;                   ///< nobody reads standard output
    std::chrono::milliseconds interrupt_after{}; ///< SIGINT after that time; 0: never
    std::string interrupt_at{};                  ///< SIGINT when standard output holds this
};

/// Runs `program` with `arguments` to its end (at most two minutes, then it is killed).
Ended run_process(const std::string& program, const std::vector<std::string>& arguments,
                  const Start& start = {});

} // namespace alcove::test
