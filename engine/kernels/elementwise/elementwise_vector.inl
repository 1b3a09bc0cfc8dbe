// Operations value by value for one vector width. Included after a simd header.

#include "engine/kernels/elementwise/elementwise.h"

namespace alcove {
namespace {

/// out[i] = f(a[i], b[i]) for all i; the last values in a vector padded with zeros.
template <typename F>
ALCOVE_INLINE void for_each(std::size_t n, const float* a, const float* b, float* out, F f) {
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth)
        f_store(out + i, f(f_load(a + i), f_load(b + i)));
    if (i < n)
        f_store_n(out + i, f(f_load_n(a + i, n - i), f_load_n(b + i, n - i)), n - i);
}

void add_scaled(std::size_t n, const float* x, float scale, float* y) {
    const Vf s = f_set1(scale);
    // Two roundings, as the scalar kernel has.
    for_each(n, x, y, y, [s](Vf a, Vf b) ALCOVE_LAMBDA_INLINE { return f_add(b, f_mul(a, s)); });
}

void silu_mul(std::size_t n, const float* gate, const float* up, float* out) {
    for_each(n, gate, up, out, [](Vf x, Vf u) ALCOVE_LAMBDA_INLINE {
        const Vf denominator = f_add(f_set1(1.0F), f_exp(f_sub(f_zero(), x)));
        return f_mul(f_div(x, denominator), u);
    });
}

// x / (1 + exp(-2u)), u = sqrt(2 / pi) * (x + 0.044715 x³): see the scalar kernel.
void gelu_mul(std::size_t n, const float* gate, const float* up, float* out) {
    for_each(n, gate, up, out, [](Vf x, Vf u) ALCOVE_LAMBDA_INLINE {
        const Vf inner = f_fma(f_mul(f_mul(x, x), f_set1(0.044715F)), x, x);
        const Vf denominator =
            f_add(f_set1(1.0F), f_exp(f_mul(inner, f_set1(-1.5957691216057308F))));
        return f_mul(f_div(x, denominator), u);
    });
}

} // namespace
} // namespace alcove
