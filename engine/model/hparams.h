#pragma once

#include "engine/format/gguf_file.h"
#include "engine/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The numbers of a model: read from the metadata of its file and checked before anything is
/// allocated.
namespace alcove::model {

enum class RopeScaling : std::uint8_t { None, Linear, Yarn, LongRope };

/// How positions turn into angles. Sources: RoFormer (Su et al. 2021) section 3.4.2; YaRN (Peng et
/// al. 2023) section 3; LongRoPE (Ding et al. 2024), whose factors are tensors.
struct RopeParams {
    double freq_base = 10000.0;
    RopeScaling scaling = RopeScaling::None;
    double factor = 1.0; ///< Linear, Yarn: context grew by this
    /// Yarn: what the scaling starts from; else contexts beyond it take rope_long's factors.
    double n_ctx_original = 0;
    double beta_fast = 32.0;  ///< Yarn: rotations within n_ctx_original above which nothing scales
    double beta_slow = 1.0;   ///< Yarn: rotations below which all scales
    double attn_factor = 1.0; ///< cos and sin are multiplied by it,
    double yarn_magnitude = 1.0; ///< and Yarn by this as well
};

/// Which rotary table a layer uses.
enum class RopeUse : std::uint8_t { None, Global, Local };

/// How a layer mixes tokens.
enum class Mixer : std::uint8_t { Attention, ShortConv };

/// What may differ from layer to layer.
struct LayerParams {
    Mixer mixer = Mixer::Attention;
    bool has_experts = false; ///< the feed-forward part is a mixture of experts
    std::int32_t n_head = 0;
    std::int32_t n_head_kv = 0;    ///< divides n_head; 0 without attention
    std::int32_t n_ff = 0;         ///< of the dense feed-forward part
    std::int32_t state_floats = 0; ///< of its recurrent state; 0: none
    std::int32_t window = 0; ///< > 0: a token sees itself and the window − 1 tokens before it
    RopeUse rope = RopeUse::Global;
};

/// How the scores of a router become probabilities.
enum class Gating : std::uint8_t { Softmax, Sigmoid };

/// Mixtures of experts.
struct ExpertParams {
    std::int32_t n = 0;      ///< 0: the model has none
    std::int32_t n_used = 0; ///< experts per token, 1 to n
    std::int32_t n_ff = 0;   ///< width of one expert
    Gating gating = Gating::Softmax;
    float scale = 1; ///< multiplies the weights of the chosen, which sum to 1 before
};

struct HParams {
    std::string architecture;
    std::int32_t n_layer = 0, n_embd = 0, head_dim = 0, n_vocab = 0;
    std::int32_t n_ctx_train = 0; ///< 0: the file does not say
    float rms_eps = 0;
    std::int32_t rope_dims = 0; ///< even, <= head_dim; values past it are not rotated
    RopeParams rope, rope_local;
    float attn_scale = 0;      ///< scores are multiplied by it
    float attn_softcap = 0;    ///< 0: none
    float logit_softcap = 0;   ///< 0: none
    float embedding_scale = 1; ///< multiplies the rows of token_embd
    float residual_scale = 1;  ///< multiplies each branch before it is added
    float logit_divisor = 1;   ///< divides the logits
    /// Queries at position p are multiplied by 1 + scale * ln(1 + floor(p / length)); 0: not.
    float query_scale = 0, query_scale_length = 0;
    bool norm_whole_heads = false; ///< norms of q and k go over all heads at once
    std::int32_t n_conv_taps = 0;  ///< ShortConv: values that a convolution sees
    ExpertParams experts;
    std::vector<LayerParams> layers;

    std::int32_t max_n_head() const;
    std::int32_t max_n_head_kv() const;
    std::int32_t max_n_ff() const;
    bool uses_local_rope() const;
};

/// Typed reading of `<architecture>.<key>`. Every failure names the whole key, what was found and
/// what was expected.
class KeyReader {
public:
    KeyReader(const GgufFile& file, std::string_view architecture);

    std::string full(std::string_view key) const;
    bool has(std::string_view key) const;
    /// An integer in [min, max]; Errc::Model when absent.
    Result<std::int32_t> count(std::string_view key, std::int64_t min, std::int64_t max) const;
    Result<std::int32_t> count_or(std::string_view key, std::int32_t fallback, std::int64_t min,
                                  std::int64_t max) const;
    /// One integer for all layers, or an array with one per layer. Absent and `fallback` < 0:
    /// Errc::Model.
    Result<std::vector<std::int32_t>> per_layer(std::string_view key, std::int32_t n_layer,
                                                std::int32_t fallback, std::int64_t min,
                                                std::int64_t max) const;
    /// attention.sliding_window_pattern: which layers have a window. An array of one truth per
    /// layer, or a period whose last layer has none; `period` where the key is absent.
    Result<std::vector<bool>> window_pattern(std::int32_t n_layer, std::int32_t period) const;
    /// A finite number.
    Result<float> number(std::string_view key) const;
    Result<float> number_or(std::string_view key, float fallback) const;
    Result<double> positive_or(std::string_view key, double fallback) const;

    const GgufFile& file() const { return file_; }

private:
    const GgufFile& file_;
    std::string prefix_;
};

struct Architecture;

/// Reads what else there is to know of experts; Errc::Model where experts.n is 0. Without a width
/// of their own they are as wide as the dense part would be.
Status require_experts(const KeyReader& keys, HParams& hp);

/// general.architecture of `file`: Errc::Model when absent, empty or not a string.
Result<std::string_view> read_architecture_name(const GgufFile& file);

/// All numbers of `file` for `architecture`, checked against each other and against the embedding
/// tensor. `warnings` gets a sentence per key that was not understood.
Result<HParams> read_hparams(const GgufFile& file, const Architecture& architecture,
                             std::vector<std::string>& warnings);

} // namespace alcove::model
