#include "engine/model/team.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace alcove::model {

namespace {

// A pause takes 40 to 140 cycles on x86: the longest spin is about a tenth of a millisecond, some
// ten times the time that a sleeping thread needs to wake.
constexpr std::int32_t kSpins = 2000;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

} // namespace

void Team::begin(std::int32_t n_threads, std::int32_t n_usable) {
    n_threads_ = n_threads;
    n_spins_ = n_threads <= n_usable ? kSpins : 0;
    n_sleeps_.store(0, std::memory_order_relaxed);
    n_arrived_.store(0, std::memory_order_relaxed);
    generation_.store(0, std::memory_order_relaxed);
    for (Counter& counter : counters_)
        counter.value.store(0, std::memory_order_relaxed);
}

void Team::barrier() {
    if (n_threads_ == 1) {
        const std::uint32_t phase = generation_.load(std::memory_order_relaxed);
        counters_[phase % counters_.size()].value.store(0, std::memory_order_relaxed);
        generation_.store(phase + 1, std::memory_order_relaxed);
        return;
    }
    const std::uint32_t phase = generation_.load(std::memory_order_relaxed);
    if (n_arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_threads_) {
        // The last one in: everybody has left this phase's counter, which serves again in two.
        counters_[phase % counters_.size()].value.store(0, std::memory_order_relaxed);
        n_arrived_.store(0, std::memory_order_relaxed);
        generation_.store(phase + 1, std::memory_order_release);
        generation_.notify_all();
        return;
    }
    for (std::int32_t i = 0; i < n_spins_; ++i) {
        if (generation_.load(std::memory_order_acquire) != phase)
            return;
        pause();
    }
    n_sleeps_.fetch_add(1, std::memory_order_relaxed);
    while (generation_.load(std::memory_order_acquire) == phase)
        generation_.wait(phase, std::memory_order_acquire);
}

} // namespace alcove::model
