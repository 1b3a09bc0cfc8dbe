#include "engine/kernels/simd/avx2.h"

#include "engine/kernels/attention/attention_vector.inl"

namespace alcove {

void attention_avx2(const AttentionArgs& args) {
    attention(args);
}
std::size_t attention_scratch_bytes_avx2(std::int32_t /*group*/, std::int32_t head_dim) {
    return lane_tile_bytes(head_dim);
}
void attention_partial_avx2(const AttentionArgs& args, std::int32_t block_begin,
                            std::int32_t block_end, float* parts) {
    attention_partial(args, block_begin, block_end, parts);
}
void attention_merge_avx2(std::int32_t group, std::int32_t head_dim, std::int32_t n_blocks,
                          const float* parts, float* out) {
    attention_merge(group, head_dim, n_blocks, parts, out);
}

} // namespace alcove
