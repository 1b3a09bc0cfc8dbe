#pragma once

#include <cstdint>

namespace alcove {

#define KERNELS(isa, products, floats)                                                             \
    /* Rotates pair (a, b) by (c, s) = cos_sin[i] to (a c - b s, a s + b c). Contract: */          \
    /* kernel_table.h. */                                                                          \
    void rope_##floats(std::int32_t n_head, std::int32_t head_dim, std::int32_t rope_dims,         \
                       bool interleaved, const float* cos_sin, float* x);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
