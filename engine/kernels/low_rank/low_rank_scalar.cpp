#include "engine/kernels/kernel_table.h"
#include "engine/kernels/low_rank/low_rank.h"
#include "engine/quant/half.h"

#include <cstring>

namespace alcove {

void low_rank_add_scalar(QuantType type, std::size_t rank, const void* b, std::int64_t begin,
                         std::int64_t end, const float* u, std::size_t u_stride,
                         std::int32_t n_tokens, float scale, float* y, std::size_t y_stride) {
    const auto value = [&](std::size_t i, std::size_t k) {
        const std::size_t at = (i / kLowRankPanel * rank + k) * kLowRankPanel + i % kLowRankPanel;
        if (type == QuantType::F32)
            return static_cast<const float*>(b)[at];
        std::uint16_t half = 0;
        std::memcpy(&half, static_cast<const std::byte*>(b) + 2 * at, 2);
        return f16_to_f32(half);
    };
    for (std::int32_t t = 0; t < n_tokens; ++t) {
        const auto row = static_cast<std::size_t>(t);
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            float sum = 0.0F;
            for (std::size_t k = 0; k < rank; ++k)
                sum += u[row * u_stride + k] * value(i, k);
            y[row * y_stride + i] += sum * scale;
        }
    }
}

} // namespace alcove
