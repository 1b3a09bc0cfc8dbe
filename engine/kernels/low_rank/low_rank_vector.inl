// Low-rank corrections for one vector width. Included after a simd header.

#include "engine/kernels/low_rank/low_rank.h"

namespace alcove {
namespace {

/// kTokens rows, kVectors vectors of outputs at a time: sums stay in registers over the whole rank.
/// Every output is summed in the order of the rank and added with two roundings, however the rows
/// and outputs are cut, so that neither threads nor batches change a bit.
template <int kTokens, int kVectors>
ALCOVE_INLINE void low_rank_block(std::size_t rank, const float* b, std::size_t b_stride,
                                  const float* u, std::size_t u_stride, float scale, float* y,
                                  std::size_t y_stride) {
    Vf sum[kTokens][kVectors];
    ALCOVE_UNROLL
    for (int t = 0; t < kTokens; ++t) {
        ALCOVE_UNROLL
        for (int v = 0; v < kVectors; ++v)
            sum[t][v] = f_zero();
    }
    for (std::size_t k = 0; k < rank; ++k) {
        Vf row[kVectors];
        ALCOVE_UNROLL
        for (int v = 0; v < kVectors; ++v)
            row[v] = f_load(b + k * b_stride + static_cast<std::size_t>(v) * kWidth);
        ALCOVE_UNROLL
        for (int t = 0; t < kTokens; ++t) {
            const Vf factor = f_set1(u[static_cast<std::size_t>(t) * u_stride + k]);
            ALCOVE_UNROLL
            for (int v = 0; v < kVectors; ++v)
                sum[t][v] = f_fma(factor, row[v], sum[t][v]);
        }
    }
    const Vf s = f_set1(scale);
    ALCOVE_UNROLL
    for (int t = 0; t < kTokens; ++t) {
        ALCOVE_UNROLL
        for (int v = 0; v < kVectors; ++v) {
            float* out =
                y + static_cast<std::size_t>(t) * y_stride + static_cast<std::size_t>(v) * kWidth;
            f_store(out, f_add(f_load(out), f_mul(sum[t][v], s)));
        }
    }
}

/// Fewer outputs than a vector has.
ALCOVE_INLINE void low_rank_rest(std::size_t n, std::size_t rank, const float* b,
                                 std::size_t b_stride, const float* u, float scale, float* y) {
    Vf sum = f_zero();
    for (std::size_t k = 0; k < rank; ++k)
        sum = f_fma(f_set1(u[k]), f_load_n(b + k * b_stride, n), sum);
    f_store_n(y, f_add(f_load_n(y, n), f_mul(sum, f_set1(scale))), n);
}

template <int kTokens>
ALCOVE_INLINE void low_rank_rows(std::size_t n, std::size_t rank, const float* b,
                                 std::size_t b_stride, const float* u, std::size_t u_stride,
                                 float scale, float* y, std::size_t y_stride) {
    std::size_t i = 0;
    for (; i + 2 * kWidth <= n; i += 2 * kWidth)
        low_rank_block<kTokens, 2>(rank, b + i, b_stride, u, u_stride, scale, y + i, y_stride);
    if (i + kWidth <= n) {
        low_rank_block<kTokens, 1>(rank, b + i, b_stride, u, u_stride, scale, y + i, y_stride);
        i += kWidth;
    }
    for (int t = 0; t < kTokens && i < n; ++t)
        low_rank_rest(n - i, rank, b + i, b_stride, u + static_cast<std::size_t>(t) * u_stride,
                      scale, y + static_cast<std::size_t>(t) * y_stride + i);
}

void low_rank_add(std::size_t n, std::size_t rank, const float* b, std::size_t b_stride,
                  const float* u, std::size_t u_stride, std::int32_t n_tokens, float scale,
                  float* y, std::size_t y_stride) {
    std::int32_t t = 0;
    for (; t + 4 <= n_tokens; t += 4) {
        const auto row = static_cast<std::size_t>(t);
        low_rank_rows<4>(n, rank, b, b_stride, u + row * u_stride, u_stride, scale,
                         y + row * y_stride, y_stride);
    }
    for (; t < n_tokens; ++t) {
        const auto row = static_cast<std::size_t>(t);
        low_rank_rows<1>(n, rank, b, b_stride, u + row * u_stride, u_stride, scale,
                         y + row * y_stride, y_stride);
    }
}

} // namespace
} // namespace alcove
