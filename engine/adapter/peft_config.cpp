#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/adapter/peft_config.h"
#include "engine/format/safetensors_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <new>
#include <pcre2.h>
#include <set>
#include <type_traits>

namespace alcove::adapter {

namespace {

using Json = nlohmann::json;

/// Fields that are read here, describe the training, or only matter for display.
constexpr std::array kKnown = {
    "peft_type",
    "r",
    "lora_alpha",
    "use_rslora",
    "rank_pattern",
    "alpha_pattern",
    "bias",
    "base_model_name_or_path",
    "target_modules",
    "exclude_modules",
    "layers_to_transform",
    "layers_pattern",
    "fan_in_fan_out",
    "lora_dropout",
    "init_lora_weights",
    "inference_mode",
    "task_type",
    "revision",
    "auto_mapping",
    "modules_to_save",
    "peft_version",
    "runtime_config",
    "corda_config",
    "eva_config",
    "loftq_config",
    "ensure_weight_tying",
    "qalora_group_size",
    "arrow_config",
};

/// Fields that say the adapter is more than low-rank terms on single matrices.
struct Variant {
    const char* field;
    const char* what;
};
constexpr std::array kVariants = {
    Variant{"use_dora", "a DoRA adapter (use_dora); its magnitudes would be lost"},
    Variant{"use_qalora", "a QALoRA adapter (use_qalora), which Alcove does not apply"},
    Variant{"lora_bias", "an adapter with biases on B (lora_bias), which Alcove does not apply"},
    Variant{"modules_to_save", "an adapter that replaces whole modules (modules_to_save)"},
    Variant{"trainable_token_indices",
            "an adapter that replaces token rows (trainable_token_indices)"},
    Variant{"layer_replication", "an adapter for repeated layers (layer_replication)"},
    Variant{"megatron_config", "an adapter for another program's layout (megatron_config)"},
    Variant{"alora_invocation_tokens",
            "an activated LoRA (alora_invocation_tokens), which Alcove does not apply"},
    Variant{"target_parameters",
            "an adapter for fused parameters (target_parameters), which Alcove does not apply"},
};

/// null, false, "", [], {} say nothing.
bool says_something(const Json& value) {
    if (value.is_boolean())
        return value.get<bool>();
    if (value.is_number())
        return value != 0;
    return !value.is_null() && !value.empty() && value != "";
}

std::string names_in(const Json& value) {
    std::string names;
    if (!value.is_array())
        return names;
    for (const Json& name : value) {
        if (name.is_string())
            names += fmt::format("{}{}", names.empty() ? ": " : ", ",
                                 alcove::quoted(name.get_ref<const std::string&>()));
    }
    return names;
}

/// Takes the names of both pattern objects in the order of the file: which of several patterns
/// counts depends on it.
class ConfigScan final : public JsonScan {
public:
    ConfigScan() : JsonScan(kMaxDepth) {}

    /// Names of `field`, an object of the outermost one; repeated ones as often as they stand.
    const std::vector<std::string>& names_of(const std::string& field) { return names_[field]; }

private:
    static constexpr std::size_t kMaxDepth = 64; // a tree of this depth can be copied

    bool begin_object(std::size_t /*depth*/) override { return true; }
    bool name(std::size_t depth, const std::string& name) override {
        if (depth == 0)
            field_ = name;
        else if (depth == 1 && field_.ends_with("_pattern"))
            names_[field_].push_back(name);
        return true;
    }

    std::string field_;
    std::map<std::string, std::vector<std::string>> names_;
};

class ConfigReader {
public:
    ConfigReader(const Json& json, ConfigScan& scan, const Refusal& refuse)
        : json_(json), scan_(scan), refuse_(refuse) {}

    Result<PeftConfig> read() {
        ALCOVE_RETURN_IF_ERROR(check_type());
        ALCOVE_RETURN_IF_ERROR(check_variants());
        ALCOVE_RETURN_IF_ERROR(read_rank());
        ALCOVE_RETURN_IF_ERROR(read_alpha());
        ALCOVE_ASSIGN_OR_RETURN(config_.rslora, flag("use_rslora"));
        ALCOVE_RETURN_IF_ERROR(read_patterns("rank_pattern", config_.rank_pattern));
        ALCOVE_RETURN_IF_ERROR(read_patterns("alpha_pattern", config_.alpha_pattern));
        const Json base = field("base_model_name_or_path");
        if (base.is_string())
            config_.base_name = base.get<std::string>();
        report_rest();
        return std::move(config_);
    }

private:
    Json field(const char* name) const { return json_.value(name, Json()); }

    Status check_type() const {
        const Json type = field("peft_type");
        if (type != "LORA")
            return refuse_("type",
                           fmt::format("peft_type is {}, expected \"LORA\"",
                                       type.is_string() ? alcove::quoted(type.get<std::string>())
                                                        : "absent or no text"));
        return ok();
    }

    Status check_variants() {
        for (const Variant& variant : kVariants) {
            const Json value = field(variant.field);
            if (says_something(value))
                return refuse_("type", fmt::format("this is {}{}", variant.what, names_in(value)));
        }
        const Json init = field("init_lora_weights");
        if (init.is_string()) {
            const auto name = init.get<std::string>();
            for (const char* changing : {"pissa", "olora", "corda", "loftq"}) {
                if (name.starts_with(changing))
                    return refuse_("type",
                                   fmt::format("init_lora_weights is {}, which changes the base "
                                               "model too; expected an adapter converted to LoRA",
                                               alcove::quoted(name)));
            }
        }
        const Json bias = field("bias");
        if (!bias.is_null() && bias != "none")
            config_.warnings.emplace_back("the adapter was trained with biases");
        return ok();
    }

    Result<bool> flag(const char* name) const {
        const Json value = field(name);
        if (value.is_null())
            return false;
        if (!value.is_boolean())
            return refuse_("metadata_value", fmt::format("{} is no true or false", name));
        return value.get<bool>();
    }

    static bool is_rank(const Json& value) {
        return value.is_number_integer() && value >= 1 && value <= kMaxRank;
    }

    Status read_rank() {
        const Json r = field("r");
        if (!is_rank(r))
            return refuse_("metadata_value",
                           fmt::format("r is {}, expected a whole number of 1 to {}",
                                       r.is_number() ? r.dump() : "absent or no number", kMaxRank));
        config_.r = r.get<std::int64_t>();
        return ok();
    }

    Status read_alpha() {
        const Json alpha = field("lora_alpha");
        if (!alpha.is_number())
            return refuse_("alpha_missing", "lora_alpha is absent or no number");
        config_.alpha = alpha.get<double>();
        return check_alpha("lora_alpha", config_.alpha);
    }

    Status check_alpha(std::string_view name, double alpha) const {
        if (!std::isfinite(alpha) || alpha <= 0)
            return refuse_("alpha_value",
                           fmt::format("{} is {}, expected a finite number above 0", name, alpha));
        return ok();
    }

    template <typename Value>
    Status read_patterns(const char* name, PeftConfig::Patterns<Value>& patterns) {
        const Json value = field(name);
        if (value.is_null())
            return ok();
        if (!value.is_object())
            return refuse_("metadata_value", fmt::format("{} is no JSON object", name));
        std::set<std::string> seen;
        for (const std::string& pattern : scan_.names_of(name)) {
            const auto number = value.find(pattern);
            if (number == value.end() || !seen.insert(pattern).second)
                continue; // of a repeated name the last value counts, at its first place
            if constexpr (std::is_integral_v<Value>) {
                if (!is_rank(*number))
                    return refuse_("metadata_value",
                                   fmt::format("{} has {} for {}, expected a whole number of 1 to "
                                               "{}",
                                               name,
                                               number->is_number() ? number->dump() : "no number",
                                               alcove::quoted(pattern), kMaxRank));
            } else {
                if (!number->is_number())
                    return refuse_("metadata_value", fmt::format("{} has no number for {}", name,
                                                                 alcove::quoted(pattern)));
                ALCOVE_RETURN_IF_ERROR(check_alpha(name, number->template get<Value>()));
            }
            auto compiled = ModulePattern::compile(pattern);
            if (!compiled)
                return refuse_("metadata_value", fmt::format("{} has {}, which is no pattern", name,
                                                             alcove::quoted(pattern)));
            patterns.emplace_back(std::move(*compiled), number->template get<Value>());
        }
        return ok();
    }

    void report_rest() {
        for (const auto& [name, value] : json_.items()) {
            const bool known =
                std::any_of(kKnown.begin(), kKnown.end(), [&](const char* k) { return name == k; });
            if (!known && says_something(value))
                config_.warnings.push_back(
                    fmt::format("adapter_config.json says {}, which Alcove does not know",
                                alcove::quoted(name)));
        }
    }

    const Json& json_;
    ConfigScan& scan_;
    const Refusal& refuse_;
    PeftConfig config_;
};

template <typename Value>
Value first_match(const PeftConfig::Patterns<Value>& patterns, const std::string& module,
                  Value fallback) {
    const auto at = std::find_if(patterns.begin(), patterns.end(), [&](const auto& pattern) {
        return pattern.first.matches(module);
    });
    return at != patterns.end() ? at->second : fallback;
}

} // namespace

std::int64_t PeftConfig::rank_of(const std::string& module) const {
    return first_match(rank_pattern, module, r);
}

double PeftConfig::alpha_of(const std::string& module) const {
    return first_match(alpha_pattern, module, alpha);
}

float PeftConfig::scale_of(const std::string& module, std::int64_t rank) const {
    const auto divisor = static_cast<double>(rank);
    return static_cast<float>(alpha_of(module) / (rslora ? std::sqrt(divisor) : divisor));
}

Result<PeftConfig> read_peft_config(std::string_view text, const Refusal& refuse) {
    ConfigScan scan;
    const bool sound = scan.run(text);
    if (scan.too_deep())
        return refuse("config", "adapter_config.json is nested too deeply");
    const Json json = sound ? Json::parse(text, nullptr, /*allow_exceptions=*/false) : Json();
    if (!json.is_object())
        return refuse("config", "adapter_config.json is not a JSON object");
    return ConfigReader(json, scan, refuse).read();
}

Result<ModulePattern> ModulePattern::compile(const std::string& pattern) {
    const std::string whole = fmt::format("(?:.*\\.)?(?:{})", pattern);
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* const compiled =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(whole.data()), whole.size(),
                      PCRE2_ANCHORED | PCRE2_ENDANCHORED, &code, &offset, nullptr);
    if (compiled == nullptr)
        return Error{Errc::Adapter, "no pattern"};
    return ModulePattern(std::shared_ptr<const void>(compiled, [](const void* made) {
        pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(made)));
    }));
}

bool ModulePattern::matches(const std::string& module) const {
    const auto* const code = static_cast<const pcre2_code*>(code_.get());
    const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context(
        pcre2_match_context_create(nullptr), &pcre2_match_context_free);
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
    if (context == nullptr || data == nullptr)
        throw std::bad_alloc();
    constexpr std::uint32_t kMaxSteps = 100'000; // names are short; patterns are not to be trusted
    pcre2_set_match_limit(context.get(), kMaxSteps);
    return pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(module.data()), module.size(), 0, 0,
                       data.get(), context.get()) >= 0;
}

} // namespace alcove::adapter
