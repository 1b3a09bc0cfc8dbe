// Attention for one vector width. Included after a simd header, followed by attention_prefill.inl
// and attention_decode.inl: this part is what both share.

#include "engine/kernels/attention/attention.h"
#include "engine/kernels/kv/kv.h"

namespace alcove {
namespace {

/// Below every score: what a masked position counts as before its weight becomes zero.
constexpr float kMaskedScore = -1e30F;

/// `n` <= kWidth values of a cache row from value d on; zeros after them.
template <std::uint8_t kv>
ALCOVE_INLINE Vf load_kv(const std::uint8_t* row, std::size_t d, std::size_t n) {
    if constexpr (kv == kKvF32) {
        const auto* p = reinterpret_cast<const float*>(row) + d;
        return n == kWidth ? f_load(p) : f_load_n(p, n);
    } else if constexpr (kv == kKvF16) {
        if (n == kWidth)
            return f_load_f16(row + 2 * d);
        alignas(64) std::uint16_t halves[kWidth] = {};
        __builtin_memcpy(halves, row + 2 * d, 2 * n);
        return f_load_f16(halves);
    } else { // blocks of 32: vectors never cross one, and rows have whole blocks
        const std::uint8_t* block = row + d / 32 * 34;
        return f_mul(f_load_i8(block + 2 + d % 32), f_set1_f16(block));
    }
}

/// cap * tanh(score / cap), tanh(y) = 1 - 2 / (exp(2y) + 1).
ALCOVE_INLINE Vf soft_cap(Vf score, float cap) {
    const Vf e = f_exp(f_mul(score, f_set1(2.0F / cap)));
    const Vf tanh = f_sub(f_set1(1.0F), f_div(f_set1(2.0F), f_add(e, f_set1(1.0F))));
    return f_mul(tanh, f_set1(cap));
}

ALCOVE_INLINE std::int32_t min_int(std::int32_t a, std::int32_t b) {
    return a < b ? a : b;
}
ALCOVE_INLINE std::int32_t max_int(std::int32_t a, std::int32_t b) {
    return a < b ? b : a;
}
ALCOVE_INLINE std::int32_t first_visible_position(std::int32_t pos, std::int32_t window) {
    return window > 0 ? max_int(0, pos - window + 1) : 0;
}
ALCOVE_INLINE const std::uint8_t* kv_row(const void* base, std::size_t stride, std::int32_t pos) {
    return static_cast<const std::uint8_t*>(base) + static_cast<std::size_t>(pos) * stride;
}
ALCOVE_INLINE std::size_t padded_dim(std::int32_t head_dim) {
    return (static_cast<std::size_t>(head_dim) + kWidth - 1) / kWidth * kWidth;
}

} // namespace
} // namespace alcove

#include "engine/kernels/attention/attention_decode.inl"
#include "engine/kernels/attention/attention_prefill.inl"
