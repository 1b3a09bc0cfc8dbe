// Root-mean-square norm for one vector width: four partial sums per lane, added in a fixed tree.
// Included after a simd header.

#include "engine/kernels/norm/norm.h"

namespace alcove {
namespace {

ALCOVE_INLINE Vf load_part(const float* p, std::size_t n) {
    return n >= kWidth ? f_load(p) : f_load_n(p, n);
}

float sum_of_squares(std::size_t n, const float* x) {
    Vf sum[4] = {f_zero(), f_zero(), f_zero(), f_zero()};
    std::size_t i = 0;
    for (; i + 4 * kWidth <= n; i += 4 * kWidth)
        for (int k = 0; k < 4; ++k) {
            const Vf v = f_load(x + i + static_cast<std::size_t>(k) * kWidth);
            sum[k] = f_fma(v, v, sum[k]);
        }
    for (; i < n; i += kWidth) {
        const Vf v = load_part(x + i, n - i);
        sum[0] = f_fma(v, v, sum[0]);
    }
    return f_reduce_add(f_add(f_add(sum[0], sum[1]), f_add(sum[2], sum[3])));
}

void rms_norm(std::size_t n, const float* x, const float* w, float eps, float* y) {
    const float mean = sum_of_squares(n, x) / static_cast<float>(n);
    const Vf scale = f_set1(1.0F / __builtin_sqrtf(mean + eps));
    for (std::size_t i = 0; i < n; i += kWidth) {
        Vf v = f_mul(load_part(x + i, n - i), scale);
        if (w != nullptr)
            v = f_mul(v, load_part(w + i, n - i));
        if (n - i >= kWidth)
            f_store(y + i, v);
        else
            f_store_n(y + i, v, n - i);
    }
}

} // namespace
} // namespace alcove
