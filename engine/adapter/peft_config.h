#pragma once

#include "engine/adapter/adapter_file.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove::adapter {

/// A regular expression for the names of modules.
class ModulePattern {
public:
    /// Errc::Adapter if `pattern` is none.
    static Result<ModulePattern> compile(const std::string& pattern);

    /// True if the expression matches `module` whole or from a dot to its end. False where that
    /// takes too long.
    bool matches(const std::string& module) const;

private:
    explicit ModulePattern(std::shared_ptr<const void> code) : code_(std::move(code)) {}

    std::shared_ptr<const void> code_; // pcre2_code
};

/// What adapter_config.json says that changes the numbers.
struct PeftConfig {
    template <typename Value> using Patterns = std::vector<std::pair<ModulePattern, Value>>;

    std::int64_t r = 0;
    double alpha = 0;
    bool rslora = false; ///< alpha / sqrt(rank) in place of alpha / rank
    /// In file order: the first that matches a module's name counts.
    Patterns<std::int64_t> rank_pattern;
    Patterns<double> alpha_pattern;
    std::string base_name;
    std::vector<std::string> warnings;

    std::int64_t rank_of(const std::string& module) const;
    double alpha_of(const std::string& module) const;
    /// Of a module whose rank_of() is `rank`.
    float scale_of(const std::string& module, std::int64_t rank) const;
};

/// Errors: "config" (not JSON, a value of the wrong kind), "type" (a variant that changes more than
/// low-rank terms can say, by its name), "metadata_value", "alpha_missing", "alpha_value".
Result<PeftConfig> read_peft_config(std::string_view text, const Refusal& refuse);

/// Where a PEFT module lies in the base. `tensor` is empty for a name that Alcove does not know.
struct PeftTarget {
    std::string tensor; ///< "blk.3.attn_q.weight"
    std::int32_t expert = -1;
    bool rotated = false; ///< q or k: the rows may need another order
};
PeftTarget find_peft_target(std::string_view module);

} // namespace alcove::adapter
