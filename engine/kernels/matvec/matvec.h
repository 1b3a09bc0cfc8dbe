#pragma once

#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>

/// Rows of a weight matrix times one activation row: y[r - row_begin] = sum_i W[r][i] * x[i].
///   w      whole matrix, rows w_row_bytes apart, any alignment
///   x      q8: a Q15_32 row (quantize.h); f32: n_cols floats
///   n_cols multiple of the type's block size; 0 gives zeros
/// q8: the integer sum of every group of weights is exact, and a block's value
/// scale * sum + offset * sum(q) is rounded before it is multiplied by the activations' scale and
/// added, block after block. Within (n_blocks + 8) * 2^-24 * sum |w * x| of the exact sum over the
/// quantised x. Weights that have a sign are offset by a power of two to unsigned codes, and the
/// integer sum is corrected by offset * sum(q), exact too (Q8_0's -128 included).
/// f32: weights decoded and multiplied as floats. A row's result depends on nothing but the row and
/// x.
namespace alcove {

#define KERNELS(isa, products, floats)                                                             \
    void matvec_q8_##products(QuantType type, std::size_t n_cols, const void* w,                   \
                              std::size_t w_row_bytes, std::int64_t row_begin,                     \
                              std::int64_t row_end, const void* x, float* y);                      \
    void matvec_f32_##floats(QuantType type, std::size_t n_cols, const void* w,                    \
                             std::size_t w_row_bytes, std::int64_t row_begin,                      \
                             std::int64_t row_end, const float* x, float* y);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
