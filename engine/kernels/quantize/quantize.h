#pragma once

#include <cstddef>
#include <cstdint>

/// Activations to integers of fifteen bits, in two planes of int8, once per input of a product.
///
/// A Q15_32 row of n values (n a multiple of 32) is, from its 64-byte aligned begin:
///   int8  high[n]              q = x * (16256 / max|x|) of the block of 32, to nearest even, is
///   int8  low[n]               128 * high + low with high in -127..127, low in -64..63
///   float scale[n / 32]        max|x| / 16256
///   float sum32[n / 32]        sum of the q of the block, an exact integer
///   int32 corr32[n / 32]       -128 * that sum: what weights stored with 128 added have too much
///   float sum16[n / 16], int32 corr16[n / 16]   the same per half block
/// each array at the next multiple of 64 bytes. The arithmetic is the same float operations on
/// every instruction set, so the integers are equal everywhere. A block that holds a value that is
/// not finite gets q = 0 and scale = not-a-number, so that the product says so; a block whose
/// largest value is below 2^-112 becomes zero.
namespace alcove {

/// Byte offsets of the arrays. Internal linkage: files of every instruction set use it.
struct ActLayout {
    std::size_t low, scale, sum32, corr32, sum16, corr16, bytes;
};
[[maybe_unused]] static constexpr ActLayout act_layout(std::size_t n) {
    const std::size_t per_block = (n / 32 * 4 + 63) / 64 * 64;
    const std::size_t per_half = (n / 16 * 4 + 63) / 64 * 64;
    const std::size_t low = (n + 63) / 64 * 64, scale = 2 * low;
    const std::size_t sum32 = scale + per_block, corr32 = sum32 + per_block;
    const std::size_t sum16 = corr32 + per_block, corr16 = sum16 + per_half;
    return {low, scale, sum32, corr32, sum16, corr16, corr16 + per_half};
}
/// The largest q: 127 in the high plane.
inline constexpr float kActLargestCode = 127 * 128;
/// Blocks with a smaller largest value are zero: kActLargestCode / max would overflow.
inline constexpr float kActSmallest = 0x1p-112f;

#define KERNELS(isa, products, floats)                                                             \
    void quantize_q8_##floats(std::size_t n, const float* x, void* out);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
