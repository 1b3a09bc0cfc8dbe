#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

/// Phi 3, 3.5 and 4 (text): LLaMA's layer with q, k and v in one tensor, gate and up in another,
/// and, for the long-context models, factors of the rotary frequencies by length of the context
/// (LongRoPE).
namespace alcove::model::arch {

namespace {

/// Two tensors that arrange() takes apart: they are bound as attn_q and ffn_up.
constexpr std::array kFused = {
    LayerTensor{"attn_qkv.weight", &LayerWeights::attn_q, Dim::Embd, Dim::Qkv},
    LayerTensor{"attn_output.weight", &LayerWeights::attn_output, Dim::Heads, Dim::Embd},
    LayerTensor{"ffn_up.weight", &LayerWeights::ffn_up, Dim::Embd, Dim::FfTwice},
    LayerTensor{"ffn_down.weight", &LayerWeights::ffn_down, Dim::Ff, Dim::Embd},
};
constexpr std::array kLayerTensors = rows::join(rows::kNorms, kFused);

void arrange(const HParams& hp, const LayerParams& layer, LayerWeights& w) {
    const std::int32_t n_q = layer.n_head * hp.head_dim;
    const std::int32_t n_kv = layer.n_head_kv * hp.head_dim;
    const Matrix qkv = w.attn_q;
    w.attn_q = qkv.slice(0, n_q);
    w.attn_k = qkv.slice(n_q, n_kv);
    w.attn_v = qkv.slice(n_q + n_kv, n_kv);
    const Matrix gate_up = w.ffn_up;
    w.ffn_gate = gate_up.slice(0, layer.n_ff);
    w.ffn_up = gate_up.slice(layer.n_ff, layer.n_ff);
}

} // namespace

constinit const Architecture kPhi3 = {.name = "phi3",
                                      .rope_interleaved = false,
                                      .tensors = rows::kModel,
                                      .layer_tensors = kLayerTensors,
                                      .arrange = &arrange};

} // namespace alcove::model::arch
