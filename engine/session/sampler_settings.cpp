#include "engine/session/sampling.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace alcove {
namespace {

constexpr float kNoLimit = std::numeric_limits<float>::max();

struct Range {
    const char* name;
    float SamplingSettings::*value;
    float min;
    float max;
    const char* expected;
};

// The one list of the ranges of real settings.
constexpr Range kRanges[] = {
    {"temperature", &SamplingSettings::temperature, 0, kNoLimit, "0 or more"},
    {"top_p", &SamplingSettings::top_p, 0, kNoLimit, "0 or more (1 is off)"},
    {"min_p", &SamplingSettings::min_p, 0, 1, "0 (off) to 1"},
    {"typical_p", &SamplingSettings::typical_p, 0, kNoLimit, "0 or more (1 is off)"},
    {"top_n_sigma", &SamplingSettings::top_n_sigma, -kNoLimit, kNoLimit,
     "a number (0 or less is off)"},
    {"repeat_penalty", &SamplingSettings::repeat_penalty, std::numeric_limits<float>::min(),
     kNoLimit, "more than 0 (1 is off)"},
    {"frequency_penalty", &SamplingSettings::frequency_penalty, -kNoLimit, kNoLimit, "a number"},
    {"presence_penalty", &SamplingSettings::presence_penalty, -kNoLimit, kNoLimit, "a number"},
    {"xtc_probability", &SamplingSettings::xtc_probability, 0, 1, "0 (off) to 1"},
    {"xtc_threshold", &SamplingSettings::xtc_threshold, 0, 1, "0 to 1"},
    {"dynatemp_range", &SamplingSettings::dynatemp_range, 0, kNoLimit, "0 (off) or more"},
    {"dynatemp_exponent", &SamplingSettings::dynatemp_exponent, 0, kNoLimit, "0 or more"},
    {"dry_multiplier", &SamplingSettings::dry_multiplier, 0, kNoLimit, "0 (off) or more"},
    {"dry_base", &SamplingSettings::dry_base, 0, kNoLimit, "0 or more"},
    {"mirostat_tau", &SamplingSettings::mirostat_tau, 0, kNoLimit, "0 or more"},
    {"mirostat_eta", &SamplingSettings::mirostat_eta, 0, kNoLimit, "0 or more"},
};

Error wrong_integer(const char* name, std::int64_t found, const char* expected) {
    return Error{Errc::InvalidArgument,
                 fmt::format("{} is {}, expected {}", name, found, expected)};
}

} // namespace

Status validate(const SamplingSettings& settings) {
    for (const Range& range : kRanges) {
        const float value = settings.*range.value;
        if (!(value >= range.min && value <= range.max)) // not-a-number fails both
            return Error{Errc::InvalidArgument,
                         fmt::format("{} is {}, expected {}", range.name, value, range.expected)};
    }
    if (settings.repeat_last_n < -1)
        return wrong_integer("repeat_last_n", settings.repeat_last_n,
                             "-1 (all), 0 (off) or a number of tokens");
    if (settings.dry_penalty_last_n < -1)
        return wrong_integer("dry_penalty_last_n", settings.dry_penalty_last_n,
                             "-1 (all), 0 (off) or a number of tokens");
    if (settings.dry_allowed_length < 0)
        return wrong_integer("dry_allowed_length", settings.dry_allowed_length, "0 or more");
    if (settings.min_keep < 0)
        return wrong_integer("min_keep", settings.min_keep, "0 or more");
    for (const auto& [id, bias] : settings.logit_bias) {
        if (std::isnan(bias) || bias == std::numeric_limits<float>::infinity())
            return Error{Errc::InvalidArgument,
                         fmt::format("logit_bias of token {} is {}, expected a number or -infinity",
                                     id, bias)};
    }
    return ok();
}

} // namespace alcove
