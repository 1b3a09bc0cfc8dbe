// The IQ types whose weights are points of a codebook: IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S,
// IQ3_XXS, IQ3_S.
#include "engine/quant/blocks.h"
#include "engine/quant/codebooks.h"
#include "engine/quant/half.h"
#include "engine/quant/unpack.h"

#include <bit>
#include <cstring>

namespace alcove {
namespace {

template <typename Block> Block load_block(const std::uint8_t* bytes) {
    Block block;
    std::memcpy(&block, bytes, sizeof(Block));
    return block;
}

/// Eight sign bits of which seven are stored: their number is even.
unsigned with_eighth_sign(unsigned seven) {
    return seven | (static_cast<unsigned>(std::popcount(seven) & 1) << 7);
}

std::int16_t with_sign(int magnitude, unsigned signs, int i) {
    return static_cast<std::int16_t>(((signs >> i) & 1u) != 0 ? -magnitude : magnitude);
}

/// Eight weights of a two-bit point.
void put_point8(std::uint16_t point, unsigned signs, std::int16_t* out) {
    constexpr int kMagnitudes[4] = {8, 25, 43, 0};
    for (int i = 0; i < 8; ++i)
        out[i] = with_sign(kMagnitudes[(point >> (2 * i)) & 3], signs, i);
}

/// Four weights of a four-bit point; `first`: the place of its first sign.
template <typename Magnitude>
void put_point4(std::uint16_t point, unsigned signs, int first, Magnitude magnitude,
                std::int16_t* out) {
    for (int i = 0; i < 4; ++i)
        out[i] = with_sign(magnitude((point >> (4 * i)) & 15), signs, first + i);
}

int magnitude_iq3_xxs(int code) {
    return code == 7 ? 62 : 8 * code + 4;
}
int magnitude_iq3_s(int code) {
    return 2 * code + 1;
}

/// Eight weights -1, 0, 1 shifted by an eighth up or down, times eight: with the scale divided by
/// eight the same number, and an integer.
void put_point_iq1(std::uint16_t point, bool down, std::int16_t* out) {
    for (int i = 0; i < 8; ++i)
        out[i] = static_cast<std::int16_t>(8 * (((point >> (2 * i)) & 3) - 1) + (down ? -1 : 1));
}

std::uint32_t dword(const std::uint16_t* words) {
    return words[0] | (static_cast<std::uint32_t>(words[1]) << 16);
}

/// d * (2 s + 1) * factor: exact.
float odd_scale(float d, unsigned s, float factor) {
    return d * static_cast<float>(2 * s + 1) * factor;
}

unsigned nibble_of(const std::uint8_t* bytes, int i) {
    return (bytes[i / 2] >> (4 * (i % 2))) & 15u;
}

} // namespace

void unpack_iq2_xxs(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ2_XXS>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 8; ++j) {
        const std::uint32_t indices = dword(block.qs[j]), rest = dword(block.qs[j] + 2);
        out.scale[j] = odd_scale(d, rest >> 28, 0.125F);
        for (int k = 0; k < 4; ++k)
            put_point8(kGridIq2Xxs[(indices >> (8 * k)) & 255],
                       with_eighth_sign((rest >> (7 * k)) & 127), out.code + 32 * j + 8 * k);
    }
}

void unpack_iq2_xs(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ2_XS>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 16; ++j)
        out.scale[j] = odd_scale(d, nibble_of(block.scales, j), 0.125F);
    for (int k = 0; k < 32; ++k)
        put_point8(kGridIq2Xs[block.qs[k] & 511], with_eighth_sign(block.qs[k] >> 9),
                   out.code + 8 * k);
}

void unpack_iq2_s(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ2_S>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 16; ++j)
        out.scale[j] = odd_scale(d, nibble_of(block.scales, j), 0.125F);
    for (int k = 0; k < 32; ++k) {
        const int high = (block.qh[k / 4] >> (2 * (k % 4))) & 3;
        put_point8(kGridIq2S[block.qs[k] | (high << 8)], block.signs[k], out.code + 8 * k);
    }
}

void unpack_iq3_xxs(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ3_XXS>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 8; ++j) {
        const std::uint32_t rest = dword(block.signs[j]);
        out.scale[j] = odd_scale(d, rest >> 28, 0.25F);
        for (int k = 0; k < 8; ++k)
            put_point4(kGridIq3Xxs[block.qs[8 * j + k]],
                       with_eighth_sign((rest >> (7 * (k / 2))) & 127), 4 * (k % 2),
                       magnitude_iq3_xxs, out.code + 32 * j + 4 * k);
    }
}

void unpack_iq3_s(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ3_S>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 8; ++j)
        out.scale[j] = odd_scale(d, nibble_of(block.scales, j), 1.0F);
    for (int k = 0; k < 64; ++k) {
        const int high = (block.qh[k / 8] >> (k % 8)) & 1;
        put_point4(kGridIq3S[block.qs[k] | (high << 8)], block.signs[k / 2], 4 * (k % 2),
                   magnitude_iq3_s, out.code + 4 * k);
    }
}

void unpack_iq1_s(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ1_S>(bytes);
    const float d = f16_to_f32(block.d);
    for (int j = 0; j < 8; ++j) {
        const unsigned qh = block.qh[j];
        out.scale[j] = odd_scale(d, (qh >> 12) & 7, 0.125F);
        for (int k = 0; k < 4; ++k)
            put_point_iq1(kGridIq1S[block.qs[4 * j + k] | (((qh >> (3 * k)) & 7) << 8)],
                          (qh & 0x8000u) != 0, out.code + 32 * j + 8 * k);
    }
}

void unpack_iq1_m(const std::uint8_t* bytes, UnpackedBlock& out) {
    const auto block = load_block<BlockIQ1_M>(bytes);
    unsigned d_bits = 0;
    for (int i = 0; i < 4; ++i)
        d_bits |= static_cast<unsigned>(block.scales[i] >> 12) << (4 * i);
    const float d = f16_to_f32(static_cast<std::uint16_t>(d_bits));
    for (int j = 0; j < 16; ++j)
        out.scale[j] = odd_scale(d, (block.scales[j / 4] >> (3 * (j % 4))) & 7u, 0.125F);
    for (int k = 0; k < 32; ++k) {
        const unsigned high = nibble_of(block.qh, k);
        put_point_iq1(kGridIq1S[block.qs[k] | ((high & 7) << 8)], (high & 8) != 0,
                      out.code + 8 * k);
    }
}

} // namespace alcove
