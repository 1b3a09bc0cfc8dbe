#include "engine/kernels/elementwise/elementwise.h"

#include <cmath>

namespace alcove {

void add_scaled_scalar(std::size_t n, const float* x, float scale, float* y) {
    for (std::size_t i = 0; i < n; ++i)
        y[i] += x[i] * scale;
}

void silu_mul_scalar(std::size_t n, const float* gate, const float* up, float* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = gate[i] / (1.0F + std::exp(-gate[i])) * up[i];
}

// gelu(x) = x / 2 * (1 + tanh(u)), u = sqrt(2 / pi) * (x + 0.044715 x³); Hendrycks and Gimpel 2016.
// (1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)), which keeps its precision where tanh nears -1.
void gelu_mul_scalar(std::size_t n, const float* gate, const float* up, float* out) {
    for (std::size_t i = 0; i < n; ++i) {
        const double x = gate[i];
        const double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
        out[i] = static_cast<float>(x / (1.0 + std::exp(-2.0 * u))) * up[i];
    }
}

} // namespace alcove
