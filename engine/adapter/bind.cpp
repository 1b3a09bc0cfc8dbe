#include "engine/adapter/engine_adapter.h"
#include "engine/kernels/kernel_table.h"
#include "engine/quant/half.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace alcove::adapter {

namespace {

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

float value_at(const Factor& factor, std::int64_t i) {
    if (factor.type == QuantType::F32) {
        float value = 0;
        std::memcpy(&value, factor.data + 4 * i, 4);
        return value;
    }
    std::uint16_t half = 0;
    std::memcpy(&half, factor.data + 2 * i, 2);
    return factor.type == QuantType::F16 ? f16_to_f32(half) : bf16_to_f32(half);
}

/// Row `row` of the base for row `row` of a matrix whose heads have rotation pairs (i, i + n/2),
/// where the base has (2i, 2i + 1): conversion to GGUF has interleaved the halves of each head.
std::int64_t interleaved_row(std::int64_t row, std::int64_t head_dim) {
    const std::int64_t head = row / head_dim;
    const std::int64_t within = row % head_dim;
    const std::int64_t half = head_dim / 2;
    return head * head_dim + 2 * (within % half) + within / half;
}

/// The power of two that brings the largest of `values` to [1, 2); 1 for zeros.
float to_unit(std::span<const float> values) {
    float largest = 0;
    for (const float value : values)
        largest = std::max(largest, std::abs(value));
    return largest > 0 && std::isnormal(largest) ? std::ldexp(1.0F, -std::ilogb(largest)) : 1.0F;
}

std::vector<std::uint16_t> to_halves(std::span<const float> values, float factor) {
    std::vector<std::uint16_t> halves(values.size());
    std::transform(values.begin(), values.end(), halves.begin(),
                   [factor](float value) { return f32_to_f16(value * factor); });
    return halves;
}

class Binder {
public:
    Binder(AdapterFile& file, const model::LoadedModel& base, const Refusal& refuse)
        : file_(file), base_(base), refuse_(refuse) {}

    Result<std::vector<Slot>> bind() {
        if (file_.info.kind == AdapterKind::Gemma && base_.hparams.architecture != "gemma4")
            return refuse_("architecture",
                           fmt::format("adapters of this kind are for the architecture gemma4, the "
                                       "model has {}",
                                       base_.hparams.architecture));
        for (const Pair& pair : file_.pairs)
            ALCOVE_RETURN_IF_ERROR(bind(pair));
        if (slots_.empty())
            return refuse_("empty", "nothing in the adapter has an effect on this model");
        if (!without_effect_.empty())
            file_.info.warnings.push_back(
                fmt::format("no effect, as the layer shares the keys and values of another: {}",
                            fmt::join(without_effect_, ", ")));
        warn_of_cost();
        return std::move(slots_);
    }

private:
    Status bind(const Pair& pair) {
        const std::int32_t layer = layer_of(pair.target);
        if (layer >= base_.hparams.n_layer)
            return refuse_("layer_range",
                           fmt::format("{} is for layer {}, the model has {} layers",
                                       alcove::quoted(pair.shown), layer, base_.hparams.n_layer));
        const GgufTensor* tensor = find(pair);
        if (tensor == nullptr) {
            if (shares_kv(pair, layer)) {
                without_effect_.push_back(pair.shown);
                return ok();
            }
            return refuse_("target", fmt::format("{} is for {}, which this model does not have",
                                                 alcove::quoted(pair.shown), pair.target));
        }
        if (pair.expert >= 0 || pair.a.n_experts != 1 || tensor->n_dims != 2)
            return refuse_("target", fmt::format("{} is for experts, whose adapters Alcove does "
                                                 "not apply",
                                                 alcove::quoted(pair.shown)));
        ALCOVE_RETURN_IF_ERROR(check_shape(pair, *tensor));
        slots_.push_back(pack(pair, layer, *tensor));
        return ok();
    }

    /// The base's tensor, if the architecture uses it.
    const GgufTensor* find(const Pair& pair) {
        const std::int32_t layer = layer_of(pair.target);
        const GgufTensor* tensor = base_.file->find_tensor(pair.target);
        if (layer < 0) {
            const bool tied = tensor == nullptr && pair.target == "output.weight" &&
                              file_.info.kind != AdapterKind::Gguf;
            if (!tied)
                return uses(base_.architecture->tensors, pair.target) ? tensor : nullptr;
            file_.info.warnings.emplace_back("the model's head shares the embedding's weights; the "
                                             "adapter changes the head only");
            return base_.file->find_tensor("token_embd.weight");
        }
        const std::string name = fmt::format("{}.weight", target_name(pair.target));
        return uses(base_.architecture->layer_tensors, name) ? tensor : nullptr;
    }

    template <typename Rows> static bool uses(const Rows& rows, std::string_view name) {
        return name.ends_with(".weight") &&
               std::any_of(rows.begin(), rows.end(),
                           [&](const auto& row) { return row.name == name; });
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
        const bool embedding = pair.target == "token_embd.weight";
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
        if (!rows_move(pair))
            return ok();
        if (out % base_.hparams.head_dim != 0)
            return refuse_("shape",
                           fmt::format("{} has {} rows, expected whole heads of {}",
                                       alcove::quoted(pair.shown), out, base_.hparams.head_dim));
        return ok();
    }

    bool rows_move(const Pair& pair) const {
        return pair.order == RowOrder::HalfSplit && base_.architecture->rope_interleaved;
    }

    Slot pack(const Pair& pair, std::int32_t layer, const GgufTensor& base) {
        Slot slot;
        slot.base = base.data;
        slot.layer = layer;
        slot.rank = static_cast<std::int32_t>(pair.b.n_cols);
        slot.n_in = static_cast<std::int32_t>(pair.a_by_token ? pair.a.n_rows : pair.a.n_cols);
        slot.n_out = static_cast<std::int32_t>(pair.b.n_rows);
        slot.scale = pair.scale;
        slot.embedding = pair.target == "token_embd.weight";
        slot.after_embedding_scale = pair.after_embedding_scale;
        slot.rank_one = file_.info.kind == AdapterKind::RankOne;
        pack_a(pair, slot);
        pack_b(pair, slot);
        const bool quantised = act_type(base.type, false) != ActType::F32;
        if (quantised && !slot.rank_one && !slot.embedding)
            pack_halves(pair, slot);
        return slot;
    }

    static void pack_a(const Pair& pair, Slot& slot) {
        const std::int64_t n = pair.a.n_rows * pair.a.n_cols;
        if (!slot.embedding) {
            slot.a_type = pair.a.type;
            const auto n_bytes = static_cast<std::size_t>(n) * pair.a.value_bytes();
            slot.a.assign(pair.a.data, pair.a.data + n_bytes);
            return;
        }
        slot.a.resize(static_cast<std::size_t>(n) * sizeof(float));
        for (std::int64_t token = 0; token < slot.n_in; ++token) {
            for (std::int64_t k = 0; k < slot.rank; ++k) {
                const std::int64_t at =
                    pair.a_by_token ? token * slot.rank + k : k * slot.n_in + token;
                const float value = value_at(pair.a, at);
                std::memcpy(slot.a.data() + (token * slot.rank + k) * 4, &value, 4);
            }
        }
    }

    static void pack_halves(const Pair& pair, Slot& slot) {
        std::vector<float> a(static_cast<std::size_t>(pair.a.n_rows * pair.a.n_cols));
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = value_at(pair.a, static_cast<std::int64_t>(i));
        const float a_factor = to_unit(a);
        const float b_factor = to_unit(*slot.b);
        // What halves cannot bring back stays as it is.
        slot.half_scale = 1.0F / a_factor / b_factor;
        if (!std::isnormal(slot.half_scale))
            return;
        slot.a_half = to_halves(a, a_factor);
        slot.b_half = to_halves(*slot.b, b_factor);
    }

    void pack_b(const Pair& pair, Slot& slot) {
        const std::int64_t rank = pair.b.n_cols;
        const std::int64_t n_out = pair.b.n_rows;
        constexpr auto kPanel = static_cast<std::int64_t>(kLowRankPanel);
        const std::int64_t n_panels = (n_out + kPanel - 1) / kPanel;
        std::vector<float> b(static_cast<std::size_t>(n_panels * kPanel * rank));
        for (std::int64_t row = 0; row < n_out; ++row) {
            const std::int64_t to =
                rows_move(pair) ? interleaved_row(row, base_.hparams.head_dim) : row;
            for (std::int64_t k = 0; k < rank; ++k)
                b[static_cast<std::size_t>((to / kPanel * rank + k) * kPanel + to % kPanel)] =
                    value_at(pair.b, row * rank + k);
        }
        slot.b = share(std::move(b));
    }

    /// Files of rank one often hold the same vector for every target.
    std::shared_ptr<const std::vector<float>> share(std::vector<float> b) {
        constexpr std::size_t kMaxFloats = 16 * 1024;
        constexpr std::size_t kMaxKept = 64;
        if (file_.info.kind != AdapterKind::RankOne || b.size() > kMaxFloats)
            return std::make_shared<const std::vector<float>>(std::move(b));
        for (const auto& kept : shared_) {
            // Bytes, not values: −0 is not 0.
            if (kept->size() == b.size() &&
                std::memcmp(kept->data(), b.data(), b.size() * sizeof(float)) == 0)
                return kept;
        }
        auto made = std::make_shared<const std::vector<float>>(std::move(b));
        if (shared_.size() < kMaxKept)
            shared_.push_back(made);
        return made;
    }

    void warn_of_cost() {
        double base = 0;
        for (const GgufTensor& tensor : base_.file->tensors()) {
            if (tensor.n_dims >= 2 && tensor.name != "token_embd.weight")
                base += static_cast<double>(tensor.dims[0]) * static_cast<double>(tensor.dims[1]) *
                        static_cast<double>(tensor.dims[2]);
        }
        double added = 0;
        for (const Slot& slot : slots_) {
            if (!slot.embedding)
                added += static_cast<double>(slot.rank) *
                         (static_cast<double>(slot.n_in) + static_cast<double>(slot.n_out));
        }
        if (base > 0 && added > kCostWarning * base)
            file_.info.warnings.push_back(fmt::format(
                "the adapter adds {:.0f} % to the work of every token", 100 * added / base));
    }

    AdapterFile& file_;
    const model::LoadedModel& base_;
    const Refusal& refuse_;
    std::vector<Slot> slots_;
    std::vector<std::string> without_effect_;
    std::vector<std::shared_ptr<const std::vector<float>>> shared_;
};

} // namespace

Result<std::vector<Slot>> bind(AdapterFile& file, const model::LoadedModel& base,
                               const Refusal& refuse) {
    return Binder(file, base, refuse).bind();
}

} // namespace alcove::adapter
