#include "engine/kernels/simd/avx2.h"

#include "engine/kernels/norm/norm_vector.inl"

namespace alcove {

void rms_norm_avx2(std::size_t n, const float* x, const float* w, float eps, float* y) {
    rms_norm(n, x, w, eps, y);
}

} // namespace alcove
