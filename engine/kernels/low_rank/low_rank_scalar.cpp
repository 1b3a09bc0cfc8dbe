#include "engine/kernels/low_rank/low_rank.h"

namespace alcove {

void low_rank_add_scalar(std::size_t n, std::size_t rank, const float* b, std::size_t b_stride,
                         const float* u, std::size_t u_stride, std::int32_t n_tokens, float scale,
                         float* y, std::size_t y_stride) {
    for (std::int32_t t = 0; t < n_tokens; ++t) {
        const auto row = static_cast<std::size_t>(t);
        for (std::size_t i = 0; i < n; ++i) {
            float sum = 0.0F;
            for (std::size_t k = 0; k < rank; ++k)
                sum += u[row * u_stride + k] * b[k * b_stride + i];
            y[row * y_stride + i] += sum * scale;
        }
    }
}

} // namespace alcove
