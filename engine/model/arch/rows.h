#pragma once

#include "engine/model/architecture.h"

#include <array>
#include <cstddef>

/// Rows of tensor tables that many architectures share.
namespace alcove::model::arch::rows {

/// One table of several.
template <typename Row, std::size_t... N> constexpr auto join(const std::array<Row, N>&... tables) {
    std::array<Row, (N + ...)> all{};
    std::size_t next = 0;
    const auto append = [&](const auto& table) {
        for (const Row& row : table)
            all[next++] = row;
    };
    (append(tables), ...);
    return all;
}

inline constexpr std::array kEmbedding = {
    ModelTensor{"token_embd.weight", &Weights::token_embd, Dim::Embd, Dim::Vocab},
};

/// The head is the embedding table where output.weight is absent.
inline constexpr std::array kHead = {
    ModelTensor{"output_norm.weight", &Weights::output_norm, Dim::Embd},
    ModelTensor{"output.weight", &Weights::output, Dim::Embd, Dim::Vocab, Need::Optional},
};

inline constexpr std::array kRopeFactors = {
    ModelTensor{"rope_freqs.weight", &Weights::rope_freqs, Dim::RopeHalf, {}, Need::Optional},
    ModelTensor{"rope_factors_long.weight", &Weights::rope_long, Dim::RopeHalf, {}, Need::Optional},
    ModelTensor{
        "rope_factors_short.weight", &Weights::rope_short, Dim::RopeHalf, {}, Need::Optional},
};

/// token_embd, output_norm, output, factors of the rotary frequencies.
inline constexpr std::array kModel = join(kEmbedding, kHead, kRopeFactors);

inline constexpr std::array kAttention = {
    LayerTensor{"attn_q.weight", &LayerWeights::attn_q, Dim::Embd, Dim::Heads},
    LayerTensor{"attn_k.weight", &LayerWeights::attn_k, Dim::Embd, Dim::HeadsKv},
    LayerTensor{"attn_v.weight", &LayerWeights::attn_v, Dim::Embd, Dim::HeadsKv},
    LayerTensor{"attn_output.weight", &LayerWeights::attn_output, Dim::Heads, Dim::Embd},
};

inline constexpr std::array kAttentionBiases = {
    LayerTensor{"attn_q.bias", &LayerWeights::attn_q_bias, Dim::Heads, {}, Need::Optional},
    LayerTensor{"attn_k.bias", &LayerWeights::attn_k_bias, Dim::HeadsKv, {}, Need::Optional},
    LayerTensor{"attn_v.bias", &LayerWeights::attn_v_bias, Dim::HeadsKv, {}, Need::Optional},
    LayerTensor{"attn_output.bias", &LayerWeights::attn_output_bias, Dim::Embd, {}, Need::Optional},
};

/// Norms over each head.
inline constexpr std::array kHeadNorms = {
    LayerTensor{"attn_q_norm.weight", &LayerWeights::attn_q_norm, Dim::HeadDim},
    LayerTensor{"attn_k_norm.weight", &LayerWeights::attn_k_norm, Dim::HeadDim},
};

/// Before each branch.
inline constexpr std::array kNorms = {
    LayerTensor{"attn_norm.weight", &LayerWeights::attn_norm, Dim::Embd},
    LayerTensor{"ffn_norm.weight", &LayerWeights::ffn_norm, Dim::Embd},
};

/// After each branch, before it is added.
inline constexpr std::array kPostNorms = {
    LayerTensor{"post_attention_norm.weight", &LayerWeights::attn_post_norm, Dim::Embd},
    LayerTensor{"post_ffw_norm.weight", &LayerWeights::ffn_post_norm, Dim::Embd},
};

inline constexpr std::array kFeedForward = {
    LayerTensor{"ffn_gate.weight", &LayerWeights::ffn_gate, Dim::Embd, Dim::Ff},
    LayerTensor{"ffn_up.weight", &LayerWeights::ffn_up, Dim::Embd, Dim::Ff},
    LayerTensor{"ffn_down.weight", &LayerWeights::ffn_down, Dim::Ff, Dim::Embd},
};

inline constexpr std::array kFeedForwardBiases = {
    LayerTensor{"ffn_gate.bias", &LayerWeights::ffn_gate_bias, Dim::Ff, {}, Need::Optional},
    LayerTensor{"ffn_up.bias", &LayerWeights::ffn_up_bias, Dim::Ff, {}, Need::Optional},
    LayerTensor{"ffn_down.bias", &LayerWeights::ffn_down_bias, Dim::Embd, {}, Need::Optional},
};

/// A layer of LLaMA's kind, with the biases that a file may have.
inline constexpr std::array kLayer =
    join(kNorms, kAttention, kAttentionBiases, kFeedForward, kFeedForwardBiases);

inline constexpr std::array kExperts = {
    LayerTensor{"ffn_gate_inp.weight", &LayerWeights::ffn_router, Dim::Embd, Dim::Experts},
    LayerTensor{"ffn_gate_exps.weight", &LayerWeights::ffn_gate_experts, Dim::Embd, Dim::ExpertFf},
    LayerTensor{"ffn_up_exps.weight", &LayerWeights::ffn_up_experts, Dim::Embd, Dim::ExpertFf},
    LayerTensor{"ffn_down_exps.weight", &LayerWeights::ffn_down_experts, Dim::ExpertFf, Dim::Embd},
};

/// The rows of `table`, in layers for which `where` is true only.
template <std::size_t N>
constexpr std::array<LayerTensor, N> only(bool (*where)(const LayerParams&),
                                          std::array<LayerTensor, N> table) {
    for (LayerTensor& row : table)
        row.where = where;
    return table;
}

inline constexpr bool (*kDense)(const LayerParams&) = [](const LayerParams& layer) {
    return !layer.has_experts;
};
inline constexpr bool (*kMixture)(const LayerParams&) = [](const LayerParams& layer) {
    return layer.has_experts;
};

} // namespace alcove::model::arch::rows
