#include "engine/kernels/simd/avx2.h"

#include "engine/kernels/matvec/matvec_q8.inl"

namespace alcove {

void matvec_q8_avxvnni(QuantType type, std::size_t n_cols, const void* w, std::size_t w_row_bytes,
                       std::int64_t row_begin, std::int64_t row_end, const void* x, float* y) {
    with_tile_type(type, MatvecQ8{n_cols, static_cast<const std::uint8_t*>(w), w_row_bytes,
                                  row_begin, row_end, static_cast<const std::uint8_t*>(x), y});
}

} // namespace alcove
