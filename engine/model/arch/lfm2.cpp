#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

#include <fmt/format.h>

/// Liquid's LFM2 and LFM2.5: most layers mix by a short convolution, those whose head_count_kv is
/// not 0 by attention as in Qwen 3. The mixtures (lfm2moe) have dense layers first; their routers
/// score by sigmoid, with a bias that counts for choosing only.
namespace alcove::model::arch {

namespace {

constexpr auto kIsAttention = [](const LayerParams& layer) {
    return layer.mixer == Mixer::Attention;
};
constexpr auto kIsConv = [](const LayerParams& layer) { return layer.mixer == Mixer::ShortConv; };

/// The last norm has the name of the embedding.
constexpr std::array kLastNorm = {
    ModelTensor{"token_embd_norm.weight", &Weights::output_norm, Dim::Embd},
    ModelTensor{"output.weight", &Weights::output, Dim::Embd, Dim::Vocab, Need::Optional},
};
constexpr std::array kTensors = rows::join(rows::kEmbedding, kLastNorm, rows::kRopeFactors);

constexpr std::array kConv = {
    LayerTensor{"shortconv.in_proj.weight", &LayerWeights::conv_in, Dim::Embd, Dim::ConvIn},
    LayerTensor{"shortconv.conv.weight", &LayerWeights::conv, Dim::ConvTaps, Dim::Embd},
    LayerTensor{"shortconv.out_proj.weight", &LayerWeights::conv_out, Dim::Embd, Dim::Embd},
};
constexpr std::array kMixers =
    rows::join(rows::kNorms, rows::only(kIsAttention, rows::kAttention),
               rows::only(kIsAttention, rows::kHeadNorms), rows::only(kIsConv, kConv));
constexpr std::array kDenseTensors = rows::join(kMixers, rows::kFeedForward);

constexpr std::array kRouterBias = {
    LayerTensor{"exp_probs_b.bias", &LayerWeights::ffn_router_bias, Dim::Experts},
};
constexpr std::array kMixtureTensors =
    rows::join(kMixers, rows::only(rows::kDense, rows::kFeedForward),
               rows::only(rows::kMixture, rows::kExperts), rows::only(rows::kMixture, kRouterBias));

Status configure(const KeyReader& keys, HParams& hp) {
    ALCOVE_ASSIGN_OR_RETURN(hp.n_conv_taps, keys.count("shortconv.l_cache", 2, 4));
    for (std::size_t il = 0; il < hp.layers.size(); ++il) {
        LayerParams& layer = hp.layers[il];
        const std::string name = fmt::format("blk.{}.attn_q.weight", il);
        const bool has_queries = keys.file().find_tensor(name) != nullptr;
        if (has_queries != (layer.n_head_kv != 0))
            return Error{Errc::Model,
                         fmt::format("layer {}: {} is {}, but tensor {} is {}", il,
                                     keys.full("attention.head_count_kv"), layer.n_head_kv, name,
                                     has_queries ? "there" : "missing")};
        if (layer.n_head_kv != 0)
            continue;
        layer.mixer = Mixer::ShortConv;
        layer.rope = RopeUse::None;
        layer.state_floats = (hp.n_conv_taps - 1) * hp.n_embd;
    }
    return ok();
}

Status configure_experts(const KeyReader& keys, HParams& hp) {
    ALCOVE_RETURN_IF_ERROR(configure(keys, hp));
    ALCOVE_RETURN_IF_ERROR(require_experts(keys, hp));
    constexpr std::int32_t kSigmoid = 2;
    ALCOVE_RETURN_IF_ERROR(keys.count("expert_gating_func", kSigmoid, kSigmoid));
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t n_dense,
                            keys.count_or("leading_dense_block_count", 0, 0, hp.n_layer));
    constexpr std::int32_t kUnit = 32;
    const std::int32_t n_ff = hp.max_n_ff();
    if (hp.experts.n_ff % kUnit != 0 || hp.experts.n_ff > n_ff)
        return Error{Errc::Model, fmt::format("{} is {}, expected a multiple of {} up to {} "
                                              "(feed_forward_length)",
                                              keys.full("expert_feed_forward_length"),
                                              hp.experts.n_ff, kUnit, n_ff)};
    for (std::size_t il = static_cast<std::size_t>(n_dense); il < hp.layers.size(); ++il)
        hp.layers[il].has_experts = true;
    return ok();
}

} // namespace

constinit const Architecture kLfm2 = {.name = "lfm2",
                                      .rope_interleaved = false,
                                      .tensors = kTensors,
                                      .layer_tensors = kDenseTensors,
                                      .configure = &configure,
                                      .has_recurrent_layers = true};

constinit const Architecture kLfm2Moe = {.name = "lfm2moe",
                                         .rope_interleaved = false,
                                         .tensors = kTensors,
                                         .layer_tensors = kMixtureTensors,
                                         .configure = &configure_experts,
                                         .has_experts = true,
                                         .has_recurrent_layers = true};

} // namespace alcove::model::arch
