#include "engine/kernels/simd/avx2.h"

#include "engine/kernels/rope/rope_vector.inl"

namespace alcove {

void rope_avx2(std::int32_t n_head, std::int32_t head_dim, std::int32_t rope_dims, bool interleaved,
               const float* cos_sin, float* x) {
    rope(n_head, head_dim, rope_dims, interleaved, cos_sin, x);
}

} // namespace alcove
