#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

/// LLaMA 1 to 3, Mistral, SmolLM, TinyLlama and every other file that names itself "llama": grouped
/// queries, SwiGLU, two norms per layer. rope_freqs.weight is Llama 3's long-context scaling. With
/// an expert_count the layers are mixtures (Mixtral): softmax, the weights of the chosen sum to 1.
namespace alcove::model::arch {

namespace {

constexpr std::array kLayerTensors = rows::join(
    rows::kNorms, rows::kAttention, rows::kAttentionBiases,
    rows::only(rows::kDense, rows::kFeedForward),
    rows::only(rows::kDense, rows::kFeedForwardBiases), rows::only(rows::kMixture, rows::kExperts));

Status configure(const KeyReader& keys, HParams& hp) {
    if (hp.experts.n == 0)
        return ok();
    ALCOVE_RETURN_IF_ERROR(require_experts(keys, hp));
    for (LayerParams& layer : hp.layers)
        layer.has_experts = true;
    return ok();
}

} // namespace

constinit const Architecture kLlama = {.name = "llama",
                                       .rope_interleaved = true,
                                       .tensors = rows::kModel,
                                       .layer_tensors = kLayerTensors,
                                       .configure = &configure,
                                       .has_experts = true};

} // namespace alcove::model::arch
