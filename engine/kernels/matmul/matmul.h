#pragma once

#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>

/// Rows of a weight matrix times many activation rows: y[t * y_stride + r] = sum_i W[r][i] * x_t[i]
/// for r in [row_begin, row_end), t in [0, n_tokens). Weights, bounds and sums as in matvec.h.
///   x        n_tokens rows, x_row_bytes apart; Q15_32 rows (64-byte aligned) or floats
///   scratch  matmul_scratch_bytes_*(n_cols), 64-byte aligned: a few weight rows expanded once,
///   then
///            used for every token
namespace alcove {

struct MatmulArgs {
    QuantType type;
    std::size_t n_cols;
    const void* w;
    std::size_t w_row_bytes;
    std::int64_t row_begin, row_end;
    const void* x;
    std::size_t x_row_bytes;
    std::int32_t n_tokens;
    float* y;
    std::size_t y_stride;
    void* scratch;
};

#define KERNELS(isa, products, floats)                                                             \
    void matmul_q8_##products(const MatmulArgs& args);                                             \
    void matmul_f32_##floats(const MatmulArgs& args);                                              \
    std::size_t matmul_scratch_bytes_##floats(std::size_t n_cols);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
