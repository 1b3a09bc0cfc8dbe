#include "app/cli/command.h"
#include "app/cli/files.h"
#include "engine/session/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <variant>

// Applies a sampling chain to given logits: a check of the chain alone, without a model.
namespace alcove::cli {
namespace {

using Place = std::variant<float SamplingSettings::*, std::int32_t SamplingSettings::*>;

struct Name {
    const char* name;
    Place place;
};

// The names of the fixtures; what is absent is off.
const Name kNames[] = {
    {"temperature", &SamplingSettings::temperature},
    {"top_k", &SamplingSettings::top_k},
    {"top_p", &SamplingSettings::top_p},
    {"min_p", &SamplingSettings::min_p},
    {"typical_p", &SamplingSettings::typical_p},
    {"top_n_sigma", &SamplingSettings::top_n_sigma},
    {"penalty_last_n", &SamplingSettings::repeat_last_n},
    {"penalty_repeat", &SamplingSettings::repeat_penalty},
    {"penalty_freq", &SamplingSettings::frequency_penalty},
    {"penalty_present", &SamplingSettings::presence_penalty},
    {"xtc_probability", &SamplingSettings::xtc_probability},
    {"xtc_threshold", &SamplingSettings::xtc_threshold},
    {"dynatemp_range", &SamplingSettings::dynatemp_range},
    {"dynatemp_exponent", &SamplingSettings::dynatemp_exponent},
    {"dry_multiplier", &SamplingSettings::dry_multiplier},
    {"dry_base", &SamplingSettings::dry_base},
    {"dry_allowed_length", &SamplingSettings::dry_allowed_length},
    {"dry_penalty_last_n", &SamplingSettings::dry_penalty_last_n},
    {"min_keep", &SamplingSettings::min_keep},
};

Result<float> number(const Json& value, std::string_view what) {
    if (value.is_number())
        return value.get<float>();
    if (value.is_string() && value.get<std::string>() == "-inf")
        return -std::numeric_limits<float>::infinity();
    return Error{
        Errc::Format,
        fmt::format("{} is {}, expected a number or \"-inf\"", what,
                    value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60))};
}

Status read_bias(const Json& bias, SamplingSettings& settings) {
    for (const auto& [key, value] : bias.items()) {
        TokenId id = 0;
        const auto parsed = std::from_chars(key.data(), key.data() + key.size(), id);
        if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size())
            return Error{Errc::Format,
                         fmt::format("logit_bias has the key \"{}\", expected a token id", key)};
        ALCOVE_ASSIGN_OR_RETURN(settings.logit_bias[id], number(value, "logit_bias"));
    }
    return ok();
}

struct SampleCase {
    SamplingSettings settings;
    std::optional<bool> xtc_coin;
    std::optional<double> mu;
};

Status read_setting(const std::string& key, const Json& value, SampleCase& out) {
    const auto* known = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const Name& n) { return key == n.name; });
    if (known != std::end(kNames)) {
        if (!value.is_number())
            return Error{Errc::Format,
                         fmt::format("{} is a JSON {}, expected a number", key, value.type_name())};
        if (const auto* real = std::get_if<float SamplingSettings::*>(&known->place))
            out.settings.** real = value.get<float>();
        else
            out.settings.*std::get<std::int32_t SamplingSettings::*>(known->place) =
                value.get<std::int32_t>();
        return ok();
    }
    if (key == "logit_bias")
        return read_bias(value, out.settings);
    if (key == "dry_breakers") {
        out.settings.dry_breakers = value.get<std::vector<std::vector<TokenId>>>();
        return ok();
    }
    if (key == "xtc_coin") {
        out.xtc_coin = value.get<bool>();
        return ok();
    }
    if (key == "mirostat") {
        out.settings.mirostat = true;
        out.settings.mirostat_tau = value.value("tau", out.settings.mirostat_tau);
        out.settings.mirostat_eta = value.value("eta", out.settings.mirostat_eta);
        out.mu = value.value("mu", 2 * static_cast<double>(out.settings.mirostat_tau));
        return ok();
    }
    return Error{Errc::Format, fmt::format("there is no setting \"{}\"", key)};
}

Result<SampleCase> read_settings(const Json& settings) {
    SampleCase out;
    out.settings.temperature = 1;
    out.settings.top_k = 0;
    out.settings.top_p = 1;
    out.settings.min_p = 0;
    for (const auto& [key, value] : settings.items())
        ALCOVE_RETURN_IF_ERROR(read_setting(key, value, out));
    // Here, unlike on the command line, a negative temperature is what the chain's definition says:
    // the best token.
    SamplingSettings checked = out.settings;
    if (checked.temperature < 0)
        checked.temperature = 0;
    ALCOVE_RETURN_IF_ERROR(validate(checked));
    return out;
}

Result<Json> sample_line(const Json& line) {
    std::vector<float> logits;
    for (const Json& value : line.at("logits")) {
        ALCOVE_ASSIGN_OR_RETURN(const float logit,
                                number(value, fmt::format("logit {}", logits.size())));
        logits.push_back(logit);
    }
    if (logits.empty())
        return Error{Errc::Format, "logits is empty, expected at least one"};
    ALCOVE_ASSIGN_OR_RETURN(
        const SampleCase wanted,
        read_settings(line.contains("settings") ? line.at("settings") : Json::object()));
    Sampler sampler(wanted.settings, static_cast<std::int32_t>(logits.size()));
    if (line.contains("history") && !line.at("history").is_null())
        sampler.reset(line.at("history").get<std::vector<TokenId>>());
    if (wanted.mu.has_value())
        sampler.set_mirostat_mu(*wanted.mu);
    ALCOVE_ASSIGN_OR_RETURN(const auto distribution, sampler.distribution(logits, wanted.xtc_coin));
    Json order = Json::array();
    Json probs = Json::array();
    for (const auto& entry : distribution) {
        order.push_back(entry.id);
        probs.push_back(entry.p);
    }
    Json answer{{"order", std::move(order)}, {"probs", std::move(probs)}};
    if (wanted.mu.has_value() && line.contains("draw")) {
        const auto draw = line.at("draw").get<TokenId>();
        if (!sampler.update_mirostat(draw))
            return Error{Errc::Format,
                         fmt::format("draw is {}, which is not among the tokens kept", draw)};
        answer["mu_after"] = sampler.mirostat_mu();
    }
    return answer;
}

} // namespace

CommandBody add_sample(CLI::App& command) {
    auto cases = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    command.add_option("--cases", *cases, "JSON Lines: {\"logits\",\"history\",\"settings\"}")
        ->required();
    command.add_flag("--json", *json, "JSON Lines (always so)");
    return [cases, json](Invocation& invocation) {
        return answer_cases(invocation.console, *cases, sample_line);
    };
}

} // namespace alcove::cli
