#pragma once

#include "engine/adapter/adapter_file.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove::adapter {

/// What adapter_config.json says that changes the numbers.
struct PeftConfig {
    std::int64_t r = 0;
    double alpha = 0;
    bool rslora = false; ///< alpha / sqrt(rank) in place of alpha / rank
    /// Pattern and value, in file order: the first that matches a module's name counts.
    std::vector<std::pair<std::string, double>> rank_pattern, alpha_pattern;
    std::string base_name;
    std::vector<std::string> warnings;

    std::int64_t rank_of(const std::string& module) const;
    double alpha_of(const std::string& module) const;
    float scale_of(const std::string& module) const;
};

/// Errors: "config" (not JSON, a value of the wrong kind), "type" (a variant that changes more than
/// low-rank terms can say, by its name), "metadata_value", "alpha_missing", "alpha_value".
Result<PeftConfig> read_peft_config(std::string_view text, const Refusal& refuse);

/// True if `pattern`, a regular expression, matches `module` whole or from a dot to its end. False
/// for a pattern that takes too long. Errors: the pattern is none.
Result<bool> matches_module(const std::string& pattern, const std::string& module);

/// Where a PEFT module lies in the base. `tensor` is empty for a name that Alcove does not know.
struct PeftTarget {
    std::string tensor; ///< "blk.3.attn_q.weight"
    std::int32_t expert = -1;
    bool rotated = false; ///< q or k: the rows may need another order
};
PeftTarget find_peft_target(std::string_view module);

} // namespace alcove::adapter
