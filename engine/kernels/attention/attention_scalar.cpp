#include "engine/kernels/attention/attention.h"

#include "engine/kernels/kv/kv.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alcove {
namespace {

/// Running softmax of one head over positions seen so far: values[head_dim] holds
/// sum exp(score - m) * v.
struct Softmax {
    double m = -std::numeric_limits<double>::infinity(), l = 0;
};

double score_of(const AttentionArgs& args, const float* q, const float* k) {
    double dot = 0;
    for (std::int32_t d = 0; d < args.head_dim; ++d)
        dot += double{q[d]} * double{k[d]};
    double score = dot * double{args.scale};
    if (args.softcap > 0)
        score = double{args.softcap} * std::tanh(score / double{args.softcap});
    return score;
}

/// Adds positions [begin, end) to the state. `scratch`: head_dim floats.
void attend(const AttentionArgs& args, const float* q, std::int32_t begin, std::int32_t end,
            Softmax& state, double* values, float* scratch) {
    for (std::int32_t p = begin; p < end; ++p) {
        const std::size_t offset = static_cast<std::size_t>(p) * args.kv_stride;
        const auto n = static_cast<std::size_t>(args.head_dim);
        load_kv_scalar(args.kv_type, n, static_cast<const std::uint8_t*>(args.k) + offset, scratch);
        const double score = score_of(args, q, scratch);
        const double m = std::max(state.m, score);
        const double keep = state.l > 0 ? std::exp(state.m - m) : 0.0;
        const double weight = std::exp(score - m);
        load_kv_scalar(args.kv_type, n, static_cast<const std::uint8_t*>(args.v) + offset, scratch);
        for (std::int32_t d = 0; d < args.head_dim; ++d)
            values[d] = values[d] * keep + weight * double{scratch[d]};
        state.l = state.l * keep + weight;
        state.m = m;
    }
}

std::int32_t first_visible(std::int32_t pos, std::int32_t window) {
    return window > 0 ? std::max(0, pos - window + 1) : 0;
}

} // namespace

AttentionBlocks attention_blocks(std::int32_t pos, std::int32_t window) noexcept {
    return {first_visible(pos, window) / kAttentionBlock, pos / kAttentionBlock + 1};
}

std::size_t attention_part_floats(std::int32_t group, std::int32_t head_dim) noexcept {
    return static_cast<std::size_t>(group) * static_cast<std::size_t>(head_dim + 2);
}

std::size_t attention_scratch_bytes_scalar(std::int32_t /*group*/, std::int32_t head_dim) {
    return static_cast<std::size_t>(head_dim) * (sizeof(double) + sizeof(float));
}

void attention_scalar(const AttentionArgs& args) {
    auto* values = static_cast<double*>(args.scratch);
    auto* row_scratch = reinterpret_cast<float*>(values + args.head_dim);
    for (std::int32_t i = 0; i < args.n_q; ++i) {
        const std::int32_t pos = args.first_pos + i;
        for (std::int32_t h = 0; h < args.group; ++h) {
            const std::ptrdiff_t head = static_cast<std::ptrdiff_t>(h) * args.head_dim;
            const float* q = args.q + static_cast<std::size_t>(i) * args.q_stride + head;
            float* out = args.out + static_cast<std::size_t>(i) * args.out_stride + head;
            std::fill_n(values, args.head_dim, 0.0);
            Softmax state;
            attend(args, q, first_visible(pos, args.window), pos + 1, state, values, row_scratch);
            for (std::int32_t d = 0; d < args.head_dim; ++d)
                out[d] = static_cast<float>(values[d] / state.l);
        }
    }
}

void attention_partial_scalar(const AttentionArgs& args, std::int32_t block_begin,
                              std::int32_t block_end, float* parts) {
    auto* values = static_cast<double*>(args.scratch);
    auto* row_scratch = reinterpret_cast<float*>(values + args.head_dim);
    for (std::int32_t block = block_begin; block < block_end; ++block) {
        const std::int32_t begin =
            std::max(block * kAttentionBlock, first_visible(args.first_pos, args.window));
        const std::int32_t end = std::min((block + 1) * kAttentionBlock, args.first_pos + 1);
        for (std::int32_t h = 0; h < args.group; ++h, parts += args.head_dim + 2) {
            std::fill_n(values, args.head_dim, 0.0);
            Softmax state;
            attend(args, args.q + static_cast<std::ptrdiff_t>(h) * args.head_dim, begin, end, state,
                   values, row_scratch);
            for (std::int32_t d = 0; d < args.head_dim; ++d)
                parts[d] = static_cast<float>(values[d]);
            parts[args.head_dim] = static_cast<float>(state.m);
            parts[args.head_dim + 1] = static_cast<float>(state.l);
        }
    }
}

void attention_merge_scalar(std::int32_t group, std::int32_t head_dim, std::int32_t n_blocks,
                            const float* parts, float* out) {
    const std::size_t stride = attention_part_floats(group, head_dim);
    for (std::int32_t h = 0; h < group; ++h, out += head_dim) {
        const float* head = parts + static_cast<std::ptrdiff_t>(h) * (head_dim + 2);
        float m = head[head_dim];
        for (std::int32_t b = 1; b < n_blocks; ++b)
            m = std::max(m, head[static_cast<std::size_t>(b) * stride + head_dim]);
        std::fill_n(out, head_dim, 0.0F);
        float l = 0;
        for (std::int32_t b = 0; b < n_blocks; ++b) {
            const float* part = head + static_cast<std::size_t>(b) * stride;
            const float weight = std::exp(part[head_dim] - m);
            l += part[head_dim + 1] * weight;
            for (std::int32_t d = 0; d < head_dim; ++d)
                out[d] += part[d] * weight;
        }
        for (std::int32_t d = 0; d < head_dim; ++d)
            out[d] /= l;
    }
}

} // namespace alcove
