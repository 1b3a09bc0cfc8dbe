#pragma once

#include "engine/kernels/kernel_table.h"

#include <cstddef>
#include <cstdint>

/// Softmax attention over cached positions, contracts in kernel_table.h. A part of decode attention
/// is [group][head_dim + 2]: the values weighted with exp(score - m) but not divided, then m
/// (largest score of the block) and l (sum of the weights).
namespace alcove {

#define KERNELS(isa, products, floats)                                                             \
    void attention_##floats(const AttentionArgs& args);                                            \
    std::size_t attention_scratch_bytes_##floats(std::int32_t group, std::int32_t head_dim);       \
    void attention_partial_##floats(const AttentionArgs& args, std::int32_t block_begin,           \
                                    std::int32_t block_end, float* parts);                         \
    void attention_merge_##floats(std::int32_t group, std::int32_t head_dim,                       \
                                  std::int32_t n_blocks, const float* parts, float* out);
#include "engine/kernels/kernels.inc"
#undef KERNELS

} // namespace alcove
