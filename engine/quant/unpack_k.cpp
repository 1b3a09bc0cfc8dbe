// The K types: 256 weights, small integer scales per group under one binary16 scale.
#include "engine/quant/blocks.h"
#include "engine/quant/half.h"
#include "engine/quant/unpack.h"

#include <cstring>

namespace alcove {
namespace {

template <typename Block> Block load_block(const std::uint8_t* bytes) {
    Block block;
    std::memcpy(&block, bytes, sizeof(Block));
    return block;
}

/// The eight six-bit scales and minima of Q4_K and Q5_K to floats: both products are exact.
void unpack_scales(const std::uint8_t* s, float d, float dmin, UnpackedBlock& out) {
    for (int j = 0; j < 8; ++j) {
        const int sc = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | ((s[j - 4] >> 6) << 4);
        const int mn = j < 4 ? s[j + 4] & 63 : (s[j + 4] >> 4) | ((s[j] >> 6) << 4);
        out.scale[j] = d * static_cast<float>(sc);
        out.offset[j] = -(dmin * static_cast<float>(mn));
    }
}

int nibble_of_group(const std::uint8_t* qs, int group, int i) {
    const std::uint8_t byte = qs[32 * (group / 2) + i];
    return group % 2 == 0 ? byte & 15 : byte >> 4;
}

/// Two bits of weight i of Q2_K and Q3_K: per half of 128, 32 bytes hold four planes.
int two_bits(const std::uint8_t* qs, int i) {
    return (qs[32 * (i / 128) + i % 32] >> (2 * ((i % 128) / 32))) & 3;
}

} // namespace

void unpack_q2_k(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ2_K>(bytes);
    const float d = f16_to_f32(block.d), dmin = f16_to_f32(block.dmin);
    for (int j = 0; j < 16; ++j) {
        out.scale[j] = d * static_cast<float>(block.scales[j] & 15);
        out.offset[j] = -(dmin * static_cast<float>(block.scales[j] >> 4));
    }
    for (int i = 0; i < 256; ++i)
        out.code[i] = static_cast<std::int16_t>(two_bits(block.qs, i));
}

void unpack_q3_k(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ3_K>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 16; ++j) {
        const int low = j < 8 ? block.scales[j] & 15 : block.scales[j - 8] >> 4;
        const int high = (block.scales[8 + j % 4] >> (2 * (j / 4))) & 3;
        out.scale[j] = d * static_cast<float>((low | (high << 4)) - 32);
    }
    for (int i = 0; i < 256; ++i) {
        const int high = (block.hmask[i % 32] >> (i / 32)) & 1;
        out.code[i] = static_cast<std::int16_t>(two_bits(block.qs, i) + 4 * high - 4);
    }
}

void unpack_q4_k(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ4_K>(bytes);
    unpack_scales(block.scales, f16_to_f32(block.d), f16_to_f32(block.dmin), out);
    for (int i = 0; i < 256; ++i)
        out.code[i] = static_cast<std::int16_t>(nibble_of_group(block.qs, i / 32, i % 32));
}

void unpack_q5_k(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ5_K>(bytes);
    unpack_scales(block.scales, f16_to_f32(block.d), f16_to_f32(block.dmin), out);
    for (int i = 0; i < 256; ++i) {
        const int high = (block.qh[i % 32] >> (i / 32)) & 1;
        out.code[i] =
            static_cast<std::int16_t>(nibble_of_group(block.qs, i / 32, i % 32) | (high << 4));
    }
}

void unpack_q6_k(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ6_K>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 16; ++j)
        out.scale[j] = d * static_cast<float>(block.scales[j]);
    for (int i = 0; i < 256; ++i) {
        const int half = i / 128, k = (i % 128) / 32;
        const std::uint8_t low = block.ql[64 * half + i % 64];
        const int high = (block.qh[32 * half + i % 32] >> (2 * k)) & 3;
        out.code[i] = static_cast<std::int16_t>(((k < 2 ? low & 15 : low >> 4) | (high << 4)) - 32);
    }
}

} // namespace alcove
