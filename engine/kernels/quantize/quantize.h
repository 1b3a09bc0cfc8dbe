#pragma once

#include <cstddef>
#include <cstdint>

/// Activations to int8, once per input of a product.
///
/// A Q8_32 row of n values (n a multiple of 32) is, from its 64-byte aligned begin:
///   int8   q[n]            rounded to nearest even of x * (127 / max|x|) per block of 32, so
///   -127..127 float  scale[n / 32]   max|x| / 127 float  sum32[n / 32]   sum of the q of the
///   block, an exact integer int32  corr32[n / 32]  -128 * that sum: what weights stored with 128
///   added have too much float  sum16[n / 16], int32 corr16[n / 16]   the same per half block
/// each array at the next multiple of 64 bytes. The arithmetic is the same float operations on
/// every instruction set, so the integers are equal everywhere. A block that holds a value that is
/// not finite gets q = 0 and scale = not-a-number, so that the product says so; a block whose
/// largest value is below 2^-119 becomes zero.
namespace alcove {

/// Byte offsets of the arrays. Internal linkage: files of every instruction set use it.
struct ActLayout {
    std::size_t scale, sum32, corr32, sum16, corr16, bytes;
};
[[maybe_unused]] static constexpr ActLayout act_layout(std::size_t n) {
    const std::size_t per_block = (n / 32 * 4 + 63) / 64 * 64;
    const std::size_t per_half = (n / 16 * 4 + 63) / 64 * 64;
    const std::size_t scale = (n + 63) / 64 * 64;
    const std::size_t sum32 = scale + per_block, corr32 = sum32 + per_block;
    const std::size_t sum16 = corr32 + per_block, corr16 = sum16 + per_half;
    return {scale, sum32, corr32, sum16, corr16, corr16 + per_half};
}
/// Blocks with a smaller largest value are zero: 127 / max would overflow.
inline constexpr float kActSmallest = 0x1p-119f;

#define KERNELS(isa, products, floats)                                                             \
    void quantize_q8_##floats(std::size_t n, const float* x, void* out);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
