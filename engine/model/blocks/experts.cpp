#include "engine/model/blocks/experts.h"

#include "engine/model/blocks/residual.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

namespace alcove::model {

namespace {

/// Tokens of one expert that a product takes at a time, and matrix rows of one piece of work.
constexpr std::int32_t kBlock = Workspace::kExpertBlock;
constexpr std::int32_t kTile = Workspace::kExpertTile;

std::size_t at(std::int32_t row, std::int32_t width) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
}

void to_probabilities(Gating gating, std::span<float> scores) {
    if (gating == Gating::Sigmoid) {
        for (float& score : scores)
            score = 1.0F / (1.0F + std::exp(-score));
        return;
    }
    const float greatest = *std::max_element(scores.begin(), scores.end());
    float sum = 0;
    for (float& score : scores) {
        score = std::exp(score - greatest);
        sum += score;
    }
    for (float& score : scores)
        score /= sum;
}

/// The indexes of the chosen experts, ascending, and their weights, by own.expert_scores.
void choose(const ExpertParams& experts, const Vector& bias, const Workspace::ThreadBuffers& own,
            std::int32_t* chosen, float* weights) {
    const std::span scores(own.expert_scores, static_cast<std::size_t>(experts.n));
    to_probabilities(experts.gating, scores);
    const auto rank = [&](std::int32_t e) {
        return scores[static_cast<std::size_t>(e)] + (bias ? bias.data[e] : 0.0F);
    };
    // Not-a-number comes first: what is broken shows in the answer.
    const auto before = [&](std::int32_t a, std::int32_t b) {
        const float rank_a = rank(a);
        const float rank_b = rank(b);
        if (std::isnan(rank_a) != std::isnan(rank_b))
            return std::isnan(rank_a);
        return rank_a > rank_b || (!(rank_a < rank_b) && a < b);
    };
    std::int32_t* const order = own.expert_order;
    std::iota(order, order + experts.n, 0);
    std::partial_sort(order, order + experts.n_used, order + experts.n, before);
    std::copy_n(order, experts.n_used, chosen);
    std::sort(chosen, chosen + experts.n_used);
    float sum = 0;
    for (std::int32_t i = 0; i < experts.n_used; ++i)
        sum += scores[static_cast<std::size_t>(chosen[i])];
    constexpr float kLeastSum = 1.0F / 16384; // half precision's smallest normal number
    const float scale = experts.scale / (sum < kLeastSum ? kLeastSum : sum);
    for (std::int32_t i = 0; i < experts.n_used; ++i)
        weights[i] = scores[static_cast<std::size_t>(chosen[i])] * scale;
}

/// The experts of one layer as one thread of the pass sees them. Layers run on all rows of a batch,
/// from row 0 on.
class LayerExperts {
public:
    LayerExperts(Pass& pass, std::int32_t il, Activation activation)
        : pass_(pass), hp_(pass.hp()), kernels_(pass.kernels()), buffers_(pass.workspace().experts),
          own_(pass.workspace().threads[static_cast<std::size_t>(pass.thread())]),
          weights_(pass.layer_weights(il)), n_ff_(hp_.experts.n_ff), n_used_(hp_.experts.n_used),
          combine_(activation == Activation::Silu ? kernels_.silu_mul : kernels_.gelu_mul) {}

    /// One token.
    void decode() {
        if (wants_quantised(weights_.ffn_gate_experts) || wants_quantised(weights_.ffn_up_experts))
            quantise(hp_.n_embd, pass_.x(0), pass_.act(0));
        // The rows of all chosen experts are one sequence.
        pass_.share_out(std::int64_t{n_used_} * n_ff_,
                        weights_.ffn_gate_experts.first.row_bytes +
                            weights_.ffn_up_experts.first.row_bytes,
                        hp_.n_embd, [&](std::int64_t begin, std::int64_t end) {
                            while (begin < end) {
                                const auto slot = static_cast<std::int32_t>(begin / n_ff_);
                                const std::int64_t stop =
                                    std::min<std::int64_t>(end, std::int64_t{slot + 1} * n_ff_);
                                decode_inner(slot, begin % n_ff_, begin % n_ff_ + stop - begin);
                                begin = stop;
                            }
                        });
        pass_.barrier();
        const bool quantised = wants_quantised(weights_.ffn_down_experts);
        for (std::int32_t slot = 0; quantised && slot < n_used_; ++slot)
            quantise(n_ff_, buffers_.gate + at(slot, n_ff_),
                     own_.expert_act + static_cast<std::size_t>(slot) * buffers_.act_stride);
        pass_.share_out(hp_.n_embd,
                        weights_.ffn_down_experts.first.row_bytes *
                            static_cast<std::size_t>(n_used_),
                        n_ff_, [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t a = begin; a < end; a += kTile)
                                decode_outer(quantised, a, std::min<std::int64_t>(end, a + kTile));
                        });
        pass_.barrier();
    }

    /// Several tokens.
    void prefill() {
        group_by_expert();
        if (wants_quantised(weights_.ffn_gate_experts) ||
            wants_quantised(weights_.ffn_up_experts)) {
            pass_.for_rows(
                [&](std::int32_t row) { quantise(hp_.n_embd, pass_.x(row), pass_.act(row)); });
        }
        pass_.barrier();
        const std::int32_t n_tiles = (n_ff_ + kTile - 1) / kTile;
        pass_.for_pieces(std::int64_t{hp_.experts.n} * n_tiles, [&](std::int64_t i) {
            const auto begin = static_cast<std::int32_t>(i % n_tiles) * kTile;
            prefill_inner(static_cast<std::int32_t>(i / n_tiles), begin,
                          std::min(n_ff_, begin + kTile));
        });
        pass_.barrier();
        if (wants_quantised(weights_.ffn_down_experts)) {
            const auto [begin, end] = pass_.part_of(pass_.n_rows() * n_used_);
            for (std::int32_t slot = begin; slot < end; ++slot)
                quantise(n_ff_, buffers_.gate + at(slot, n_ff_), slot_act(slot));
            pass_.barrier();
        }
        pass_.for_pieces((hp_.n_embd + kTile - 1) / kTile, [&](std::int64_t i) {
            const auto begin = static_cast<std::int32_t>(i) * kTile;
            prefill_outer(begin, std::min(hp_.n_embd, begin + kTile));
        });
        pass_.barrier();
    }

private:
    bool float_activations() const { return pass_.workspace().shape().float_activations; }
    bool wants_quantised(const Experts& experts) const {
        return act_type(experts.first.type, float_activations()) == ActType::Q15_32;
    }
    void quantise(std::int32_t n, const float* x, std::byte* act) const {
        kernels_.quantize_row(ActType::Q15_32, static_cast<std::size_t>(n), x, act);
    }
    std::byte* slot_act(std::int32_t slot) const {
        return buffers_.act + static_cast<std::size_t>(slot) * buffers_.act_stride;
    }
    float* branch(std::int32_t row) const {
        return pass_.workspace().buffers.branch + at(row, hp_.n_embd);
    }

    void row_product(const Experts& experts, std::int32_t expert, std::int64_t begin,
                     std::int64_t end, const void* x, float* y) const {
        const Matrix& w = experts.first;
        kernels_.matvec(w.type, act_type(w.type, float_activations()),
                        static_cast<std::size_t>(w.n_cols), experts.row(expert, 0), w.row_bytes,
                        begin, end, x, y);
    }

    void decode_inner(std::int32_t slot, std::int64_t begin, std::int64_t end) const {
        const std::int32_t expert = own_.expert_chosen[slot];
        const std::size_t first = at(slot, n_ff_) + static_cast<std::size_t>(begin);
        float* gate = buffers_.gate + first;
        float* up = buffers_.up + first;
        const auto product = [&](const Experts& experts, float* y) {
            const void* x =
                wants_quantised(experts) ? static_cast<const void*>(pass_.act(0)) : pass_.x(0);
            row_product(experts, expert, begin, end, x, y);
        };
        product(weights_.ffn_gate_experts, gate);
        product(weights_.ffn_up_experts, up);
        combine_(static_cast<std::size_t>(end - begin), gate, up, gate);
    }

    void decode_outer(bool quantised, std::int64_t begin, std::int64_t end) const {
        const auto n = static_cast<std::size_t>(end - begin);
        float* sum = branch(0) + begin;
        std::memset(sum, 0, n * sizeof(float));
        for (std::int32_t slot = 0; slot < n_used_; ++slot) {
            const std::byte* act =
                own_.expert_act + static_cast<std::size_t>(slot) * buffers_.act_stride;
            const void* x =
                quantised ? static_cast<const void*>(act) : buffers_.gate + at(slot, n_ff_);
            row_product(weights_.ffn_down_experts, own_.expert_chosen[slot], begin, end, x,
                        own_.expert_out);
            kernels_.add_scaled(n, own_.expert_out, own_.expert_weights[slot], sum);
        }
    }

    /// Slots: the (token, expert) pairs, by expert, then by token. A barrier before.
    void group_by_expert() const {
        pass_.barrier();
        if (pass_.thread() != 0)
            return;
        const std::int32_t n = pass_.n_rows() * n_used_;
        std::int32_t* begin = buffers_.slot_begin;
        std::fill(begin, begin + hp_.experts.n + 1, 0);
        if (pass_.stopped()) // some rows may have chosen nothing: then there is nothing to do
            return;
        for (std::int32_t i = 0; i < n; ++i)
            ++begin[buffers_.chosen[i] + 1];
        for (std::int32_t e = 0; e < hp_.experts.n; ++e)
            begin[e + 1] += begin[e];
        for (std::int32_t i = 0; i < n; ++i) {
            const std::int32_t slot = begin[buffers_.chosen[i]]++;
            buffers_.slot_row[slot] = i / n_used_;
            buffers_.slot_weight[slot] = buffers_.weights[i];
        }
        for (std::int32_t e = hp_.experts.n; e > 0; --e)
            begin[e] = begin[e - 1];
        begin[0] = 0;
    }

    /// y = W x for rows [begin, end) of one expert's matrix, `n` inputs x_bytes apart.
    void block_product(const Experts& experts, std::int32_t expert, std::int32_t begin,
                       std::int32_t end, const void* x, std::size_t x_bytes, std::int32_t n,
                       float* y, std::size_t y_stride) const {
        const Matrix& w = experts.first;
        kernels_.matmul(w.type, act_type(w.type, float_activations()),
                        static_cast<std::size_t>(w.n_cols), experts.row(expert, begin), w.row_bytes,
                        0, end - begin, x, x_bytes, n, y, y_stride, own_.matmul_scratch);
    }

    /// Gate and up, rows [begin, end), for all tokens of `expert`.
    void prefill_inner(std::int32_t expert, std::int32_t begin, std::int32_t end) const {
        const auto width = static_cast<std::size_t>(n_ff_);
        const bool gate_quantised = wants_quantised(weights_.ffn_gate_experts);
        const bool up_quantised = wants_quantised(weights_.ffn_up_experts);
        for (std::int32_t slot = buffers_.slot_begin[expert];
             slot < buffers_.slot_begin[expert + 1]; slot += kBlock) {
            const std::int32_t n = std::min(kBlock, buffers_.slot_begin[expert + 1] - slot);
            float* gate = buffers_.gate + at(slot, n_ff_) + begin;
            float* up = buffers_.up + at(slot, n_ff_) + begin;
            gather(gate_quantised, slot, n);
            block_product(weights_.ffn_gate_experts, expert, begin, end, own_.expert_in,
                          input_bytes(gate_quantised), n, gate, width);
            if (up_quantised != gate_quantised)
                gather(up_quantised, slot, n);
            block_product(weights_.ffn_up_experts, expert, begin, end, own_.expert_in,
                          input_bytes(up_quantised), n, up, width);
            for (std::int32_t i = 0; i < n; ++i) {
                const std::size_t row = static_cast<std::size_t>(i) * width;
                combine_(static_cast<std::size_t>(end - begin), gate + row, up + row, gate + row);
            }
        }
    }

    /// Of one row of x().
    std::size_t input_bytes(bool quantised) const {
        const auto n = static_cast<std::size_t>(hp_.n_embd);
        return quantised ? act_row_bytes(ActType::Q15_32, n) : n * sizeof(float);
    }

    /// The inputs of a block of slots lie apart: they are brought together in expert_in.
    void gather(bool quantised, std::int32_t slot, std::int32_t n) const {
        const std::size_t n_bytes = input_bytes(quantised);
        for (std::int32_t i = 0; i < n; ++i) {
            const std::int32_t row = buffers_.slot_row[slot + i];
            const void* source =
                quantised ? static_cast<const void*>(pass_.act(row)) : pass_.x(row);
            std::memcpy(own_.expert_in + static_cast<std::size_t>(i) * n_bytes, source, n_bytes);
        }
    }

    /// Values [begin, end) of every token's branch, expert by expert.
    void prefill_outer(std::int32_t begin, std::int32_t end) const {
        const Experts& experts = weights_.ffn_down_experts;
        const bool quantised = wants_quantised(experts);
        const auto n_values = static_cast<std::size_t>(end - begin);
        for (std::int32_t row = 0; row < pass_.n_rows(); ++row)
            std::memset(branch(row) + begin, 0, n_values * sizeof(float));
        for (std::int32_t expert = 0; expert < hp_.experts.n; ++expert) {
            for (std::int32_t slot = buffers_.slot_begin[expert];
                 slot < buffers_.slot_begin[expert + 1]; slot += kBlock) {
                const std::int32_t n = std::min(kBlock, buffers_.slot_begin[expert + 1] - slot);
                const void* x = quantised ? static_cast<const void*>(slot_act(slot))
                                          : buffers_.gate + at(slot, n_ff_);
                const std::size_t x_bytes = quantised
                                                ? buffers_.act_stride
                                                : static_cast<std::size_t>(n_ff_) * sizeof(float);
                block_product(experts, expert, begin, end, x, x_bytes, n, own_.expert_out,
                              n_values);
                for (std::int32_t i = 0; i < n; ++i)
                    kernels_.add_scaled(n_values,
                                        own_.expert_out + static_cast<std::size_t>(i) * n_values,
                                        buffers_.slot_weight[slot + i],
                                        branch(buffers_.slot_row[slot + i]) + begin);
            }
        }
    }

    Pass& pass_;
    const HParams& hp_;
    const KernelTable& kernels_;
    const Workspace::ExpertBuffers& buffers_;
    const Workspace::ThreadBuffers& own_;
    const LayerWeights& weights_;
    const std::int32_t n_ff_, n_used_;
    void (*const combine_)(std::size_t n, const float* gate, const float* up, float* out);
};

/// The experts of each row, from its x().
void choose_experts(Pass& pass, std::int32_t il) {
    const ExpertParams& experts = pass.hp().experts;
    const LayerWeights& w = pass.layer_weights(il);
    const Workspace::ExpertBuffers& buffers = pass.workspace().experts;
    const Workspace::ThreadBuffers& own =
        pass.workspace().threads[static_cast<std::size_t>(pass.thread())];
    const Vector no_bias;
    const auto n = static_cast<std::size_t>(experts.n);
    const std::array router = {Product{w.ffn_router, no_bias, buffers.scores, n}};
    pass.multiply({.n_cols = pass.hp().n_embd}, router);
    pass.for_rows([&](std::int32_t row) {
        std::copy_n(buffers.scores + at(row, experts.n), n, own.expert_scores);
        const std::size_t slot = at(row, experts.n_used);
        choose(experts, w.ffn_router_bias, own,
               pass.single() ? own.expert_chosen : buffers.chosen + slot,
               pass.single() ? own.expert_weights : buffers.weights + slot);
    });
}

} // namespace

void mixture(Pass& pass, std::int32_t il, const Vector& norm, Activation activation) {
    norm_rows(pass, norm);
    choose_experts(pass, il);
    LayerExperts experts(pass, il, activation);
    if (pass.single())
        experts.decode();
    else
        experts.prefill();
}

} // namespace alcove::model
