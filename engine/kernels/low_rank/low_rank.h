#pragma once

#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>

/// The second half of a low-rank correction, y += scale · (u · B), with B in panels: see
/// KernelTable::low_rank_add.
namespace alcove {

#define KERNELS(isa, products, floats)                                                             \
    void low_rank_add_##floats(QuantType type, std::size_t rank, const void* b,                    \
                               std::int64_t begin, std::int64_t end, const float* u,               \
                               std::size_t u_stride, std::int32_t n_tokens, float scale, float* y, \
                               std::size_t y_stride);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
