#pragma once

#include <cstddef>

/// Operations value by value; a value's result depends on it alone, not on its place. The
/// vectorised exponential is within 2e-7 relative; silu and gelu within 1e-6 relative of the exact
/// value (below 1e-36 in magnitude they may be zero). out may be any of the inputs.
namespace alcove {

#define KERNELS(isa, products, floats)                                                             \
    void add_scaled_##floats(std::size_t n, const float* x, float scale, float* y);                \
    void silu_mul_##floats(std::size_t n, const float* gate, const float* up, float* out);         \
    void gelu_mul_##floats(std::size_t n, const float* gate, const float* up, float* out);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
