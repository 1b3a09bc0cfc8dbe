#include "engine/kernels/simd/avx512.h"

#include "engine/kernels/elementwise/elementwise_vector.inl"

namespace alcove {

void add_scaled_avx512(std::size_t n, const float* x, float scale, float* y) {
    add_scaled(n, x, scale, y);
}
void silu_mul_avx512(std::size_t n, const float* gate, const float* up, float* out) {
    silu_mul(n, gate, up, out);
}
void gelu_mul_avx512(std::size_t n, const float* gate, const float* up, float* out) {
    gelu_mul(n, gate, up, out);
}

} // namespace alcove
