#pragma once

#include <cstddef>
#include <cstdint>

/// The second half of a low-rank correction, y += scale · (u · B): B lies transposed, [rank, n], so
/// that a piece of the outputs streams through it. See KernelTable::low_rank_add.
namespace alcove {

#define KERNELS(isa, products, floats)                                                             \
    void low_rank_add_##floats(                                                                    \
        std::size_t n, std::size_t rank, const float* b, std::size_t b_stride, const float* u,     \
        std::size_t u_stride, std::int32_t n_tokens, float scale, float* y, std::size_t y_stride);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
