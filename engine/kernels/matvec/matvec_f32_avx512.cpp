#include "engine/kernels/simd/avx512.h"

#include "engine/kernels/matvec/matvec_f32.inl"

namespace alcove {

void matvec_f32_avx512(QuantType type, std::size_t n_cols, const void* w, std::size_t w_row_bytes,
                       std::int64_t row_begin, std::int64_t row_end, const float* x, float* y) {
    matvec_f32(type, n_cols, w, w_row_bytes, row_begin, row_end, x, y);
}

} // namespace alcove
