#include "engine/model/hparams.h"

#include "engine/model/architecture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace alcove::model {

namespace {

// Widest values that a file may claim. They keep every product of two of them within 64 bits and
// are far above any published model.
constexpr std::int64_t kMaxWidth = 1 << 24;
constexpr std::int64_t kMaxExperts = 1 << 12;
constexpr std::int64_t kMaxContext = std::numeric_limits<std::int32_t>::max();

Error model_error(std::string message) {
    return Error{Errc::Model, std::move(message)};
}

std::int32_t max_over(const std::vector<LayerParams>& layers, std::int32_t LayerParams::*field) {
    std::int32_t widest = 0;
    for (const LayerParams& layer : layers)
        widest = std::max(widest, layer.*field);
    return widest;
}

Result<RopeScaling> read_scaling_type(const KeyReader& keys) {
    ALCOVE_ASSIGN_OR_RETURN(const std::optional<std::string_view> type,
                            keys.file().get_string(keys.full("rope.scaling.type")));
    if (!type)
        return keys.has("rope.scaling.factor") || keys.has("rope.scale_linear")
                   ? RopeScaling::Linear
                   : RopeScaling::None;
    if (*type == "none")
        return RopeScaling::None;
    if (*type == "linear")
        return RopeScaling::Linear;
    if (*type == "yarn")
        return RopeScaling::Yarn;
    if (*type == "longrope")
        return RopeScaling::LongRope;
    return Error{Errc::Unsupported,
                 fmt::format("{} is \"{}\", expected none, linear, yarn or longrope",
                             keys.full("rope.scaling.type"), *type)};
}

/// YaRN's growth of cos and sin for a context that is `factor` times as long.
double yarn_growth(double factor, double weight) {
    return factor <= 1.0 ? 1.0 : 0.1 * weight * std::log(factor) + 1.0;
}

Status read_yarn(const KeyReader& keys, RopeParams& rope) {
    if (rope.n_ctx_original <= 0)
        return model_error(fmt::format("{} is missing, yarn scaling needs it",
                                       keys.full("rope.scaling.original_context_length")));
    ALCOVE_ASSIGN_OR_RETURN(rope.beta_fast, keys.positive_or("rope.scaling.yarn_beta_fast", 32.0));
    ALCOVE_ASSIGN_OR_RETURN(rope.beta_slow, keys.positive_or("rope.scaling.yarn_beta_slow", 1.0));
    // Some models divide the growth by another one, some replace it.
    ALCOVE_ASSIGN_OR_RETURN(const float divisor,
                            keys.number_or("rope.scaling.yarn_log_multiplier", 0.0F));
    const double growth =
        yarn_growth(rope.factor, 1.0) / (divisor == 0.0F ? 1.0 : yarn_growth(rope.factor, divisor));
    ALCOVE_ASSIGN_OR_RETURN(rope.yarn_magnitude,
                            keys.positive_or("rope.scaling.yarn_attn_factor", growth));
    if (!std::isfinite(rope.yarn_magnitude) || rope.yarn_magnitude <= 0)
        return model_error(
            fmt::format("{} is {}, expected more than {} where the context grew by {}",
                        keys.full("rope.scaling.yarn_log_multiplier"), divisor,
                        -1.0 / (yarn_growth(rope.factor, 1.0) - 1.0), rope.factor));
    return ok();
}

Result<RopeParams> read_rope(const KeyReader& keys, std::int32_t n_ctx_train) {
    RopeParams rope;
    ALCOVE_ASSIGN_OR_RETURN(rope.freq_base, keys.positive_or("rope.freq_base", 10000.0));
    if (rope.freq_base <= 1.0)
        return model_error(fmt::format("{} is {}, expected more than 1",
                                       keys.full("rope.freq_base"), rope.freq_base));
    ALCOVE_ASSIGN_OR_RETURN(rope.scaling, read_scaling_type(keys));
    // These two go with the tensors of factors as well, whatever the type.
    ALCOVE_ASSIGN_OR_RETURN(rope.n_ctx_original,
                            keys.positive_or("rope.scaling.original_context_length", n_ctx_train));
    ALCOVE_ASSIGN_OR_RETURN(rope.attn_factor, keys.positive_or("rope.scaling.attn_factor", 1.0));
    if (rope.scaling == RopeScaling::None || rope.scaling == RopeScaling::LongRope)
        return rope;
    // The older key for linear scaling holds the factor itself.
    ALCOVE_ASSIGN_OR_RETURN(const double old_factor, keys.positive_or("rope.scale_linear", 1.0));
    ALCOVE_ASSIGN_OR_RETURN(rope.factor, keys.positive_or("rope.scaling.factor", old_factor));
    if (rope.scaling == RopeScaling::Yarn)
        ALCOVE_RETURN_IF_ERROR(read_yarn(keys, rope));
    return rope;
}

/// Scaling keys that change the answer must be ones we know.
void report_unknown_rope_keys(const KeyReader& keys, std::vector<std::string>& warnings) {
    constexpr std::array kKnown = {
        "type",           "factor",         "original_context_length", "finetuned",
        "yarn_beta_fast", "yarn_beta_slow", "yarn_log_multiplier",     "yarn_attn_factor",
        "attn_factor"};
    const std::string prefix = keys.full("rope.scaling.");
    for (const std::string_view key : keys.file().keys()) {
        if (!key.starts_with(prefix))
            continue;
        const std::string_view rest = key.substr(prefix.size());
        if (std::find(kKnown.begin(), kKnown.end(), rest) == kKnown.end())
            warnings.push_back(fmt::format("{} is not understood and has no effect", key));
    }
}

/// Rows of the embedding table, whose row length must be n_embd.
Result<std::int32_t> read_vocab_rows(const GgufFile& file, std::int32_t n_embd) {
    const GgufTensor* table = file.find_tensor("token_embd.weight");
    if (table == nullptr)
        return model_error("tensor token_embd.weight is missing");
    if (table->n_dims != 2 || table->dims[0] != static_cast<std::uint64_t>(n_embd))
        return model_error(fmt::format("tensor token_embd.weight has shape [{}, {}], expected [{} "
                                       "(embedding_length), vocabulary]",
                                       table->dims[0], table->dims[1], n_embd));
    if (table->dims[1] > static_cast<std::uint64_t>(kMaxWidth))
        return model_error(fmt::format("tensor token_embd.weight has {} rows, expected at most {}",
                                       table->dims[1], kMaxWidth));
    return static_cast<std::int32_t>(table->dims[1]);
}

/// The table may have padding rows, but no row too few.
Status check_vocab_size(const KeyReader& keys, std::int32_t n_rows) {
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t n_tokens,
                            keys.count_or("vocab_size", n_rows, 1, kMaxWidth));
    if (n_tokens > n_rows)
        return model_error(fmt::format("{} is {}, expected at most {} (rows of token_embd.weight)",
                                       keys.full("vocab_size"), n_tokens, n_rows));
    return ok();
}

Status read_heads(const KeyReader& keys, HParams& hp, bool may_be_zero) {
    ALCOVE_ASSIGN_OR_RETURN(const std::vector<std::int32_t> heads,
                            keys.per_layer("attention.head_count", hp.n_layer, -1, 1, 1 << 16));
    std::vector<std::int32_t> heads_kv = heads;
    if (keys.has("attention.head_count_kv")) {
        ALCOVE_ASSIGN_OR_RETURN(heads_kv, keys.per_layer("attention.head_count_kv", hp.n_layer, -1,
                                                         may_be_zero ? 0 : 1, 1 << 16));
    }
    for (std::int32_t il = 0; il < hp.n_layer; ++il) {
        LayerParams& layer = hp.layers[static_cast<std::size_t>(il)];
        layer.n_head = heads[static_cast<std::size_t>(il)];
        layer.n_head_kv = heads_kv[static_cast<std::size_t>(il)];
        if (layer.n_head_kv != 0 && layer.n_head % layer.n_head_kv != 0)
            return model_error(fmt::format("layer {}: {} is {} and {} is {}, expected a multiple",
                                           il, keys.full("attention.head_count"), layer.n_head,
                                           keys.full("attention.head_count_kv"), layer.n_head_kv));
    }
    return ok();
}

Status read_head_dim(const KeyReader& keys, HParams& hp) {
    if (keys.has("attention.key_length")) {
        ALCOVE_ASSIGN_OR_RETURN(hp.head_dim, keys.count("attention.key_length", 1, 1 << 16));
    } else {
        const std::int32_t n_head = hp.layers.front().n_head;
        if (hp.n_embd % n_head != 0)
            return model_error(fmt::format(
                "{} is {} and {} is {}, expected a multiple where {} is absent",
                keys.full("embedding_length"), hp.n_embd, keys.full("attention.head_count"), n_head,
                keys.full("attention.key_length")));
        hp.head_dim = hp.n_embd / n_head;
    }
    if (hp.head_dim % 2 != 0)
        return model_error(
            fmt::format("heads have {} values, expected an even number", hp.head_dim));
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t value_length,
                            keys.count_or("attention.value_length", hp.head_dim, 1, 1 << 16));
    if (value_length != hp.head_dim)
        return Error{Errc::Unsupported,
                     fmt::format("{} is {}, expected {} as in attention.key_length",
                                 keys.full("attention.value_length"), value_length, hp.head_dim)};
    ALCOVE_ASSIGN_OR_RETURN(hp.rope_dims, keys.count_or("rope.dimension_count", hp.head_dim, 1,
                                                        std::numeric_limits<std::int32_t>::max()));
    if (hp.rope_dims % 2 != 0 || hp.rope_dims > hp.head_dim)
        return model_error(fmt::format("{} is {}, expected an even number up to {} (head length)",
                                       keys.full("rope.dimension_count"), hp.rope_dims,
                                       hp.head_dim));
    return ok();
}

/// How many experts there are. A file with experts needs an architecture that has them.
Status read_expert_count(const KeyReader& keys, const Architecture& architecture, HParams& hp) {
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t n_expert,
                            keys.count_or("expert_count", 0, 0, kMaxExperts));
    hp.experts.n = n_expert;
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t n_used,
                            keys.count_or("expert_used_count", 0, 0, kMaxExperts));
    if (n_used > n_expert)
        return model_error(fmt::format("{} is {}, expected at most {} (expert_count)",
                                       keys.full("expert_used_count"), n_used, n_expert));
    if (n_expert > 0 && !architecture.has_experts)
        return Error{Errc::Unsupported,
                     fmt::format("{} is {}, expected 0: {} models with experts are not supported",
                                 keys.full("expert_count"), n_expert, architecture.name)};
    return ok();
}

} // namespace

std::int32_t HParams::max_n_head() const {
    return max_over(layers, &LayerParams::n_head);
}
std::int32_t HParams::max_n_head_kv() const {
    return max_over(layers, &LayerParams::n_head_kv);
}
std::int32_t HParams::max_n_ff() const {
    return max_over(layers, &LayerParams::n_ff);
}

bool HParams::uses_local_rope() const {
    return std::any_of(layers.begin(), layers.end(),
                       [](const LayerParams& layer) { return layer.rope == RopeUse::Local; });
}

KeyReader::KeyReader(const GgufFile& file, std::string_view architecture)
    : file_(file), prefix_(std::string(architecture) + ".") {}

std::string KeyReader::full(std::string_view key) const {
    return prefix_ + std::string(key);
}

bool KeyReader::has(std::string_view key) const {
    return file_.find(full(key)) != nullptr;
}

Result<std::int32_t> KeyReader::count(std::string_view key, std::int64_t min,
                                      std::int64_t max) const {
    const std::string name = full(key);
    ALCOVE_ASSIGN_OR_RETURN(const std::optional<std::uint64_t> found, file_.get_u64(name));
    if (!found)
        return model_error(fmt::format("{} is missing", name));
    if (*found < static_cast<std::uint64_t>(min) || *found > static_cast<std::uint64_t>(max))
        return model_error(fmt::format("{} is {}, expected {} to {}", name, *found, min, max));
    return static_cast<std::int32_t>(*found);
}

Result<std::int32_t> KeyReader::count_or(std::string_view key, std::int32_t fallback,
                                         std::int64_t min, std::int64_t max) const {
    if (!has(key))
        return fallback;
    return count(key, min, max);
}

Result<std::vector<std::int32_t>> KeyReader::per_layer(std::string_view key, std::int32_t n_layer,
                                                       std::int32_t fallback, std::int64_t min,
                                                       std::int64_t max) const {
    const std::string name = full(key);
    const GgufValue* value = file_.find(name);
    if (value == nullptr && fallback >= 0)
        return std::vector<std::int32_t>(static_cast<std::size_t>(n_layer), fallback);
    if (value == nullptr || value->type != GgufValueType::Array) {
        ALCOVE_ASSIGN_OR_RETURN(const std::int32_t one, count(key, min, max));
        return std::vector<std::int32_t>(static_cast<std::size_t>(n_layer), one);
    }
    ALCOVE_ASSIGN_OR_RETURN(const GgufArray* array, file_.get_array(name));
    const auto* numbers = std::get_if<std::vector<std::int64_t>>(&array->elements);
    if (numbers == nullptr)
        return model_error(fmt::format("{} is an array of other values, expected integers", name));
    if (numbers->size() != static_cast<std::size_t>(n_layer))
        return model_error(
            fmt::format("{} is an array of {}, expected one value for each of {} layers", name,
                        numbers->size(), n_layer));
    std::vector<std::int32_t> counts;
    counts.reserve(numbers->size());
    for (const std::int64_t number : *numbers) {
        if (number < min || number > max)
            return model_error(fmt::format("{} holds {} for layer {}, expected {} to {}", name,
                                           number, counts.size(), min, max));
        counts.push_back(static_cast<std::int32_t>(number));
    }
    return counts;
}

Result<std::vector<bool>> KeyReader::window_pattern(std::int32_t n_layer,
                                                    std::int32_t period) const {
    constexpr std::string_view kKey = "attention.sliding_window_pattern";
    std::vector<bool> windows(static_cast<std::size_t>(n_layer));
    const GgufValue* value = file_.find(full(kKey));
    if (value != nullptr && value->type == GgufValueType::Array) {
        ALCOVE_ASSIGN_OR_RETURN(const std::vector<std::int32_t> flags,
                                per_layer(kKey, n_layer, -1, 0, 1));
        for (std::size_t il = 0; il < windows.size(); ++il)
            windows[il] = flags[il] != 0;
        return windows;
    }
    ALCOVE_ASSIGN_OR_RETURN(period, count_or(kKey, period, 1, kMaxWidth));
    for (std::int32_t il = 0; il < n_layer; ++il)
        windows[static_cast<std::size_t>(il)] = il % period != period - 1;
    return windows;
}

Result<float> KeyReader::number(std::string_view key) const {
    const std::string name = full(key);
    ALCOVE_ASSIGN_OR_RETURN(const std::optional<double> found, file_.get_f64(name));
    if (!found)
        return model_error(fmt::format("{} is missing", name));
    const auto number = static_cast<float>(*found);
    if (!std::isfinite(number))
        return model_error(fmt::format("{} is {}, expected a finite number", name, *found));
    return number;
}

Result<float> KeyReader::number_or(std::string_view key, float fallback) const {
    if (!has(key))
        return fallback;
    return number(key);
}

Result<double> KeyReader::positive_or(std::string_view key, double fallback) const {
    const std::string name = full(key);
    ALCOVE_ASSIGN_OR_RETURN(const std::optional<double> found, file_.get_f64(name));
    if (!found)
        return fallback;
    if (!std::isfinite(*found) || *found <= 0)
        return model_error(fmt::format("{} is {}, expected a finite number above 0", name, *found));
    return *found;
}

Result<std::string_view> read_architecture_name(const GgufFile& file) {
    ALCOVE_ASSIGN_OR_RETURN(const std::optional<std::string_view> name,
                            file.get_string("general.architecture"));
    if (!name)
        return model_error("general.architecture is missing, expected the name of an architecture");
    if (name->empty())
        return model_error("general.architecture is empty, expected the name of an architecture");
    return *name;
}

Result<HParams> read_hparams(const GgufFile& file, const Architecture& architecture,
                             std::vector<std::string>& warnings) {
    const KeyReader keys(file, architecture.name);
    HParams hp;
    hp.architecture = architecture.name;
    // Every layer has several tensors, so their number bounds the layers before any allocation.
    ALCOVE_ASSIGN_OR_RETURN(hp.n_layer, keys.count("block_count", 1, 1 << 16));
    if (static_cast<std::size_t>(hp.n_layer) > file.tensors().size())
        return model_error(fmt::format("{} is {}, but the file holds {} tensors only",
                                       keys.full("block_count"), hp.n_layer,
                                       file.tensors().size()));
    ALCOVE_ASSIGN_OR_RETURN(hp.n_embd, keys.count("embedding_length", 1, kMaxWidth));
    ALCOVE_ASSIGN_OR_RETURN(hp.n_ctx_train, keys.count_or("context_length", 0, 1, kMaxContext));
    if (hp.n_ctx_train == 0)
        warnings.push_back(fmt::format("{} is missing: the trained context length is unknown",
                                       keys.full("context_length")));
    ALCOVE_ASSIGN_OR_RETURN(hp.n_vocab, read_vocab_rows(file, hp.n_embd));
    ALCOVE_ASSIGN_OR_RETURN(hp.rms_eps, keys.number("attention.layer_norm_rms_epsilon"));
    if (hp.rms_eps <= 0)
        return model_error(fmt::format("{} is {}, expected more than 0",
                                       keys.full("attention.layer_norm_rms_epsilon"), hp.rms_eps));

    ALCOVE_RETURN_IF_ERROR(check_vocab_size(keys, hp.n_vocab));
    hp.layers.resize(static_cast<std::size_t>(hp.n_layer));
    ALCOVE_RETURN_IF_ERROR(read_heads(keys, hp, architecture.has_recurrent_layers));
    ALCOVE_RETURN_IF_ERROR(read_head_dim(keys, hp));
    ALCOVE_ASSIGN_OR_RETURN(const std::vector<std::int32_t> widths,
                            keys.per_layer("feed_forward_length", hp.n_layer, -1, 1, kMaxWidth));
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t window,
                            keys.count_or("attention.sliding_window", 0, 0, kMaxContext));
    for (std::size_t il = 0; il < hp.layers.size(); ++il) {
        hp.layers[il].n_ff = widths[il];
        hp.layers[il].window = window;
    }
    ALCOVE_ASSIGN_OR_RETURN(hp.rope, read_rope(keys, hp.n_ctx_train));
    report_unknown_rope_keys(keys, warnings);
    hp.attn_scale = 1.0F / std::sqrt(static_cast<float>(hp.head_dim));
    ALCOVE_RETURN_IF_ERROR(read_expert_count(keys, architecture, hp));
    if (architecture.configure != nullptr)
        ALCOVE_RETURN_IF_ERROR(architecture.configure(keys, hp));
    return hp;
}

Status require_experts(const KeyReader& keys, HParams& hp) {
    ExpertParams& experts = hp.experts;
    if (experts.n == 0)
        return model_error(fmt::format("{} is {}, expected 1 to {}", keys.full("expert_count"),
                                       keys.has("expert_count") ? "0" : "missing", kMaxExperts));
    ALCOVE_ASSIGN_OR_RETURN(experts.n_used, keys.count("expert_used_count", 1, experts.n));
    ALCOVE_ASSIGN_OR_RETURN(
        experts.n_ff, keys.count_or("expert_feed_forward_length", hp.max_n_ff(), 1, kMaxWidth));
    constexpr std::int32_t kSoftmax = 1;
    constexpr std::int32_t kSigmoid = 2;
    ALCOVE_ASSIGN_OR_RETURN(const std::int32_t gating,
                            keys.count_or("expert_gating_func", kSoftmax, kSoftmax, kSigmoid));
    experts.gating = gating == kSigmoid ? Gating::Sigmoid : Gating::Softmax;
    ALCOVE_ASSIGN_OR_RETURN(const float scale, keys.number_or("expert_weights_scale", 1.0F));
    experts.scale = scale == 0.0F ? 1.0F : scale; // 0 counts as absent
    return ok();
}

} // namespace alcove::model
