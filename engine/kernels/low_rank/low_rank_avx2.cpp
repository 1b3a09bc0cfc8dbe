#include "engine/kernels/simd/avx2.h"

#include "engine/kernels/low_rank/low_rank_vector.inl"

namespace alcove {

void low_rank_add_avx2(QuantType type, std::size_t rank, const void* b, std::int64_t begin,
                       std::int64_t end, const float* u, std::size_t u_stride,
                       std::int32_t n_tokens, float scale, float* y, std::size_t y_stride) {
    low_rank_add(type, rank, b, begin, end, u, u_stride, n_tokens, scale, y, y_stride);
}

} // namespace alcove
