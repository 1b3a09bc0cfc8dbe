#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

/// Qwen 3 with experts in every layer: softmax over all experts, the weights of the chosen ones
/// made to sum to 1 (there is no key for it).
namespace alcove::model::arch {

namespace {

constexpr std::array kLayerTensors = rows::join(
    rows::kNorms, rows::kAttention, rows::kAttentionBiases, rows::kHeadNorms, rows::kExperts);

Status configure(const KeyReader& keys, HParams& hp) {
    ALCOVE_RETURN_IF_ERROR(require_experts(keys, hp));
    for (LayerParams& layer : hp.layers)
        layer.has_experts = true;
    return ok();
}

} // namespace

constinit const Architecture kQwen3Moe = {.name = "qwen3moe",
                                          .rope_interleaved = false,
                                          .tensors = rows::kModel,
                                          .layer_tensors = kLayerTensors,
                                          .configure = &configure,
                                          .has_experts = true};

} // namespace alcove::model::arch
