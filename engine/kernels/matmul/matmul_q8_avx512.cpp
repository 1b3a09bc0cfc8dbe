#include "engine/kernels/simd/avx512.h"

#include "engine/kernels/matmul/matmul_q8.inl"

namespace alcove {

void matmul_q8_avx512(const MatmulArgs& args) {
    with_tile_type(args.type, MatmulQ8{args});
}

} // namespace alcove
