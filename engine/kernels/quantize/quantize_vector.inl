// Activations to integers for one vector width. Included after a simd header.

#include "engine/kernels/quantize/quantize.h"

namespace alcove {
namespace {

constexpr int kBlockVectors = 32 / kWidth;

void quantize_q8(std::size_t n, const float* x, void* out) {
    const ActLayout layout = act_layout(n);
    auto* base = static_cast<std::uint8_t*>(out);
    auto* low = base + layout.low;
    auto* scale = reinterpret_cast<float*>(base + layout.scale);
    auto* sum32 = reinterpret_cast<float*>(base + layout.sum32);
    auto* corr32 = reinterpret_cast<std::int32_t*>(base + layout.corr32);
    auto* sum16 = reinterpret_cast<float*>(base + layout.sum16);
    auto* corr16 = reinterpret_cast<std::int32_t*>(base + layout.corr16);
    for (std::size_t b = 0; b < n / 32; ++b, x += 32, base += 32, low += 32) {
        Vf v[kBlockVectors];
        Vf largest = f_zero();
        bool is_nan = false;
        for (int i = 0; i < kBlockVectors; ++i) {
            v[i] = f_load(x + i * kWidth);
            is_nan = is_nan || f_any_nan(v[i]);
            largest = f_max(f_abs(v[i]), largest);
        }
        const float max = f_reduce_max(largest);
        float inverse = 0, s = 0;
        if (is_nan || max > 3.4028234664e38F)
            s = __builtin_nanf("");
        else if (max >= kActSmallest) {
            s = max / kActLargestCode;
            inverse = kActLargestCode / max;
        }
        std::int32_t sums[2] = {0, 0};
        for (int i = 0; i < kBlockVectors; ++i) {
            const Vi code = inverse == 0 ? i_zero() : f_to_i(f_mul(v[i], f_set1(inverse)));
            const Vi rounded = i_add(code, i_set1(64));
            i_store_8(base + i * kWidth, i_sar32<7>(rounded));
            i_store_8(low + i * kWidth, i_add(i_and(rounded, i_set1(127)), i_set1(-64)));
            sums[i * kWidth / 16] += i_reduce_add(code);
        }
        scale[b] = s;
        sum32[b] = static_cast<float>(sums[0] + sums[1]);
        corr32[b] = -128 * (sums[0] + sums[1]);
        for (std::size_t half = 0; half < 2; ++half) {
            sum16[2 * b + half] = static_cast<float>(sums[half]);
            corr16[2 * b + half] = -128 * sums[half];
        }
    }
}

} // namespace
} // namespace alcove
