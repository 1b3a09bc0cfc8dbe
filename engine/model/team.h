#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace alcove::model {

/// The meeting point of the threads of one forward pass. Waiting is a bounded spin, then sleep: a
/// barrier between two steps costs well under a microsecond while all threads run, and an
/// interrupted neighbour costs no processor time. With more threads than processors nobody spins.
class Team {
public:
    /// Called by one thread before the others start.
    void begin(std::int32_t n_threads, std::int32_t n_usable);

    std::int32_t size() const { return n_threads_; }

    /// Returns when every thread has called it. What was written before it is seen after it.
    void barrier();

    /// Waits since begin() that were too long to spin for. Many of them: other programs want the
    /// processors.
    std::int64_t n_sleeps() const { return n_sleeps_.load(std::memory_order_relaxed); }
    std::int64_t n_waits() const { return std::int64_t{generation_.load()} * (n_threads_ - 1); }

    /// Hands out 0, 1, 2, … to whoever asks. Starts again at 0 after every barrier; `phase` is the
    /// number of barriers the caller has passed.
    std::int64_t next(std::uint32_t phase) {
        return counters_[phase % counters_.size()].value.fetch_add(1, std::memory_order_relaxed);
    }

private:
    struct alignas(64) Counter {
        std::atomic<std::int64_t> value{0};
    };
    std::int32_t n_threads_ = 1;
    std::int32_t n_spins_ = 0;
    std::atomic<std::int64_t> n_sleeps_{0};
    alignas(64) std::atomic<std::int32_t> n_arrived_{0};
    alignas(64) std::atomic<std::uint32_t> generation_{0};
    std::array<Counter, 2> counters_; // one in use, one being reset
};

} // namespace alcove::model
