#include "engine/model/arch/arch.h"

#include "engine/model/blocks/attention.h"
#include "engine/model/blocks/ffn.h"
#include "engine/model/blocks/residual.h"

#include <array>
#include <cmath>

/// Gemma 2: norms around both branches, GELU, scores and logits soft-capped; every second layer,
/// from the first on, sees a window only. The file's norms hold 1 + w already.
namespace alcove::model::arch {

namespace {

constexpr std::array kTensors = {
    ModelTensor{"token_embd.weight", &Weights::token_embd, Dim::Embd, Dim::Vocab},
    ModelTensor{"output_norm.weight", &Weights::output_norm, Dim::Embd},
    ModelTensor{"output.weight", &Weights::output, Dim::Embd, Dim::Vocab, Need::Optional},
};

constexpr std::array kLayerTensors = {
    LayerTensor{"attn_norm.weight", &LayerWeights::attn_norm, Dim::Embd},
    LayerTensor{"attn_q.weight", &LayerWeights::attn_q, Dim::Embd, Dim::Heads},
    LayerTensor{"attn_k.weight", &LayerWeights::attn_k, Dim::Embd, Dim::HeadsKv},
    LayerTensor{"attn_v.weight", &LayerWeights::attn_v, Dim::Embd, Dim::HeadsKv},
    LayerTensor{"attn_output.weight", &LayerWeights::attn_output, Dim::Heads, Dim::Embd},
    LayerTensor{"post_attention_norm.weight", &LayerWeights::attn_post_norm, Dim::Embd},
    LayerTensor{"ffn_norm.weight", &LayerWeights::ffn_norm, Dim::Embd},
    LayerTensor{"ffn_gate.weight", &LayerWeights::ffn_gate, Dim::Embd, Dim::Ff},
    LayerTensor{"ffn_up.weight", &LayerWeights::ffn_up, Dim::Embd, Dim::Ff},
    LayerTensor{"ffn_down.weight", &LayerWeights::ffn_down, Dim::Ff, Dim::Embd},
    LayerTensor{"post_ffw_norm.weight", &LayerWeights::ffn_post_norm, Dim::Embd},
};

Status configure(const KeyReader& keys, HParams& hp) {
    hp.embedding_scale = std::sqrt(static_cast<float>(hp.n_embd));
    ALCOVE_ASSIGN_OR_RETURN(hp.attn_softcap, keys.number_or("attn_logit_softcapping", 50.0F));
    ALCOVE_ASSIGN_OR_RETURN(hp.logit_softcap, keys.number_or("final_logit_softcapping", 30.0F));
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t window,
                            keys.count_or("attention.sliding_window", 4096, 1, 1 << 30));
    for (std::size_t il = 0; il < hp.layers.size(); ++il)
        hp.layers[il].window = il % 2 == 0 ? window : 0;
    // The 27B model (46 layers) was trained with another scale; no key tells.
    constexpr std::int32_t kLayersOf27B = 46;
    if (hp.n_layer == kLayersOf27B)
        hp.attn_scale = 1.0F / std::sqrt(static_cast<float>(hp.n_embd) /
                                         static_cast<float>(hp.layers.front().n_head));
    return ok();
}

void layer(Pass& pass, std::int32_t il) {
    const LayerWeights& w = pass.layer_weights(il);
    attention(pass, il, w.attn_norm);
    add_branch(pass, w.attn_post_norm);
    feed_forward(pass, il, w.ffn_norm, Activation::GeluTanh);
    add_branch(pass, w.ffn_post_norm);
}

} // namespace

constinit const Architecture kGemma2 = {.name = "gemma2",
                                        .rope_interleaved = false,
                                        .tensors = kTensors,
                                        .layer_tensors = kLayerTensors,
                                        .configure = &configure,
                                        .layer = &layer};

} // namespace alcove::model::arch
