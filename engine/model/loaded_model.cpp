#include "engine/model/loaded_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <unordered_set>

namespace alcove::model {

namespace {

std::string shape_text(const GgufTensor& tensor) {
    std::string text;
    for (std::uint32_t i = 0; i < tensor.n_dims; ++i)
        text += fmt::format("{}{}", i == 0 ? "[" : ", ", tensor.dims[i]);
    return text + "]";
}

std::string type_text(QuantType type) {
    const QuantTraits* traits = quant_traits(type);
    return traits != nullptr ? std::string(traits->name)
                             : fmt::format("{}", static_cast<std::uint32_t>(type));
}

std::string runnable_types() {
    std::string names;
    for (const QuantTraits& traits : quant_types()) {
        if (traits.runnable)
            names += fmt::format("{}{}", names.empty() ? "" : ", ", traits.name);
    }
    return names;
}

/// Binds the tensors that the tables name and remembers which were taken.
class Binder {
public:
    Binder(const GgufFile& file, const HParams& hparams) : file_(file), hp_(hparams) {}

    template <typename Row, typename Target>
    Status bind(const Row& row, const std::string& name, Target& target, const LayerParams& layer) {
        const GgufTensor* tensor = file_.find_tensor(name);
        if (tensor == nullptr) {
            if (row.need == Need::Optional)
                return ok();
            return Error{Errc::Model, fmt::format("tensor {} is missing", name)};
        }
        taken_.insert(tensor->name);
        const std::int64_t n_cols = size_of(row.cols, layer);
        if (const auto* vector = std::get_if<Vector Target::*>(&row.slot))
            return bind_vector(*tensor, n_cols, target.*(*vector));
        const std::int64_t n_rows = size_of(row.rows, layer);
        if (const auto* table = std::get_if<Table Target::*>(&row.slot))
            return bind_table(*tensor, n_cols, n_rows, target.*(*table));
        if (const auto* experts = std::get_if<Experts Target::*>(&row.slot))
            return bind_experts(*tensor, n_cols, n_rows, target.*(*experts));
        return bind_matrix(*tensor, n_cols, n_rows, target.*std::get<Matrix Target::*>(row.slot));
    }

    /// Tensors that no table named: a norm or a bias would change the answer, the rest is reported.
    Status report_rest(std::vector<std::string>& warnings) const {
        for (const GgufTensor& tensor : file_.tensors()) {
            if (taken_.contains(tensor.name))
                continue;
            const bool changes_answer = tensor.name.ends_with(".bias") ||
                                        tensor.name.find("norm") != std::string_view::npos;
            if (changes_answer)
                return Error{Errc::Unsupported,
                             fmt::format("tensor {} has no place in the architecture {}",
                                         tensor.name, hp_.architecture)};
            warnings.push_back(fmt::format("tensor {} takes no part in the architecture {}",
                                           tensor.name, hp_.architecture));
        }
        return ok();
    }

private:
    std::int64_t size_of(Dim dim, const LayerParams& layer) const {
        switch (dim) {
        case Dim::Embd:
            return hp_.n_embd;
        case Dim::Vocab:
            return hp_.n_vocab;
        case Dim::Heads:
            return std::int64_t{layer.n_head} * hp_.head_dim;
        case Dim::HeadsKv:
            return std::int64_t{layer.n_head_kv} * hp_.head_dim;
        case Dim::Qkv:
            return (std::int64_t{layer.n_head} + 2 * std::int64_t{layer.n_head_kv}) * hp_.head_dim;
        case Dim::HeadDim:
            return hp_.head_dim;
        case Dim::Ff:
            return layer.n_ff;
        case Dim::FfTwice:
            return 2 * std::int64_t{layer.n_ff};
        case Dim::Experts:
            return hp_.experts.n;
        case Dim::ExpertFf:
            return hp_.experts.n_ff;
        case Dim::ConvIn:
            return 3 * std::int64_t{hp_.n_embd};
        case Dim::ConvTaps:
            return hp_.n_conv_taps;
        case Dim::RopeHalf:
            return hp_.rope_dims / 2;
        }
        return 0;
    }

    static Status check_shape(const GgufTensor& tensor, std::initializer_list<std::int64_t> dims) {
        bool same = tensor.n_dims == dims.size();
        std::string expected;
        std::size_t i = 0;
        for (const std::int64_t dim : dims) {
            same = same && tensor.dims[i++] == static_cast<std::uint64_t>(dim);
            expected += fmt::format("{}{}", expected.empty() ? "" : ", ", dim);
        }
        if (same)
            return ok();
        return Error{Errc::Model, fmt::format("tensor {} has shape {}, expected [{}]", tensor.name,
                                              shape_text(tensor), expected)};
    }

    /// Small tensors are read as they are.
    static Status check_float(const GgufTensor& tensor) {
        if (tensor.type == QuantType::F32)
            return ok();
        return Error{Errc::Unsupported, fmt::format("tensor {} has type {}, expected F32",
                                                    tensor.name, type_text(tensor.type))};
    }

    // Offsets are multiples of the file's alignment, so floats are aligned.
    static Status bind_vector(const GgufTensor& tensor, std::int64_t size, Vector& target) {
        ALCOVE_RETURN_IF_ERROR(check_shape(tensor, {size}));
        ALCOVE_RETURN_IF_ERROR(check_float(tensor));
        target.data = reinterpret_cast<const float*>(tensor.data);
        target.size = static_cast<std::int32_t>(size);
        return ok();
    }

    static Status bind_table(const GgufTensor& tensor, std::int64_t n_cols, std::int64_t n_rows,
                             Table& target) {
        ALCOVE_RETURN_IF_ERROR(check_shape(tensor, {n_cols, n_rows}));
        ALCOVE_RETURN_IF_ERROR(check_float(tensor));
        target.data = reinterpret_cast<const float*>(tensor.data);
        return ok();
    }

    static Status bind_matrix(const GgufTensor& tensor, std::int64_t n_cols, std::int64_t n_rows,
                              Matrix& target) {
        ALCOVE_RETURN_IF_ERROR(check_shape(tensor, {n_cols, n_rows}));
        return view_matrix(tensor, n_cols, n_rows, target);
    }

    Status bind_experts(const GgufTensor& tensor, std::int64_t n_cols, std::int64_t n_rows,
                        Experts& target) const {
        ALCOVE_RETURN_IF_ERROR(check_shape(tensor, {n_cols, n_rows, hp_.experts.n}));
        return view_matrix(tensor, n_cols, n_rows, target.first);
    }

    static Status view_matrix(const GgufTensor& tensor, std::int64_t n_cols, std::int64_t n_rows,
                              Matrix& target) {
        const QuantTraits* traits = quant_traits(tensor.type);
        if (traits == nullptr || !traits->runnable)
            return Error{Errc::Unsupported,
                         fmt::format("tensor {} has type {}, expected a type that computes: {}",
                                     tensor.name, type_text(tensor.type), runnable_types())};
        if (n_cols % traits->block_size != 0)
            return Error{Errc::Model,
                         fmt::format("tensor {} has rows of {}, expected a multiple of {} for {}",
                                     tensor.name, n_cols, traits->block_size, traits->name)};
        target.name = tensor.name;
        target.type = tensor.type;
        target.data = tensor.data;
        target.row_bytes = row_bytes(*traits, static_cast<std::size_t>(n_cols));
        target.n_cols = static_cast<std::int32_t>(n_cols);
        target.n_rows = static_cast<std::int32_t>(n_rows);
        return ok();
    }

    const GgufFile& file_;
    const HParams& hp_;
    std::unordered_set<std::string_view> taken_;
};

/// The frequencies are divided by these factors.
Status check_factors(std::string_view name, const Vector& factors) {
    for (std::int32_t i = 0; i < factors.size; ++i) {
        const float factor = factors.data[i];
        if (!std::isfinite(factor) || factor == 0.0F)
            return Error{Errc::Model, fmt::format("tensor {} holds {} at {}, expected finite "
                                                  "numbers other than 0",
                                                  name, factor, i)};
    }
    return ok();
}

Status check_rope_factors(const HParams& hp, const Weights& weights) {
    ALCOVE_RETURN_IF_ERROR(check_factors("rope_freqs.weight", weights.rope_freqs));
    ALCOVE_RETURN_IF_ERROR(check_factors("rope_factors_long.weight", weights.rope_long));
    ALCOVE_RETURN_IF_ERROR(check_factors("rope_factors_short.weight", weights.rope_short));
    const bool both = weights.rope_long && weights.rope_short;
    if (!both && (weights.rope_long || weights.rope_short))
        return Error{Errc::Model, fmt::format("tensor {} is missing, expected beside {}",
                                              weights.rope_long ? "rope_factors_short.weight"
                                                                : "rope_factors_long.weight",
                                              weights.rope_long ? "rope_factors_long.weight"
                                                                : "rope_factors_short.weight")};
    if (hp.rope.scaling == RopeScaling::LongRope && !both)
        return Error{Errc::Model, fmt::format("tensors rope_factors_long.weight and "
                                              "rope_factors_short.weight are missing, longrope "
                                              "scaling needs them")};
    if (both && hp.rope.n_ctx_original <= 0)
        return Error{Errc::Model, fmt::format("{}.rope.scaling.original_context_length is missing, "
                                              "rope_factors_long.weight needs it",
                                              hp.architecture)};
    return ok();
}

/// Files of other kinds have the same container, some of them the architecture of a model.
Status check_kind(const GgufFile& file) {
    ALCOVE_ASSIGN_OR_RETURN(const std::optional<std::string_view> kind,
                            file.get_string("general.type"));
    if (!kind || *kind == "model")
        return ok();
    const std::string what = *kind == "adapter"  ? "an adapter, which is added to a model"
                             : *kind == "mmproj" ? "the image part of a model, which is not used"
                             : *kind == "vocab"  ? "a vocabulary without a model"
                                                 : fmt::format("of the kind \"{}\"", *kind);
    return Error{Errc::Unsupported, fmt::format("the file is {}, expected a model", what)};
}

} // namespace

Result<LoadedModel> load_model(std::shared_ptr<const GgufFile> file) {
    LoadedModel model;
    ALCOVE_RETURN_IF_ERROR(check_kind(*file));
    ALCOVE_ASSIGN_OR_RETURN(const std::string_view name, read_architecture_name(*file));
    ALCOVE_ASSIGN_OR_RETURN(model.architecture, find_architecture(name));
    const Architecture& architecture = *model.architecture;
    ALCOVE_ASSIGN_OR_RETURN(model.hparams, read_hparams(*file, architecture, model.warnings));

    Binder binder(*file, model.hparams);
    for (const ModelTensor& row : architecture.tensors) {
        ALCOVE_RETURN_IF_ERROR(
            binder.bind(row, std::string(row.name), model.weights, model.hparams.layers.front()));
    }
    if (!model.weights.output)
        model.weights.output = model.weights.token_embd;
    ALCOVE_RETURN_IF_ERROR(check_rope_factors(model.hparams, model.weights));

    model.weights.layers.resize(model.hparams.layers.size());
    for (std::size_t il = 0; il < model.weights.layers.size(); ++il) {
        const LayerParams& layer = model.hparams.layers[il];
        LayerWeights& weights = model.weights.layers[il];
        for (const LayerTensor& row : architecture.layer_tensors) {
            if (row.where == nullptr || row.where(layer))
                ALCOVE_RETURN_IF_ERROR(
                    binder.bind(row, fmt::format("blk.{}.{}", il, row.name), weights, layer));
        }
        if (architecture.arrange != nullptr)
            architecture.arrange(model.hparams, layer, weights);
    }
    ALCOVE_RETURN_IF_ERROR(binder.report_rest(model.warnings));
    model.file = std::move(file);
    return model;
}

} // namespace alcove::model
