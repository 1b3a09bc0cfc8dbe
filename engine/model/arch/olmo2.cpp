#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

/// OLMo 2 and 3: no norm before a branch but one after it, and norms of q and k that go over all
/// heads at once. OLMo 3 has a window in three of four layers, which turn without scaling.
namespace alcove::model::arch {

namespace {

constexpr std::array kWholeNorms = {
    LayerTensor{"attn_q_norm.weight", &LayerWeights::attn_q_norm, Dim::Heads},
    LayerTensor{"attn_k_norm.weight", &LayerWeights::attn_k_norm, Dim::HeadsKv},
};
constexpr std::array kLayerTensors =
    rows::join(rows::kAttention, kWholeNorms, rows::kPostNorms, rows::kFeedForward);

Status configure(const KeyReader& keys, HParams& hp) {
    hp.norm_whole_heads = true;
    if (hp.layers.front().window == 0)
        return ok();
    constexpr std::int32_t kPeriod = 4; // the last of each four sees everything
    ALCOVE_ASSIGN_OR_RETURN(const std::vector<bool> windows,
                            keys.window_pattern(hp.n_layer, kPeriod));
    ALCOVE_ASSIGN_OR_RETURN(hp.rope_local.freq_base,
                            keys.positive_or("rope.freq_base_swa", hp.rope.freq_base));
    for (std::size_t il = 0; il < hp.layers.size(); ++il) {
        if (windows[il])
            hp.layers[il].rope = RopeUse::Local;
        else
            hp.layers[il].window = 0;
    }
    return ok();
}

} // namespace

constinit const Architecture kOlmo2 = {.name = "olmo2",
                                       .rope_interleaved = false,
                                       .tensors = rows::kModel,
                                       .layer_tensors = kLayerTensors,
                                       .configure = &configure};

} // namespace alcove::model::arch
