#include "engine/kernels/quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alcove {
namespace {

/// Scale of a block of 32 and its inverse; 0 where the block becomes zero.
struct BlockScale {
    float scale, inverse;
};
BlockScale block_scale(const float* x) {
    float largest = 0;
    bool is_number = true;
    for (int i = 0; i < 32; ++i) {
        largest = std::max(largest, std::fabs(x[i]));
        is_number = is_number && !std::isnan(x[i]);
    }
    if (!is_number || std::isinf(largest))
        return {std::numeric_limits<float>::quiet_NaN(), 0};
    if (largest < kActSmallest)
        return {0, 0};
    return {largest / kActLargestCode, kActLargestCode / largest};
}

} // namespace

void quantize_q8_scalar(std::size_t n, const float* x, void* out) {
    const ActLayout layout = act_layout(n);
    auto* base = static_cast<std::uint8_t*>(out);
    auto* high = reinterpret_cast<std::int8_t*>(base);
    auto* low = reinterpret_cast<std::int8_t*>(base + layout.low);
    auto* scale = reinterpret_cast<float*>(base + layout.scale);
    auto* sum32 = reinterpret_cast<float*>(base + layout.sum32);
    auto* corr32 = reinterpret_cast<std::int32_t*>(base + layout.corr32);
    auto* sum16 = reinterpret_cast<float*>(base + layout.sum16);
    auto* corr16 = reinterpret_cast<std::int32_t*>(base + layout.corr16);
    for (std::size_t b = 0; b < n / 32; ++b) {
        const BlockScale block = block_scale(x + 32 * b);
        int sums[2] = {0, 0};
        for (std::size_t i = 0; i < 32; ++i) {
            int code = 0;
            if (block.inverse != 0)
                code = static_cast<int>(std::lrintf(x[32 * b + i] * block.inverse));
            const int upper = (code + 64) >> 7;
            high[32 * b + i] = static_cast<std::int8_t>(upper);
            low[32 * b + i] = static_cast<std::int8_t>(code - 128 * upper);
            sums[i / 16] += code;
        }
        scale[b] = block.scale;
        sum32[b] = static_cast<float>(sums[0] + sums[1]);
        corr32[b] = -128 * (sums[0] + sums[1]);
        for (std::size_t half = 0; half < 2; ++half) {
            sum16[2 * b + half] = static_cast<float>(sums[half]);
            corr16[2 * b + half] = -128 * sums[half];
        }
    }
}

} // namespace alcove
