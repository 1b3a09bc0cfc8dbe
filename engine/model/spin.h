#pragma once

#include <atomic>
#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace alcove::model {

/// A pause takes 40 to 140 cycles on x86: the longest spin is about a tenth of a millisecond, some
/// ten times the time that a sleeping thread needs to wake.
inline constexpr std::int32_t kSpins = 2000;

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/// True once `value` differs from `old` (acquired), false if it did not for n_spins pauses.
template <typename T>
bool spin_while_equal(const std::atomic<T>& value, T old, std::int32_t n_spins) {
    for (std::int32_t i = 0; i < n_spins; ++i) {
        if (value.load(std::memory_order_acquire) != old)
            return true;
        pause();
    }
    return value.load(std::memory_order_acquire) != old;
}

/// Returns once `value` differs from `old`, asleep; a spin first is the caller's choice.
template <typename T> void sleep_while_equal(const std::atomic<T>& value, T old) {
    while (value.load(std::memory_order_acquire) == old)
        value.wait(old, std::memory_order_acquire);
}

} // namespace alcove::model
