#pragma once

#include <array>
#include <cstdint>

namespace alcove {

/// How many threads the next pass should use, learnt from the passes before. Where other programs
/// want the processors too, a team waits at every step for its slowest member, and fewer threads
/// are faster, often by far. The count may change at any time: answers do not depend on it.
///
/// Candidates are max, max / 2, … 1. Fewer are tried only when waits show a shared machine, more
/// from time to time.
class ThreadTuner {
public:
    explicit ThreadTuner(std::int32_t max);

    std::int32_t n_threads() const { return max_ >> level_; }
    /// After a pass with n_threads(): seconds per token, and whether its waits were long.
    void record(double seconds_per_token, bool contended);

private:
    static constexpr std::int32_t kLevels = 10;
    std::int32_t max_;
    std::int32_t lowest_ = 0; // level of one thread
    std::int32_t level_ = 0;  // in use
    std::int32_t home_ = 0;   // best so far; differs from level_ during a trial
    std::int32_t n_passes_ = 0;
    bool contended_ = false;
    bool to_lowest_ = false;                // the next trial of fewer threads is with one
    std::array<double, kLevels> seconds_{}; // per token, a fading mean; 0: not known
};

} // namespace alcove
