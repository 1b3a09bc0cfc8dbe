#include "engine/adapter/engine_adapter.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <variant>

/// Finding the matrices that the pairs of a file are for.
namespace alcove::adapter {

namespace {

constexpr std::string_view kEmbedding = "token_embd.weight";
constexpr double kCostWarning = 0.25; // of the base's multiplications per token

/// N of "blk.N.…"; −1 for a tensor of the whole model.
std::int32_t layer_of(std::string_view target) {
    constexpr std::string_view kPrefix = "blk.";
    if (!target.starts_with(kPrefix))
        return -1;
    std::int32_t layer = -1;
    std::from_chars(target.data() + kPrefix.size(), target.data() + target.size(), layer);
    return layer;
}

class Matcher {
public:
    Matcher(AdapterFile& file, const model::LoadedModel& base, const Refusal& refuse)
        : file_(file), base_(base), refuse_(refuse) {}

    Result<std::vector<Match>> match() {
        if (file_.info.kind == AdapterKind::Gemma && base_.hparams.architecture != "gemma4")
            return refuse_("architecture",
                           fmt::format("adapters of this kind are for the architecture gemma4, the "
                                       "model has {}",
                                       base_.hparams.architecture));
        for (const Pair& pair : file_.pairs)
            ALCOVE_RETURN_IF_ERROR(match(pair));
        if (matches_.empty())
            return refuse_("empty", "nothing in the adapter has an effect on this model");
        if (!without_effect_.empty())
            file_.info.warnings.push_back(
                fmt::format("no effect, as the layer shares the keys and values of another: {}",
                            fmt::join(without_effect_, ", ")));
        warn_of_cost();
        return std::move(matches_);
    }

private:
    Status match(const Pair& pair) {
        const std::int32_t layer = layer_of(pair.target);
        if (layer >= base_.hparams.n_layer)
            return refuse_("layer_range",
                           fmt::format("{} is for layer {}, the model has {} layers",
                                       alcove::quoted(pair.shown), layer, base_.hparams.n_layer));
        const GgufTensor* tensor = find(pair);
        const bool usable = tensor != nullptr && is_factor(pair.target, layer);
        if (!usable && shares_kv(pair, layer)) {
            without_effect_.push_back(pair.shown);
            return ok();
        }
        if (tensor == nullptr)
            return refuse_("target", fmt::format("{} is for {}, which this model does not have",
                                                 alcove::quoted(pair.shown), pair.target));
        if (pair.expert >= 0 || pair.a.n_experts != 1 || tensor->n_dims > 2)
            return refuse_("target", fmt::format("{} is for experts, whose adapters Alcove does "
                                                 "not apply",
                                                 alcove::quoted(pair.shown)));
        if (!usable)
            return refuse_("target", fmt::format("{} is for {}, which is no matrix that this model "
                                                 "multiplies with",
                                                 alcove::quoted(pair.shown), pair.target));
        ALCOVE_RETURN_IF_ERROR(check_shape(pair, *tensor));
        matches_.push_back({&pair, tensor, layer});
        return ok();
    }

    /// The base's tensor; of a file without its own head the embedding's, where the kind of adapter
    /// knows such heads.
    const GgufTensor* find(const Pair& pair) {
        const GgufTensor* tensor = base_.file->find_tensor(pair.target);
        const bool tied = tensor == nullptr && pair.target == "output.weight" &&
                          file_.info.kind != AdapterKind::Gguf;
        if (!tied)
            return tensor;
        file_.info.warnings.emplace_back("the model's head shares the embedding's weights; the "
                                         "adapter changes the head only");
        return base_.file->find_tensor(kEmbedding);
    }

    /// Whether the architecture takes products with `target`.
    bool is_factor(std::string_view target, std::int32_t layer) const {
        if (layer < 0)
            return std::any_of(
                base_.architecture->tensors.begin(), base_.architecture->tensors.end(),
                [&](const model::ModelTensor& row) {
                    return row.name == target &&
                           std::holds_alternative<model::Matrix model::Weights::*>(row.slot);
                });
        const model::LayerParams& params = base_.hparams.layers[static_cast<std::size_t>(layer)];
        const std::string name = fmt::format("{}.weight", target_name(target));
        return std::any_of(
            base_.architecture->layer_tensors.begin(), base_.architecture->layer_tensors.end(),
            [&](const model::LayerTensor& row) {
                return row.name == name && (row.where == nullptr || row.where(params)) &&
                       std::holds_alternative<model::Matrix model::LayerWeights::*>(row.slot);
            });
    }

    /// True for keys and values of a layer that reads those of an earlier one.
    bool shares_kv(const Pair& pair, std::int32_t layer) const {
        const std::string name = target_name(pair.target);
        if (layer < 0 || (name != "attn_k" && name != "attn_v"))
            return false;
        const auto shared =
            base_.file->get_u64(base_.hparams.architecture + ".attention.shared_kv_layers");
        return shared && shared->has_value() &&
               layer >= base_.hparams.n_layer - static_cast<std::int64_t>(**shared);
    }

    Status check_shape(const Pair& pair, const GgufTensor& tensor) const {
        const bool embedding = pair.target == kEmbedding;
        const auto n_cols = static_cast<std::int64_t>(tensor.dims[0]);
        const auto n_rows = static_cast<std::int64_t>(tensor.dims[1]);
        const std::int64_t in = embedding ? n_rows : n_cols;
        const std::int64_t out = embedding ? n_cols : n_rows;
        const std::int64_t a_in = pair.a_by_token ? pair.a.n_rows : pair.a.n_cols;
        if (a_in != in || pair.b.n_rows != out)
            return refuse_("shape",
                           fmt::format("{} is for a matrix of {} inputs and {} outputs, {} has {} "
                                       "and {} in this model",
                                       alcove::quoted(pair.shown), a_in, pair.b.n_rows, pair.target,
                                       in, out));
        if (!rows_move(pair, base_))
            return ok();
        if (out % base_.hparams.head_dim != 0)
            return refuse_("shape",
                           fmt::format("{} has {} rows, expected whole heads of {}",
                                       alcove::quoted(pair.shown), out, base_.hparams.head_dim));
        return ok();
    }

    void warn_of_cost() {
        double base = 0;
        for (const GgufTensor& tensor : base_.file->tensors()) {
            if (tensor.n_dims >= 2 && tensor.name != kEmbedding)
                base += static_cast<double>(tensor.dims[0]) * static_cast<double>(tensor.dims[1]) *
                        static_cast<double>(tensor.dims[2]);
        }
        double added = 0;
        for (const Match& match : matches_) {
            if (match.pair->target != kEmbedding)
                added += static_cast<double>(match.pair->a.size() + match.pair->b.size());
        }
        if (base > 0 && added > kCostWarning * base)
            file_.info.warnings.push_back(fmt::format(
                "the adapter adds {:.0f} % to the work of every token", 100 * added / base));
    }

    AdapterFile& file_;
    const model::LoadedModel& base_;
    const Refusal& refuse_;
    std::vector<Match> matches_;
    std::vector<std::string> without_effect_;
};

} // namespace

Result<std::vector<Match>> match(AdapterFile& file, const model::LoadedModel& base,
                                 const Refusal& refuse) {
    return Matcher(file, base, refuse).match();
}

} // namespace alcove::adapter
