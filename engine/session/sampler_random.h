#pragma once

#include <cstdint>

namespace alcove {

/// The random numbers of sampling: number n of a seed is a fixed function of (seed, n), the same on
/// every platform and compiler. SplitMix64 (Steele, Lea, Flood, 2014): z = mix(seed) + (n + 1) *
/// 0x9E3779B97F4A7C15, then the mixing of three xor-shifts and two products; a uniform double in
/// [0, 1) is its upper 53 bits.
class SamplerRandom {
public:
    explicit SamplerRandom(std::uint64_t seed) : base_(mix(seed)) {}

    double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
    std::uint64_t next() { return mix(base_ + ++count_ * kStep); }

private:
    static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
    static constexpr std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    std::uint64_t base_;
    std::uint64_t count_ = 0;
};

} // namespace alcove
