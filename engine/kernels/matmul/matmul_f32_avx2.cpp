#include "engine/kernels/simd/avx2.h"

#include "engine/kernels/matmul/matmul_f32.inl"
#include "engine/kernels/matmul/panel.inl"

namespace alcove {

void matmul_f32_avx2(const MatmulArgs& args) {
    matmul_f32(args);
}

std::size_t matmul_scratch_bytes_avx2(std::size_t n_cols) {
    const std::size_t floats = float_scratch_bytes(n_cols);
    return floats > kPanelBytes ? floats : kPanelBytes;
}

} // namespace alcove
