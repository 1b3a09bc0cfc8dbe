// Low-rank corrections for one vector width. Included after a simd header.

#include "engine/kernels/kernel_table.h"
#include "engine/kernels/low_rank/low_rank.h"

namespace alcove {
namespace {

constexpr int kPanelVectors = static_cast<int>(kLowRankPanel) / kWidth;
constexpr int kPanelTokens = 8 / kPanelVectors; // sums that hide the latency of a multiplication

ALCOVE_INLINE Vf panel_load(const float* b) {
    return f_load(b);
}
ALCOVE_INLINE Vf panel_load(const std::uint16_t* b) {
    return f_load_f16(b);
}

/// Sums of one panel for kTokens rows, over the whole rank in registers. Every output is summed in
/// the order of the rank, however rows and outputs are cut, so that neither threads nor batches
/// change a bit.
template <int kTokens, typename T>
ALCOVE_INLINE void panel_sums(std::size_t rank, const T* b, const float* u, std::size_t u_stride,
                              Vf sum[kTokens][kPanelVectors]) {
    ALCOVE_UNROLL
    for (int t = 0; t < kTokens; ++t) {
        ALCOVE_UNROLL
        for (int v = 0; v < kPanelVectors; ++v)
            sum[t][v] = f_zero();
    }
    for (std::size_t k = 0; k < rank; ++k) {
        Vf row[kPanelVectors];
        ALCOVE_UNROLL
        for (int v = 0; v < kPanelVectors; ++v)
            row[v] = panel_load(b + k * kLowRankPanel + static_cast<std::size_t>(v) * kWidth);
        ALCOVE_UNROLL
        for (int t = 0; t < kTokens; ++t) {
            const Vf factor = f_set1(u[static_cast<std::size_t>(t) * u_stride + k]);
            ALCOVE_UNROLL
            for (int v = 0; v < kPanelVectors; ++v)
                sum[t][v] = f_fma(factor, row[v], sum[t][v]);
        }
    }
}

template <int kTokens, typename T>
ALCOVE_INLINE void add_rows(std::size_t rank, const T* b, std::int64_t begin, std::int64_t end,
                            const float* u, std::size_t u_stride, float scale, float* y,
                            std::size_t y_stride) {
    constexpr auto kPanel = static_cast<std::int64_t>(kLowRankPanel);
    const Vf s = f_set1(scale);
    for (std::int64_t panel = begin / kPanel; panel * kPanel < end; ++panel) {
        Vf sum[kTokens][kPanelVectors];
        panel_sums<kTokens>(rank, b + static_cast<std::size_t>(panel * kPanel) * rank, u, u_stride,
                            sum);
        const std::int64_t first = panel * kPanel;
        const bool whole = first >= begin && first + kPanel <= end;
        ALCOVE_UNROLL
        for (int t = 0; t < kTokens; ++t) {
            float* out = y + static_cast<std::size_t>(t) * y_stride;
            if (whole) {
                ALCOVE_UNROLL
                for (int v = 0; v < kPanelVectors; ++v) {
                    float* at = out + first + v * kWidth;
                    f_store(at, f_add(f_load(at), f_mul(sum[t][v], s)));
                }
                continue;
            }
            float part[kLowRankPanel];
            ALCOVE_UNROLL
            for (int v = 0; v < kPanelVectors; ++v)
                f_store(part + v * kWidth, f_mul(sum[t][v], s));
            for (std::int64_t i = first < begin ? begin : first; i < end && i < first + kPanel; ++i)
                out[i] += part[i - first];
        }
    }
}

template <typename T>
ALCOVE_INLINE void add_all(std::size_t rank, const T* b, std::int64_t begin, std::int64_t end,
                           const float* u, std::size_t u_stride, std::int32_t n_tokens, float scale,
                           float* y, std::size_t y_stride) {
    std::int32_t t = 0;
    for (; t + kPanelTokens <= n_tokens; t += kPanelTokens) {
        const auto row = static_cast<std::size_t>(t);
        add_rows<kPanelTokens>(rank, b, begin, end, u + row * u_stride, u_stride, scale,
                               y + row * y_stride, y_stride);
    }
    for (; t < n_tokens; ++t) {
        const auto row = static_cast<std::size_t>(t);
        add_rows<1>(rank, b, begin, end, u + row * u_stride, u_stride, scale, y + row * y_stride,
                    y_stride);
    }
}

void low_rank_add(QuantType type, std::size_t rank, const void* b, std::int64_t begin,
                  std::int64_t end, const float* u, std::size_t u_stride, std::int32_t n_tokens,
                  float scale, float* y, std::size_t y_stride) {
    if (type == QuantType::F32)
        add_all(rank, static_cast<const float*>(b), begin, end, u, u_stride, n_tokens, scale, y,
                y_stride);
    else
        add_all(rank, static_cast<const std::uint16_t*>(b), begin, end, u, u_stride, n_tokens,
                scale, y, y_stride);
}

} // namespace
} // namespace alcove
