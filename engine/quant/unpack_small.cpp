// The types of four bits and fewer without a codebook of points: IQ4_NL, IQ4_XS, MXFP4, NVFP4,
// TQ1_0, TQ2_0, Q1_0, Q2_0, PQ2, PTQ1.
#include "engine/quant/blocks.h"
#include "engine/quant/half.h"
#include "engine/quant/unpack.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace alcove {
namespace {

template <typename Block> Block load_block(const std::uint8_t* bytes) {
    Block block;
    std::memcpy(&block, bytes, sizeof(Block));
    return block;
}

/// 2 * n nibbles, low ones first, through a table of values.
void look_up_nibbles(const std::uint8_t* qs, int n, const std::int8_t* values, std::int16_t* out) {
    for (int i = 0; i < n; ++i) {
        out[i] = values[qs[i] & 15];
        out[i + n] = values[qs[i] >> 4];
    }
}

/// 2^(e - 128): half of the scale that e8m0 means, as the table holds doubled values.
float half_of_e8m0(std::uint8_t e) {
    return e < 2 ? std::bit_cast<float>(0x00200000u << e)
                 : std::bit_cast<float>(static_cast<std::uint32_t>(e - 1) << 23);
}

/// Half of an unsigned e4m3 number (bias 7); the pattern of not-a-number counts as 0.
float half_of_e4m3(std::uint8_t bits) {
    const int exponent = (bits >> 3) & 15, mantissa = bits & 7;
    if (bits == 0x7f)
        return 0;
    if (exponent == 0)
        return static_cast<float>(mantissa) * 0x1p-10F;
    return std::ldexp(static_cast<float>(8 + mantissa), exponent - 11);
}

/// Digit n of a byte that is a fixed-point fraction in base 3, most significant first.
int base3_digit(std::uint8_t byte, int n) {
    constexpr int kPowers[5] = {1, 3, 9, 27, 81};
    const int moved = (byte * kPowers[n]) & 255;
    return (moved * 3) >> 8;
}
/// The n_digits digits of each byte less one: first digit 0 of all bytes, then digit 1, ...
void unpack_digits(const std::uint8_t* from, int n_bytes, int n_digits, std::int16_t* out) {
    for (int n = 0; n < n_digits; ++n)
        for (int i = 0; i < n_bytes; ++i)
            *out++ = static_cast<std::int16_t>(base3_digit(from[i], n) - 1);
}

/// Four weights in a byte, the first in its lowest bits.
void unpack_quarters(const std::uint8_t* from, int n_weights, std::int16_t* out) {
    for (int i = 0; i < n_weights; ++i)
        out[i] = static_cast<std::int16_t>(((from[i / 4] >> (2 * (i % 4))) & 3) - 1);
}

} // namespace

void unpack_iq4_nl(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ4_NL>(bytes);
    out.scale[0] = f16_to_f32(block.d);
    look_up_nibbles(block.qs, 16, kIq4Values, out.code);
}

void unpack_iq4_xs(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ4_XS>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 8; ++j) {
        const int low = (block.scales_l[j / 2] >> (4 * (j % 2))) & 15;
        const int high = (block.scales_h >> (2 * j)) & 3;
        out.scale[j] = d * static_cast<float>((low | (high << 4)) - 32);
        look_up_nibbles(block.qs + 16 * j, 16, kIq4Values, out.code + 32 * j);
    }
}

void unpack_mxfp4(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockMXFP4>(bytes);
    out.scale[0] = half_of_e8m0(block.e);
    look_up_nibbles(block.qs, 16, kFp4Values, out.code);
}

void unpack_nvfp4(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockNVFP4>(bytes);
    for (int j = 0; j < 4; ++j) {
        out.scale[j] = half_of_e4m3(block.d[j]);
        look_up_nibbles(block.qs + 8 * j, 8, kFp4Values, out.code + 16 * j);
    }
}

void unpack_tq1_0(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockTQ1_0>(bytes);
    std::fill_n(out.scale, 8, f16_to_f32(block.d));
    unpack_digits(block.qs, 32, 5, out.code);
    unpack_digits(block.qs + 32, 16, 5, out.code + 160);
    unpack_digits(block.qh, 4, 4, out.code + 240);
}

void unpack_tq2_0(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockTQ2_0>(bytes);
    std::fill_n(out.scale, 8, f16_to_f32(block.d));
    for (int i = 0; i < 256; ++i) {
        const int q = (block.qs[32 * (i / 128) + i % 32] >> (2 * ((i % 128) / 32))) & 3;
        out.code[i] = static_cast<std::int16_t>(q - 1);
    }
}

void unpack_q1_0(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ1_0>(bytes);
    std::fill_n(out.scale, 4, f16_to_f32(block.d));
    for (int i = 0; i < 128; ++i)
        out.code[i] = ((block.bits[i / 8] >> (i % 8)) & 1) != 0 ? 1 : -1;
}

void unpack_q2_0(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ2_0>(bytes);
    std::fill_n(out.scale, 2, f16_to_f32(block.d));
    unpack_quarters(block.qs, 64, out.code);
}

void unpack_pq2(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockPQ2>(bytes);
    std::fill_n(out.scale, 4, f16_to_f32(block.d));
    unpack_quarters(block.qs, 128, out.code);
}

void unpack_ptq1(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockPTQ1>(bytes);
    std::fill_n(out.scale, 4, f16_to_f32(block.d));
    unpack_digits(block.qs, 16, 5, out.code);
    unpack_digits(block.qs + 16, 8, 5, out.code + 80);
    unpack_digits(block.qh, 2, 4, out.code + 120);
}

} // namespace alcove
