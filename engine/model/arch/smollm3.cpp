#include "engine/model/arch/arch.h"

#include "engine/model/blocks/attention.h"
#include "engine/model/blocks/ffn.h"
#include "engine/model/blocks/residual.h"

#include <array>

/// SmolLM 3: LLaMA's layer; every fourth layer has no rotary embedding (there is no key for it).
namespace alcove::model::arch {

namespace {

constexpr std::array kTensors = {
    ModelTensor{"token_embd.weight", &Weights::token_embd, Dim::Embd, Dim::Vocab},
    ModelTensor{"output_norm.weight", &Weights::output_norm, Dim::Embd},
    ModelTensor{"output.weight", &Weights::output, Dim::Embd, Dim::Vocab, Need::Optional},
    ModelTensor{"rope_freqs.weight", &Weights::rope_freqs, Dim::RopeHalf, {}, Need::Optional},
};

constexpr std::array kLayerTensors = {
    LayerTensor{"attn_norm.weight", &LayerWeights::attn_norm, Dim::Embd},
    LayerTensor{"attn_q.weight", &LayerWeights::attn_q, Dim::Embd, Dim::Heads},
    LayerTensor{"attn_k.weight", &LayerWeights::attn_k, Dim::Embd, Dim::HeadsKv},
    LayerTensor{"attn_v.weight", &LayerWeights::attn_v, Dim::Embd, Dim::HeadsKv},
    LayerTensor{"attn_output.weight", &LayerWeights::attn_output, Dim::Heads, Dim::Embd},
    LayerTensor{"attn_q.bias", &LayerWeights::attn_q_bias, Dim::Heads, {}, Need::Optional},
    LayerTensor{"attn_k.bias", &LayerWeights::attn_k_bias, Dim::HeadsKv, {}, Need::Optional},
    LayerTensor{"attn_v.bias", &LayerWeights::attn_v_bias, Dim::HeadsKv, {}, Need::Optional},
    LayerTensor{"attn_output.bias", &LayerWeights::attn_output_bias, Dim::Embd, {}, Need::Optional},
    LayerTensor{"ffn_norm.weight", &LayerWeights::ffn_norm, Dim::Embd},
    LayerTensor{"ffn_gate.weight", &LayerWeights::ffn_gate, Dim::Embd, Dim::Ff},
    LayerTensor{"ffn_up.weight", &LayerWeights::ffn_up, Dim::Embd, Dim::Ff},
    LayerTensor{"ffn_down.weight", &LayerWeights::ffn_down, Dim::Ff, Dim::Embd},
    LayerTensor{"ffn_gate.bias", &LayerWeights::ffn_gate_bias, Dim::Ff, {}, Need::Optional},
    LayerTensor{"ffn_up.bias", &LayerWeights::ffn_up_bias, Dim::Ff, {}, Need::Optional},
    LayerTensor{"ffn_down.bias", &LayerWeights::ffn_down_bias, Dim::Embd, {}, Need::Optional},
};

Status configure(const KeyReader& /*keys*/, HParams& hp) {
    for (std::size_t il = 3; il < hp.layers.size(); il += 4)
        hp.layers[il].rope = RopeUse::None;
    return ok();
}

void layer(Pass& pass, std::int32_t il) {
    const LayerWeights& w = pass.layer_weights(il);
    attention(pass, il, w.attn_norm);
    add_branch(pass, Vector{});
    feed_forward(pass, il, w.ffn_norm, Activation::Silu);
    add_branch(pass, Vector{});
}

} // namespace

constinit const Architecture kSmolLm3 = {.name = "smollm3",
                                         .rope_interleaved = true,
                                         .tensors = kTensors,
                                         .layer_tensors = kLayerTensors,
                                         .configure = &configure,
                                         .layer = &layer};

} // namespace alcove::model::arch
