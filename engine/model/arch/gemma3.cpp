#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

#include <cmath>

/// Gemma 3 (text): Gemma 2's layer with norms on the heads of q and k in place of soft caps. Five
/// layers see a window and turn by rope.freq_base_swa, the sixth sees everything and takes
/// rope.freq_base with its scaling.
namespace alcove::model::arch {

namespace {

constexpr std::array kTensors = rows::join(rows::kEmbedding, rows::kHead);
constexpr std::array kLayerTensors = rows::join(rows::kNorms, rows::kAttention, rows::kHeadNorms,
                                                rows::kPostNorms, rows::kFeedForward);

Status configure(const KeyReader& keys, HParams& hp) {
    hp.embedding_scale = std::sqrt(static_cast<float>(hp.n_embd));
    ALCOVE_ASSIGN_OR_RETURN(hp.attn_softcap, keys.number_or("attn_logit_softcapping", 0.0F));
    ALCOVE_ASSIGN_OR_RETURN(hp.logit_softcap, keys.number_or("final_logit_softcapping", 0.0F));
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t window,
                            keys.count("attention.sliding_window", 1, 1 << 30));
    ALCOVE_ASSIGN_OR_RETURN(hp.rope_local.freq_base, keys.positive_or("rope.freq_base_swa", 1e4));
    constexpr std::size_t kPeriod = 6;
    for (std::size_t il = 0; il < hp.layers.size(); ++il) {
        const bool full = il % kPeriod == kPeriod - 1;
        hp.layers[il].window = full ? 0 : window;
        hp.layers[il].rope = full ? RopeUse::Global : RopeUse::Local;
    }
    // The 27B model (62 layers) was trained with another scale; no key tells.
    constexpr std::int32_t kLayersOf27B = 62;
    if (hp.n_layer == kLayersOf27B)
        hp.attn_scale = 1.0F / std::sqrt(static_cast<float>(hp.n_embd) /
                                         static_cast<float>(hp.layers.front().n_head));
    return ok();
}

} // namespace

constinit const Architecture kGemma3 = {.name = "gemma3",
                                        .rope_interleaved = false,
                                        .tensors = kTensors,
                                        .layer_tensors = kLayerTensors,
                                        .configure = &configure,
                                        .activation = Activation::GeluTanh};

} // namespace alcove::model::arch
