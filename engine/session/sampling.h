#pragma once

#include "engine/text/tokenizer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alcove {

/// Settings of the sampling chain. The chain's order: logit_bias, penalties, dry, top_n_sigma, top_k, typical, top_p,
/// min_p, xtc, temperature, draw: truncation sees the untempered distribution. A value that switches a member off is
/// given with each. Defaults are the command line's.
struct SamplingSettings {
    float temperature = 0.8F;     ///< 0: the most probable token; negative is refused
    std::int32_t top_k = 40;      ///< <= 0: off
    float top_p = 0.95F;          ///< >= 1: off
    float min_p = 0.05F;          ///< 0: off
    float repeat_penalty = 1.0F;  ///< 1: off
    std::int32_t repeat_last_n = 64; ///< tokens the penalties look at; −1 all, 0 off
    float frequency_penalty = 0.0F;
    float presence_penalty = 0.0F;
    std::uint64_t seed = 0; ///< same seed, same settings, same prompt: same answer for any number of threads
};

} // namespace alcove
