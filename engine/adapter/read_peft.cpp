#include "engine/adapter/peft_config.h"
#include "engine/adapter/safetensors_factor.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

/// LoRA as PEFT writes it: `base_model.model.<module>.lora_A.weight` [rank, in] with
/// `.lora_B.weight` [out, rank]; embeddings `.lora_embedding_A` [rank, vocab] with
/// `.lora_embedding_B` [n_embd, rank].
namespace alcove::adapter {

Result<Factor> safetensors_factor(const SafetensorsTensor& tensor, bool bf16,
                                  const Refusal& refuse) {
    Factor factor;
    if (tensor.dtype == "F32")
        factor.type = QuantType::F32;
    else if (tensor.dtype == "F16")
        factor.type = QuantType::F16;
    else if (tensor.dtype == "BF16" && bf16)
        factor.type = QuantType::BF16;
    else
        return refuse("dtype",
                      fmt::format("tensor {} has the type {}, expected F32{}",
                                  alcove::quoted(tensor.name), alcove::quoted(tensor.dtype),
                                  bf16 ? ", F16 or BF16" : " or F16"));
    if (tensor.shape.size() != 2)
        return refuse("shape", fmt::format("tensor {} has {} dimensions, expected 2",
                                           alcove::quoted(tensor.name), tensor.shape.size()));
    factor.data = tensor.data.data();
    factor.n_rows = static_cast<std::int64_t>(tensor.shape[0]);
    factor.n_cols = static_cast<std::int64_t>(tensor.shape[1]);
    return factor;
}

namespace {

struct Halves {
    const SafetensorsTensor* a = nullptr;
    const SafetensorsTensor* b = nullptr;
    bool embedding = false;
};

/// "q_proj.lora_A.default.weight": module, half, and whether it is an embedding's.
struct Half {
    std::string module;
    bool is_a = false, embedding = false;
};

/// Nothing for a name that is no factor. Between half and ".weight" there may be the adapter's
/// name.
std::optional<Half> split_name(std::string_view name) {
    struct Mark {
        std::string_view text;
        bool is_a, embedding;
    };
    constexpr std::array kMarks = {
        Mark{".lora_A", true, false},
        Mark{".lora_B", false, false},
        Mark{".lora_embedding_A", true, true},
        Mark{".lora_embedding_B", false, true},
    };
    for (const Mark& mark : kMarks) {
        const std::size_t at = name.rfind(mark.text);
        if (at == std::string_view::npos)
            continue;
        std::string_view rest = name.substr(at + mark.text.size());
        if (!rest.empty() && rest.front() != '.')
            continue;
        if (!mark.embedding) {
            if (!rest.ends_with(".weight"))
                continue;
            rest.remove_suffix(7);
        }
        if (std::count(rest.begin(), rest.end(), '.') > 1)
            continue;
        return Half{std::string(name.substr(0, at)), mark.is_a, mark.embedding};
    }
    return std::nullopt;
}

class PeftReader {
public:
    PeftReader(const PeftConfig& config, const Refusal& refuse, AdapterFile& file)
        : config_(config), refuse_(refuse), file_(file) {}

    Status read(const SafetensorsFile& weights) {
        ALCOVE_RETURN_IF_ERROR(collect(weights));
        // Every module is held against every pattern: thousands of either are no adapter.
        constexpr std::size_t kMaxMatches = 1'000'000;
        const std::size_t n_patterns = config_.rank_pattern.size() + config_.alpha_pattern.size();
        if (n_patterns != 0 && modules_.size() > kMaxMatches / n_patterns)
            return refuse_("metadata_value",
                           fmt::format("adapter_config.json has {} patterns for {} modules, "
                                       "expected at most {} for both multiplied",
                                       n_patterns, modules_.size(), kMaxMatches));
        for (const auto& [module, halves] : modules_)
            ALCOVE_RETURN_IF_ERROR(add(module, halves));
        if (file_.pairs.empty())
            return refuse_("empty", "the adapter has no factors, expected at least one pair");
        return ok();
    }

private:
    Status collect(const SafetensorsFile& weights) {
        std::vector<std::string> strange;
        bool base_copies = false;
        for (const SafetensorsTensor& tensor : weights.tensors()) {
            const std::string& name = tensor.name;
            if (name.find("lora_magnitude_vector") != std::string::npos)
                return refuse_("type", fmt::format("tensor {} belongs to a DoRA adapter; its "
                                                   "magnitudes would be lost",
                                                   alcove::quoted(name)));
            if (name.ends_with(".bias"))
                return refuse_("type", fmt::format("tensor {} is a trained bias, which Alcove does "
                                                   "not apply",
                                                   alcove::quoted(name)));
            if (name.ends_with(".base_layer.weight")) {
                base_copies = true;
                continue;
            }
            const auto half = split_name(name);
            if (!half) {
                strange.push_back(alcove::quoted(name));
                continue;
            }
            Halves& halves = modules_[half->module];
            halves.embedding = half->embedding;
            const SafetensorsTensor*& place = half->is_a ? halves.a : halves.b;
            if (place != nullptr)
                return refuse_("tensor_name",
                               fmt::format("{} and {} are the same factor",
                                           alcove::quoted(place->name), alcove::quoted(name)));
            place = &tensor;
        }
        if (!strange.empty()) {
            strange.resize(std::min<std::size_t>(strange.size(), 3));
            return refuse_("tensor_name",
                           fmt::format("no factors of a LoRA: {}", fmt::join(strange, ", ")));
        }
        if (base_copies)
            file_.info.warnings.emplace_back("copies of the base's weights in the adapter are "
                                             "ignored");
        return ok();
    }

    Status add(const std::string& full, const Halves& halves) {
        constexpr std::string_view kPrefix = "base_model.model.";
        const std::string module = full.starts_with(kPrefix) ? full.substr(kPrefix.size()) : full;
        if (halves.b == nullptr)
            return refuse_("b_missing",
                           fmt::format("lora_B of {} is missing", alcove::quoted(full)));
        if (halves.a == nullptr)
            return refuse_("a_missing",
                           fmt::format("lora_A of {} is missing", alcove::quoted(full)));
        const PeftTarget target = find_peft_target(module);
        if (target.tensor.empty() || halves.embedding != (target.tensor == "token_embd.weight"))
            return refuse_("target", fmt::format("{} is no module that an adapter can change here",
                                                 alcove::quoted(full)));
        Pair pair;
        pair.target = target.tensor;
        pair.shown = full;
        pair.expert = target.expert;
        pair.order = target.rotated ? RowOrder::HalfSplit : RowOrder::Base;
        ALCOVE_ASSIGN_OR_RETURN(pair.a, safetensors_factor(*halves.a, true, refuse_));
        ALCOVE_ASSIGN_OR_RETURN(pair.b, safetensors_factor(*halves.b, true, refuse_));
        ALCOVE_RETURN_IF_ERROR(check(module, pair));
        pair.scale = config_.scale_of(module, pair.b.n_cols);
        ALCOVE_RETURN_IF_ERROR(check_finite(refuse_, pair.a, halves.a->name));
        ALCOVE_RETURN_IF_ERROR(check_finite(refuse_, pair.b, halves.b->name));
        const auto [other, is_new] = changed_.try_emplace({pair.target, pair.expert}, full);
        if (!is_new)
            return refuse_("tensor_name",
                           fmt::format("{} and {} change the same matrix",
                                       alcove::quoted(other->second), alcove::quoted(full)));
        file_.pairs.push_back(std::move(pair));
        return ok();
    }

    Status check(const std::string& module, const Pair& pair) const {
        ALCOVE_RETURN_IF_ERROR(check_rank(refuse_, pair.a.n_rows, pair.shown));
        const std::int64_t rank = config_.rank_of(module);
        if (pair.a.n_rows != pair.b.n_cols || pair.a.n_rows != rank)
            return refuse_("rank", fmt::format("{} has lora_A of rank {} and lora_B of rank {}, "
                                               "expected {} as adapter_config.json says",
                                               alcove::quoted(pair.shown), pair.a.n_rows,
                                               pair.b.n_cols, rank));
        return ok();
    }

    const PeftConfig& config_;
    const Refusal& refuse_;
    AdapterFile& file_;
    std::map<std::string, Halves> modules_;
    std::map<std::pair<std::string, std::int32_t>, std::string> changed_; // by whom
};

} // namespace

Status read_peft(std::string_view config, std::span<const std::byte> weights, const Refusal& refuse,
                 AdapterFile& file) {
    file.info.kind = AdapterKind::Peft;
    ALCOVE_ASSIGN_OR_RETURN(const PeftConfig read, read_peft_config(config, refuse));
    file.info.alpha = read.alpha;
    file.info.base_name = read.base_name;
    file.info.warnings = read.warnings;
    auto tensors = SafetensorsFile::parse(weights, refuse.file());
    if (!tensors)
        return refuse.pass_on("safetensors", Error{Errc::Adapter, tensors.error().message});
    return PeftReader(read, refuse, file).read(*tensors);
}

} // namespace alcove::adapter
