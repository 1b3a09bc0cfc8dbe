// Cache rows for one vector width: binary16 in vectors, the other kinds by the scalar kernel.
// Included after a simd header.

#include "engine/kernels/kv/kv.h"

namespace alcove {
namespace {

void store_kv(std::uint8_t kv_type, std::size_t n, const float* x, void* out) {
    if (kv_type != kKvF16) {
        store_kv_scalar(kv_type, n, x, out);
        return;
    }
    auto* halves = static_cast<std::uint8_t*>(out);
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth)
        f_store_f16(halves + 2 * i, f_load(x + i));
    store_kv_scalar(kv_type, n - i, x + i, halves + 2 * i);
}

} // namespace
} // namespace alcove
