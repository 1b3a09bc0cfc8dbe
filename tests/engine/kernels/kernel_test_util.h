#pragma once

#include "engine/kernels/kernel_table.h"
#include "engine/quant/decode.h"
#include "engine/quant/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace alcove {

/// Bytes at an address that is 64-byte aligned plus `shift`.
class AlignedBytes {
public:
    explicit AlignedBytes(std::size_t n, std::size_t shift = 0)
        : storage_(n + 128), begin_((64 - address(storage_.data()) % 64) % 64 + shift) {}
    std::uint8_t* data() { return storage_.data() + begin_; }
    const std::uint8_t* data() const { return storage_.data() + begin_; }
    float* floats() { return reinterpret_cast<float*>(data()); }

private:
    static std::size_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
    std::vector<std::uint8_t> storage_;
    std::size_t begin_;
};

inline std::vector<float> random_floats(std::size_t n, std::mt19937& rng, float spread = 1.0F) {
    std::normal_distribution<float> normal(0.0F, spread);
    std::vector<float> values(n);
    for (float& v : values)
        v = normal(rng);
    return values;
}

/// Overwrites a block's binary16 scales by `put(offset)`; exponents of MXFP4 and NVFP4 become
/// ordinary.
template <typename Put> void put_scales(QuantType type, std::uint8_t* block, Put put) {
    switch (type) {
    case QuantType::Q2_K:
        put(80);
        put(82);
        break;
    case QuantType::Q3_K:
        put(108);
        break;
    case QuantType::Q6_K:
        put(208);
        break;
    case QuantType::TQ1_0:
        put(52);
        break;
    case QuantType::TQ2_0:
        put(64);
        break;
    case QuantType::PTQ1:
        put(26);
        break;
    case QuantType::MXFP4:
        block[0] = static_cast<std::uint8_t>(120 + block[0] % 8);
        break;
    case QuantType::NVFP4:
        for (int i = 0; i < 4; ++i)
            block[i] &= 0x3f;
        break;
    case QuantType::IQ1_M: // its scale lies in the top nibbles of the last four words: 0x2c00 to
                           // 0x2fff
        block[55] = static_cast<std::uint8_t>(0x20 | (block[55] & 15));
        block[53] |= 0xc0;
        break;
    case QuantType::Q4_1:
    case QuantType::Q5_1:
    case QuantType::Q4_K:
    case QuantType::Q5_K:
        put(2);
        [[fallthrough]];
    default:
        put(0);
    }
}

/// Random blocks whose binary16 scales are of ordinary size: every byte pattern of the codes
/// occurs.
inline void fill_blocks(const QuantTraits& traits, std::size_t n_blocks, std::uint8_t* out,
                        std::mt19937& rng) {
    std::uniform_int_distribution<int> byte(0, 255);
    std::uniform_real_distribution<float> scale(-0.02F, 0.02F);
    const auto put = [&](std::size_t at) {
        const std::uint16_t half = f32_to_f16(scale(rng));
        std::memcpy(out + at, &half, 2);
    };
    for (std::size_t b = 0; b < n_blocks; ++b, out += traits.block_bytes) {
        if (block_codec(traits.type) == nullptr) { // a float type
            const float value = scale(rng) * 50;
            const std::uint16_t half = f32_to_f16(value);
            if (traits.type == QuantType::F16)
                std::memcpy(out, &half, 2);
            else // BF16 is the upper half of a float
                std::memcpy(out, reinterpret_cast<const char*>(&value) + (4 - traits.block_bytes),
                            traits.block_bytes);
            continue;
        }
        for (std::size_t i = 0; i < traits.block_bytes; ++i)
            out[i] = static_cast<std::uint8_t>(byte(rng));
        put_scales(traits.type, out, put);
    }
}

/// Types a matrix may have, as test parameters.
inline std::vector<QuantType> runnable_types() {
    std::vector<QuantType> types;
    for (const QuantTraits& traits : quant_types())
        if (traits.runnable)
            types.push_back(traits.type);
    return types;
}

/// All sets of the build: those that this processor lacks are skipped by name.
inline std::vector<Isa> all_isas() {
    return {Isa::Scalar, Isa::Avx2, Isa::AvxVnni, Isa::Avx512, Isa::Avx512Vnni};
}
inline bool runs_here(Isa isa) {
    for (const Isa runnable : runnable_isas())
        if (runnable == isa)
            return true;
    return false;
}
#define SKIP_UNLESS_RUNNABLE(isa)                                                                  \
    if (!runs_here(isa))                                                                           \
    GTEST_SKIP() << isa_name(isa) << " is not available here"

inline std::string isa_test_name(const ::testing::TestParamInfo<Isa>& info) {
    return std::string(isa_name(info.param));
}

} // namespace alcove
