#include "engine/model/loaded_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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
        return bind_matrix(*tensor, n_cols, size_of(row.rows, layer),
                           target.*std::get<Matrix Target::*>(row.slot));
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
        case Dim::HeadDim:
            return hp_.head_dim;
        case Dim::Ff:
            return layer.n_ff;
        case Dim::RopeHalf:
            return hp_.rope_dims / 2;
        }
        return 0;
    }

    static Status bind_vector(const GgufTensor& tensor, std::int64_t size, Vector& target) {
        if (tensor.n_dims != 1 || tensor.dims[0] != static_cast<std::uint64_t>(size))
            return Error{Errc::Model, fmt::format("tensor {} has shape {}, expected [{}]",
                                                  tensor.name, shape_text(tensor), size)};
        if (tensor.type != QuantType::F32)
            return Error{Errc::Unsupported, fmt::format("tensor {} has type {}, expected F32",
                                                        tensor.name, type_text(tensor.type))};
        // Offsets are multiples of the file's alignment, so floats are aligned.
        target.data = reinterpret_cast<const float*>(tensor.data);
        target.size = static_cast<std::int32_t>(size);
        return ok();
    }

    static Status bind_matrix(const GgufTensor& tensor, std::int64_t n_cols, std::int64_t n_rows,
                              Matrix& target) {
        if (tensor.n_dims != 2 || tensor.dims[0] != static_cast<std::uint64_t>(n_cols) ||
            tensor.dims[1] != static_cast<std::uint64_t>(n_rows))
            return Error{Errc::Model, fmt::format("tensor {} has shape {}, expected [{}, {}]",
                                                  tensor.name, shape_text(tensor), n_cols, n_rows)};
        const QuantTraits* traits = quant_traits(tensor.type);
        if (traits == nullptr || !traits->runnable)
            return Error{Errc::Unsupported,
                         fmt::format("tensor {} has type {}, which weights cannot have here",
                                     tensor.name, type_text(tensor.type))};
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

/// The angles are divided by these factors.
Status check_rope_freqs(const Vector& freqs) {
    for (std::int32_t i = 0; i < freqs.size; ++i) {
        const float factor = freqs.data[i];
        if (!std::isfinite(factor) || factor == 0.0F)
            return Error{Errc::Model,
                         fmt::format("tensor rope_freqs.weight holds {} at {}, expected finite "
                                     "numbers other than 0",
                                     factor, i)};
    }
    return ok();
}

} // namespace

Result<LoadedModel> load_model(std::shared_ptr<const GgufFile> file) {
    LoadedModel model;
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
    ALCOVE_RETURN_IF_ERROR(check_rope_freqs(model.weights.rope_freqs));

    model.weights.layers.resize(model.hparams.layers.size());
    for (std::size_t il = 0; il < model.weights.layers.size(); ++il) {
        for (const LayerTensor& row : architecture.layer_tensors) {
            ALCOVE_RETURN_IF_ERROR(binder.bind(row, fmt::format("blk.{}.{}", il, row.name),
                                               model.weights.layers[il], model.hparams.layers[il]));
        }
    }
    ALCOVE_RETURN_IF_ERROR(binder.report_rest(model.warnings));
    model.file = std::move(file);
    return model;
}

} // namespace alcove::model
