#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

/// Qwen 2 and 2.5 and models distilled into them: LLaMA's layer with biases on q, k and v and
/// rotary pairs from the two halves of a head.
namespace alcove::model::arch {

namespace {

constexpr std::array kBiases = {
    LayerTensor{"attn_q.bias", &LayerWeights::attn_q_bias, Dim::Heads},
    LayerTensor{"attn_k.bias", &LayerWeights::attn_k_bias, Dim::HeadsKv},
    LayerTensor{"attn_v.bias", &LayerWeights::attn_v_bias, Dim::HeadsKv},
    LayerTensor{"attn_output.bias", &LayerWeights::attn_output_bias, Dim::Embd, {}, Need::Optional},
};
constexpr std::array kLayerTensors = rows::join(rows::kNorms, rows::kAttention, kBiases,
                                                rows::kFeedForward, rows::kFeedForwardBiases);

} // namespace

constinit const Architecture kQwen2 = {.name = "qwen2",
                                       .rope_interleaved = false,
                                       .tensors = rows::kModel,
                                       .layer_tensors = kLayerTensors};

} // namespace alcove::model::arch
