#include "engine/kernels/simd/avx512.h"

#include "engine/kernels/low_rank/low_rank_vector.inl"

namespace alcove {

void low_rank_add_avx512(std::size_t n, std::size_t rank, const float* b, std::size_t b_stride,
                         const float* u, std::size_t u_stride, std::int32_t n_tokens, float scale,
                         float* y, std::size_t y_stride) {
    low_rank_add(n, rank, b, b_stride, u, u_stride, n_tokens, scale, y, y_stride);
}

} // namespace alcove
