#include "engine/adapter/adapter_file.h"
#include "engine/adapter/gguf_metadata.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

/// Rank-one adapters of qwen35: one vector a and one vector b for matrices that write into the
/// residual stream, and for the embedding. The rules are checked in their fixed order, so that of
/// several faults always the same one is named; tensors in the order of their names.
namespace alcove::adapter {

namespace {

constexpr std::size_t kMaxTensors = 1026; // 256 layers of two matrices, and the embedding
constexpr std::string_view kA = ".lora_a";
constexpr std::string_view kB = ".lora_b";

Status check_kind(const GgufContents& gguf, const model::LoadedModel* base, const Refusal& refuse) {
    if (find_text(gguf, "general.architecture") != "qwen35")
        return refuse("architecture",
                      fmt::format("general.architecture is {}, but rank-one adapters are for "
                                  "\"qwen35\"",
                                  shown_value(gguf, "general.architecture")));
    if (base != nullptr && base->hparams.architecture != "qwen35")
        return refuse("base_architecture",
                      fmt::format("rank-one adapters are for the architecture qwen35, the model "
                                  "has {}",
                                  base->hparams.architecture));
    if (find_text(gguf, "general.type") != "adapter")
        return refuse("general_type", fmt::format("general.type is {}, expected \"adapter\"",
                                                  shown_value(gguf, "general.type")));
    if (find_text(gguf, "adapter.type") != "lora")
        return refuse("type", fmt::format("adapter.type is {}, expected \"lora\"",
                                          shown_value(gguf, "adapter.type")));
    return ok();
}

Result<float> read_alpha(const GgufContents& gguf, const Refusal& refuse) {
    const GgufValue* value = find_value(gguf, "adapter.lora_alpha");
    if (value == nullptr || value->type != GgufValueType::F32)
        return refuse("alpha_missing", fmt::format("adapter.lora_alpha is {}, expected a value of "
                                                   "type F32",
                                                   shown_value(gguf, "adapter.lora_alpha")));
    const auto alpha = static_cast<float>(std::get<double>(value->value));
    if (!std::isfinite(alpha) || alpha <= 0.0F)
        return refuse(
            "alpha_value",
            fmt::format("adapter.lora_alpha is {}, expected a finite number above 0", alpha));
    return alpha;
}

Status check_inventory(const GgufContents& gguf, const Refusal& refuse) {
    const std::size_t n = gguf.tensors.size();
    if (n == 0)
        return refuse("empty", "the adapter has no factors, expected at least one pair");
    if (n > kMaxTensors)
        return refuse("too_many", fmt::format("the adapter has {} tensors, expected at most {}", n,
                                              kMaxTensors));
    if (n % 2 != 0)
        return refuse("odd_inventory",
                      fmt::format("the adapter has {} tensors, expected pairs", n));
    return ok();
}

bool is_supported(std::string_view target) {
    if (target == "token_embd.weight")
        return true;
    if (!target.starts_with("blk."))
        return false;
    target.remove_prefix(4);
    const std::size_t dot = target.find('.');
    if (dot == 0 || dot == std::string_view::npos || target.find_first_not_of("0123456789") != dot)
        return false;
    const std::string_view rest = target.substr(dot + 1);
    return rest == "attn_output.weight" || rest == "ssm_out.weight" || rest == "ffn_down.weight";
}

/// Dimensions of both factors for a base of [in, out], fastest first; without a base only the
/// fixed ones are known, which 0 stands for.
struct Dims {
    std::uint64_t a[2], b[2];
};

Status check_factor(const GgufTensor& tensor, const std::uint64_t (&dims)[2],
                    const Refusal& refuse) {
    const auto agrees = [&](int i) {
        return dims[i] == 0 ? tensor.dims[static_cast<std::size_t>(i)] > 0
                            : tensor.dims[static_cast<std::size_t>(i)] == dims[i];
    };
    if (tensor.type != QuantType::F32)
        return refuse("factor", fmt::format("factor {} has another type than F32",
                                            alcove::quoted(tensor.name)));
    if (tensor.n_dims != 2 || !agrees(0) || !agrees(1))
        return refuse("factor",
                      fmt::format("factor {} has {} dimensions [{}, {}], expected two: [{}, {}]",
                                  alcove::quoted(tensor.name), tensor.n_dims, tensor.dims[0],
                                  tensor.dims[1], dims[0], dims[1]));
    const Factor factor{.data = tensor.data,
                        .n_rows = static_cast<std::int64_t>(tensor.dims[1]),
                        .n_cols = static_cast<std::int64_t>(tensor.dims[0])};
    return check_finite(refuse, factor, tensor.name);
}

class PairReader {
public:
    PairReader(const GgufContents& gguf, const model::LoadedModel* base, const Refusal& refuse)
        : base_(base), refuse_(refuse) {
        for (const GgufTensor& tensor : gguf.tensors)
            by_name_.emplace(tensor.name, &tensor);
    }

    Status read(float alpha, std::vector<Pair>& pairs) const {
        for (const auto& [name, tensor] : by_name_) {
            const bool is_a = name.ends_with(kA);
            if (!is_a && !name.ends_with(kB))
                return refuse_("tensor_name", fmt::format("tensor {} is neither a .lora_a nor a "
                                                          ".lora_b",
                                                          alcove::quoted(name)));
            const std::string target(name.substr(0, name.size() - kA.size()));
            Dims dims{};
            ALCOVE_RETURN_IF_ERROR(check_target(target, dims));
            const auto other = by_name_.find(target + std::string(is_a ? kB : kA));
            if (other == by_name_.end())
                return refuse_(
                    is_a ? "b_missing" : "a_missing",
                    fmt::format("{}{} is missing beside {}", target, is_a ? kB : kA, name));
            if (!is_a)
                continue;
            ALCOVE_RETURN_IF_ERROR(check_dims(target));
            ALCOVE_RETURN_IF_ERROR(check_factor(*tensor, dims.a, refuse_));
            ALCOVE_RETURN_IF_ERROR(check_factor(*other->second, dims.b, refuse_));
            pairs.push_back(pair_of(target, *tensor, *other->second, alpha));
        }
        if (pairs.size() * 2 != by_name_.size())
            return refuse_("incomplete", "the adapter's factors are incomplete");
        return ok();
    }

private:
    const GgufTensor* base_tensor(const std::string& target) const {
        return base_ != nullptr ? base_->file->find_tensor(target) : nullptr;
    }

    Status check_target(const std::string& target, Dims& dims) const {
        const bool embedding = target == "token_embd.weight";
        const GgufTensor* tensor = base_tensor(target);
        if (!is_supported(target) || (base_ != nullptr && tensor == nullptr))
            return refuse_("target",
                           fmt::format("{} is no target of a rank-one adapter in this model, "
                                       "expected attn_output, ssm_out, ffn_down or token_embd",
                                       alcove::quoted(target)));
        const std::uint64_t in = tensor != nullptr ? tensor->dims[0] : 0;
        const std::uint64_t out = tensor != nullptr ? tensor->dims[1] : 0;
        dims = embedding ? Dims{{1, out}, {1, in}} : Dims{{in, 1}, {1, out}};
        return ok();
    }

    Status check_dims(const std::string& target) const {
        const GgufTensor* tensor = base_tensor(target);
        if (tensor != nullptr && tensor->n_dims != 2)
            return refuse_("target_rank", fmt::format("{} has {} dimensions in the model, expected "
                                                      "2",
                                                      target, tensor->n_dims));
        return ok();
    }

    static Pair pair_of(const std::string& target, const GgufTensor& a, const GgufTensor& b,
                        float alpha) {
        Pair pair;
        pair.target = pair.shown = target;
        pair.a_by_token = target == "token_embd.weight";
        pair.a = {.data = a.data,
                  .n_rows = static_cast<std::int64_t>(a.dims[1]),
                  .n_cols = static_cast<std::int64_t>(a.dims[0])};
        pair.b = {.data = b.data,
                  .n_rows = static_cast<std::int64_t>(b.dims[1]),
                  .n_cols = static_cast<std::int64_t>(b.dims[0])};
        pair.scale = alpha; // the rank is one
        pair.after_embedding_scale = true;
        return pair;
    }

    const model::LoadedModel* base_;
    const Refusal& refuse_;
    std::map<std::string, const GgufTensor*, std::less<>> by_name_; // bytewise order
};

} // namespace

Status read_rank_one(const GgufContents& gguf, const model::LoadedModel* base,
                     const Refusal& refuse, AdapterFile& file) {
    file.info.kind = AdapterKind::RankOne;
    ALCOVE_RETURN_IF_ERROR(check_kind(gguf, base, refuse));
    file.info.architecture = "qwen35";
    ALCOVE_ASSIGN_OR_RETURN(const float alpha, read_alpha(gguf, refuse));
    file.info.alpha = alpha;
    ALCOVE_RETURN_IF_ERROR(check_inventory(gguf, refuse));
    return PairReader(gguf, base, refuse).read(alpha, file.pairs);
}

} // namespace alcove::adapter
