#include "engine/kernels/simd/avx512.h"

#include "engine/kernels/quantize/quantize_vector.inl"

namespace alcove {

void quantize_q8_avx512(std::size_t n, const float* x, void* out) {
    quantize_q8(n, x, out);
}

} // namespace alcove
