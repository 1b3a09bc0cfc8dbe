#pragma once

#include "engine/result.h"
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alcove {

/// Settings of the sampling chain. The chain's order: logit_bias, penalties, dry, top_n_sigma,
/// top_k, typical, top_p, min_p, xtc, temperature, draw: truncation sees the untempered
/// distribution. A value that switches a member off is given with each. Defaults are the command
/// line's. What each member computes: sampler_chain.h, sampler_penalties.h.
struct SamplingSettings {
    float temperature = 0.8F;        ///< 0: the most probable token; negative is refused
    std::int32_t top_k = 40;         ///< <= 0: off
    float top_p = 0.95F;             ///< >= 1: off
    float min_p = 0.05F;             ///< 0: off
    float repeat_penalty = 1.0F;     ///< 1: off
    std::int32_t repeat_last_n = 64; ///< tokens the penalties look at; −1 all, 0 off
    float frequency_penalty = 0.0F;
    float presence_penalty = 0.0F;
    std::uint64_t seed =
        0; ///< same seed, same settings, same prompt: same answer for any number of threads

    float typical_p = 1.0F;       ///< >= 1: off
    float top_n_sigma = -1.0F;    ///< <= 0: off
    float xtc_probability = 0.0F; ///< 0: off
    float xtc_threshold = 0.1F;   ///< > 0.5: off
    float dynatemp_range = 0.0F;  ///< 0: off; temperature varies within ± this
    float dynatemp_exponent = 1.0F;
    float dry_multiplier = 0.0F; ///< 0: off
    float dry_base = 1.75F;
    std::int32_t dry_allowed_length = 2;
    std::int32_t dry_penalty_last_n = -1; ///< tokens DRY looks at; −1 all, 0 off
    std::vector<std::vector<TokenId>>
        dry_breakers;                    ///< token sequences that no repeat reaches across
    std::map<TokenId, float> logit_bias; ///< added to the logit; −infinity bans the token
    std::int32_t min_keep = 0; ///< least number of tokens that typical, top_p, min_p, xtc leave
    bool mirostat =
        false; ///< Mirostat 2 in place of dry's followers: temperature, then truncation by surprise
    float mirostat_tau = 5.0F;
    float mirostat_eta = 0.1F;
};

/// InvalidArgument with the setting, the value found and the range expected; else success.
Status validate(const SamplingSettings& settings);

} // namespace alcove
