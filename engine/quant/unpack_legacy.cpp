// The types with one scale per block of 32: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0.
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

std::int16_t nibble(const std::uint8_t* qs, int i) {
    return static_cast<std::int16_t>(i < 16 ? qs[i] & 15 : qs[i - 16] >> 4);
}

std::int16_t fifth_bit(const std::uint8_t* qh, int i) {
    return static_cast<std::int16_t>(((qh[i / 8] >> (i % 8)) & 1) << 4);
}

} // namespace

void unpack_q4_0(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ4_0>(bytes);
    out.scale[0] = f16_to_f32(block.d);
    for (int i = 0; i < 32; ++i)
        out.code[i] = static_cast<std::int16_t>(nibble(block.qs, i) - 8);
}

void unpack_q4_1(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ4_1>(bytes);
    out.scale[0] = f16_to_f32(block.d);
    out.offset[0] = f16_to_f32(block.m);
    for (int i = 0; i < 32; ++i)
        out.code[i] = nibble(block.qs, i);
}

void unpack_q5_0(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ5_0>(bytes);
    out.scale[0] = f16_to_f32(block.d);
    for (int i = 0; i < 32; ++i)
        out.code[i] =
            static_cast<std::int16_t>((nibble(block.qs, i) | fifth_bit(block.qh, i)) - 16);
}

void unpack_q5_1(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ5_1>(bytes);
    out.scale[0] = f16_to_f32(block.d);
    out.offset[0] = f16_to_f32(block.m);
    for (int i = 0; i < 32; ++i)
        out.code[i] = static_cast<std::int16_t>(nibble(block.qs, i) | fifth_bit(block.qh, i));
}

void unpack_q8_0(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockQ8_0>(bytes);
    out.scale[0] = f16_to_f32(block.d);
    for (int i = 0; i < 32; ++i)
        out.code[i] = block.qs[i];
}

} // namespace alcove
