#pragma once

#include <cstddef>

namespace alcove {

#define KERNELS(isa, products, floats)                                                             \
    /* y = x / sqrt(mean(x²) + eps) * w; w may be null (ones); x and y may be the same. */        \
    /* The sum is within 2^-20 relative of the exact one. */                                       \
    void rms_norm_##floats(std::size_t n, const float* x, const float* w, float eps, float* y);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
