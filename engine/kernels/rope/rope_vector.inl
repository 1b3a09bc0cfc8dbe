// Rotary embedding for one vector width. Products and sums round as in the scalar kernel: no fused
// ones. Included after a simd header.

#include "engine/kernels/rope/rope.h"

namespace alcove {
namespace {

/// cos and sin of the kWidth / 2 pairs at cos_sin, each doubled to the two places of its pair.
ALCOVE_INLINE void rotate_pairs(const float* cos_sin, float* x) {
    const Vf v = f_load(x), angles = f_load(cos_sin);
    const Vf product = f_mul(f_swap_pairs(v), f_odd(angles));
    // a c - b s, b c + a s
    f_store(x, f_fmaddsub(f_mul(v, f_even(angles)), f_set1(1.0F), product));
}

/// Pairs (i, i + half): the cosines and sines are split into two vectors first.
ALCOVE_INLINE void rotate_halves(const float* cos_sin, float* a, float* b) {
    Vf c, s;
    f_split_pairs(f_load(cos_sin), f_load(cos_sin + kWidth), c, s);
    const Vf va = f_load(a), vb = f_load(b);
    f_store(a, f_sub(f_mul(va, c), f_mul(vb, s)));
    f_store(b, f_add(f_mul(va, s), f_mul(vb, c)));
}

void rope(std::int32_t n_head, std::int32_t head_dim, std::int32_t rope_dims, bool interleaved,
          const float* cos_sin, float* x) {
    const std::int32_t half = rope_dims / 2;
    for (std::int32_t head = 0; head < n_head; ++head, x += head_dim) {
        std::int32_t i = 0;
        if (interleaved)
            for (; i + kWidth / 2 <= half; i += kWidth / 2)
                rotate_pairs(cos_sin + std::ptrdiff_t{2} * i, x + std::ptrdiff_t{2} * i);
        else
            for (; i + kWidth <= half; i += kWidth)
                rotate_halves(cos_sin + std::ptrdiff_t{2} * i, x + i, x + i + half);
        for (; i < half; ++i) {
            float& a = interleaved ? x[2 * i] : x[i];
            float& b = interleaved ? x[2 * i + 1] : x[i + half];
            const float c = cos_sin[2 * i], s = cos_sin[2 * i + 1];
            const float rotated = a * c - b * s;
            b = a * s + b * c;
            a = rotated;
        }
    }
}

} // namespace
} // namespace alcove
