#include "engine/kernels/simd/avx2.h"

#include "engine/kernels/kv/kv_vector.inl"

namespace alcove {

void store_kv_avx2(std::uint8_t kv_type, std::size_t n, const float* x, void* out) {
    store_kv(kv_type, n, x, out);
}

} // namespace alcove
