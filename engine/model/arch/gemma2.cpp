#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

#include <cmath>

/// Gemma 2: norms around both branches, GELU, scores and logits soft-capped; every second layer,
/// from the first on, sees a window only. The file's norms hold 1 + w already.
namespace alcove::model::arch {

namespace {

constexpr std::array kTensors = rows::join(rows::kEmbedding, rows::kHead);
constexpr std::array kLayerTensors =
    rows::join(rows::kNorms, rows::kAttention, rows::kPostNorms, rows::kFeedForward);

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

} // namespace

constinit const Architecture kGemma2 = {.name = "gemma2",
                                        .rope_interleaved = false,
                                        .tensors = kTensors,
                                        .layer_tensors = kLayerTensors,
                                        .configure = &configure,
                                        .activation = Activation::GeluTanh};

} // namespace alcove::model::arch
