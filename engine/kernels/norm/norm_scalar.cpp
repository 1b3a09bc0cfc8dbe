#include "engine/kernels/norm/norm.h"

#include <cmath>

namespace alcove {

void rms_norm_scalar(std::size_t n, const float* x, const float* w, float eps, float* y) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += double{x[i]} * double{x[i]};
    const auto mean = static_cast<float>(sum / static_cast<double>(n));
    const float scale = 1.0F / std::sqrt(mean + eps);
    for (std::size_t i = 0; i < n; ++i)
        y[i] = x[i] * scale * (w == nullptr ? 1.0F : w[i]);
}

} // namespace alcove
