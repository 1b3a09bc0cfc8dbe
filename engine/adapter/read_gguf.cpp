#include "engine/adapter/adapter_file.h"
#include "engine/adapter/gguf_metadata.h"

#include <cmath>
#include <fmt/format.h>
#include <map>

/// LoRA in a GGUF file: `general.type` adapter, `adapter.type` lora, `adapter.lora.alpha`, and for
/// every target `<tensor>.lora_a` [in, rank] with `<tensor>.lora_b` [rank, out] (fastest first).
namespace alcove::adapter {

std::string shown_value(const GgufContents& gguf, std::string_view key) {
    const GgufValue* value = find_value(gguf, key);
    if (value == nullptr)
        return "absent";
    if (value->type == GgufValueType::String)
        return alcove::quoted(std::get<std::string_view>(value->value));
    return fmt::format("a value of type {}", gguf_value_type_name(value->type));
}

namespace {

Status check_header(const GgufContents& gguf, const model::LoadedModel* base, const Refusal& refuse,
                    AdapterInfo& info) {
    if (find_text(gguf, "general.type") != "adapter")
        return refuse("general_type", fmt::format("general.type is {}, expected \"adapter\"",
                                                  shown_value(gguf, "general.type")));
    const auto architecture = find_text(gguf, "general.architecture");
    if (!architecture || architecture->empty())
        return refuse("architecture", fmt::format("general.architecture is {}, expected a name",
                                                  shown_value(gguf, "general.architecture")));
    info.architecture = *architecture;
    if (base != nullptr && info.architecture != base->hparams.architecture)
        return refuse("architecture",
                      fmt::format("the adapter is for the architecture {}, the model has {}",
                                  alcove::quoted(*architecture), base->hparams.architecture));
    if (find_text(gguf, "adapter.type") != "lora")
        return refuse("type", fmt::format("adapter.type is {}, expected \"lora\"",
                                          shown_value(gguf, "adapter.type")));
    if (find_value(gguf, "adapter.alora.invocation_tokens") != nullptr)
        return refuse("type", "this is an activated LoRA (adapter.alora.invocation_tokens), which "
                              "Alcove does not apply");
    return ok();
}

/// Absent: the strength is the person's alone, as the format has it.
Result<std::optional<double>> read_alpha(const GgufContents& gguf, const Refusal& refuse) {
    const GgufValue* value = find_value(gguf, "adapter.lora.alpha");
    if (value == nullptr)
        return std::optional<double>();
    const double* alpha = std::get_if<double>(&value->value);
    if (alpha == nullptr)
        return refuse("alpha_value", fmt::format("adapter.lora.alpha is {}, expected a number",
                                                 shown_value(gguf, "adapter.lora.alpha")));
    if (!std::isfinite(*alpha) || *alpha <= 0)
        return refuse("alpha_value", fmt::format("adapter.lora.alpha is {}, expected a finite "
                                                 "number above 0",
                                                 *alpha));
    return std::optional<double>(*alpha);
}

Result<Factor> factor_of(const GgufTensor& tensor, const Refusal& refuse) {
    const bool floats = tensor.type == QuantType::F32 || tensor.type == QuantType::F16 ||
                        tensor.type == QuantType::BF16;
    if (!floats) {
        const QuantTraits* traits = quant_traits(tensor.type);
        return refuse("dtype", fmt::format("tensor {} has type {}, expected F32, F16 or BF16",
                                           alcove::quoted(tensor.name),
                                           traits != nullptr ? traits->name : "unknown"));
    }
    if (tensor.n_dims != 2 && tensor.n_dims != 3)
        return refuse("shape", fmt::format("tensor {} has {} dimensions, expected 2 or 3",
                                           alcove::quoted(tensor.name), tensor.n_dims));
    return Factor{.type = tensor.type,
                  .data = tensor.data,
                  .n_rows = static_cast<std::int64_t>(tensor.dims[1]),
                  .n_cols = static_cast<std::int64_t>(tensor.dims[0]),
                  .n_experts = static_cast<std::int64_t>(tensor.dims[2])};
}

struct Halves {
    const GgufTensor* a = nullptr;
    const GgufTensor* b = nullptr;
};

Result<std::map<std::string, Halves>> collect(const GgufContents& gguf, const Refusal& refuse,
                                              std::vector<std::string>& warnings) {
    std::map<std::string, Halves> targets;
    constexpr std::string_view kA = ".lora_a";
    constexpr std::string_view kB = ".lora_b";
    for (const GgufTensor& tensor : gguf.tensors) {
        const std::string_view name = tensor.name;
        if (name.ends_with(kA)) {
            targets[std::string(name.substr(0, name.size() - kA.size()))].a = &tensor;
        } else if (name.ends_with(kB)) {
            targets[std::string(name.substr(0, name.size() - kB.size()))].b = &tensor;
        } else if (name.ends_with("_norm.weight")) {
            warnings.push_back(fmt::format("the norm {} in the adapter is not applied", name));
        } else {
            return refuse("tensor_name", fmt::format("tensor {} is neither a .lora_a nor a .lora_b",
                                                     alcove::quoted(name)));
        }
    }
    return targets;
}

Result<Pair> pair_of(const std::string& target, const Halves& halves, const Refusal& refuse) {
    if (halves.b == nullptr)
        return refuse("b_missing",
                      fmt::format("{}.lora_b is missing beside {}.lora_a", target, target));
    if (halves.a == nullptr)
        return refuse("a_missing",
                      fmt::format("{}.lora_a is missing beside {}.lora_b", target, target));
    Pair pair;
    pair.target = pair.shown = target;
    ALCOVE_ASSIGN_OR_RETURN(pair.a, factor_of(*halves.a, refuse));
    ALCOVE_ASSIGN_OR_RETURN(pair.b, factor_of(*halves.b, refuse));
    pair.a_by_token = target == "token_embd.weight";
    const std::int64_t rank = pair.a_by_token ? pair.a.n_cols : pair.a.n_rows;
    ALCOVE_RETURN_IF_ERROR(check_rank(refuse, rank, target));
    if (rank != pair.b.n_cols || pair.a.n_experts != pair.b.n_experts)
        return refuse("rank",
                      fmt::format("{}.lora_a has rank {} and {} matrices, its lora_b {} "
                                  "and {}",
                                  target, rank, pair.a.n_experts, pair.b.n_cols, pair.b.n_experts));
    ALCOVE_RETURN_IF_ERROR(check_finite(refuse, pair.a, halves.a->name));
    ALCOVE_RETURN_IF_ERROR(check_finite(refuse, pair.b, halves.b->name));
    return pair;
}

} // namespace

Status read_gguf_lora(const GgufContents& gguf, const model::LoadedModel* base,
                      const Refusal& refuse, AdapterFile& file) {
    file.info.kind = AdapterKind::Gguf;
    ALCOVE_RETURN_IF_ERROR(check_header(gguf, base, refuse, file.info));
    ALCOVE_ASSIGN_OR_RETURN(file.info.alpha, read_alpha(gguf, refuse));
    ALCOVE_ASSIGN_OR_RETURN(const auto targets, collect(gguf, refuse, file.info.warnings));
    for (const auto& [target, halves] : targets) {
        ALCOVE_ASSIGN_OR_RETURN(Pair pair, pair_of(target, halves, refuse));
        if (file.info.alpha)
            pair.scale = static_cast<float>(*file.info.alpha / static_cast<double>(pair.b.n_cols));
        file.pairs.push_back(std::move(pair));
    }
    if (file.pairs.empty())
        return refuse("empty", "the adapter has no factors, expected at least one pair");
    return ok();
}

} // namespace alcove::adapter
