#include "engine/adapter/rank_one.h"

#include <cmath>

namespace alcove::adapter {

float rank_one_dot(std::size_t n, const float* a, const float* x) noexcept {
    if (n == 0)
        return 0.0F;
    double sum = static_cast<double>(a[0] * x[0]);
    for (std::size_t i = 1; i < n; ++i)
        sum += static_cast<double>(a[i] * x[i]);
    return static_cast<float>(sum);
}

bool rank_one_add(std::size_t n, const float* b, float r, float factor, float* y) noexcept {
    if (!std::isfinite(r))
        return false;
    const auto correction = [&](std::size_t j) {
        const float product = b[j] * r;
        return product * factor;
    };
    bool finite = true;
    for (std::size_t j = 0; j < n; ++j)
        finite = finite && std::isfinite(correction(j)) && std::isfinite(y[j] + correction(j));
    if (!finite)
        return false;
    for (std::size_t j = 0; j < n; ++j)
        y[j] += correction(j);
    return true;
}

} // namespace alcove::adapter
