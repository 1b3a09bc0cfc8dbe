#pragma once

#include "engine/result.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove {

/// Code points from first to second, both included.
using CodeRange = std::pair<char32_t, char32_t>;
/// Sorted, not touching ranges of scalar values.
using CodeSet = std::vector<CodeRange>;

/// Sorted and merged, without surrogates and what lies beyond U+10FFFF.
CodeSet normalized(CodeSet ranges);
CodeSet complement(const CodeSet& ranges);
CodeSet intersection(const CodeSet& a, const CodeSet& b);

using ExprId = std::uint32_t;
using RuleId = std::uint32_t;

/// Rules over expressions, as readers build them; `compile_grammar` makes a program of it.
/// Expressions are numbers into one array: no recursion in destructors, parts can be shared.
class GrammarAst {
public:
    enum class Kind : std::uint8_t { Set, Sequence, Choice, Repeat, Rule };
    static constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

    struct Expr {
        Kind kind = Kind::Sequence;
        CodeSet set;               // Set: one code point of these
        std::vector<ExprId> parts; // Sequence, Choice; Repeat: its body
        std::uint32_t min = 0, max = 0;
        RuleId rule = 0;
    };
    struct Rule {
        std::string name;
        ExprId body = 0;
        bool defined = false;
    };

    ExprId set(CodeSet ranges);
    ExprId any() { return set({{0, 0x10FFFF}}); }
    ExprId never() { return set({}); }
    ExprId literal(std::string_view utf8);
    ExprId sequence(std::vector<ExprId> parts);
    ExprId choice(std::vector<ExprId> parts);
    ExprId repeat(ExprId body, std::uint32_t min, std::uint32_t max);
    ExprId optional(ExprId body) { return repeat(body, 0, 1); }
    ExprId empty() { return sequence({}); }
    ExprId rule(RuleId id);

    RuleId new_rule(std::string name);
    void define(RuleId id, ExprId body);

    const Expr& expr(ExprId id) const { return exprs_[id]; }
    const std::vector<Rule>& rules() const { return rules_; }
    std::size_t n_exprs() const { return exprs_.size(); }

private:
    ExprId add(Expr expr);
    std::vector<Expr> exprs_;
    std::vector<Rule> rules_;
};

/// An Error of kind Grammar.
Error grammar_error(std::string message);

} // namespace alcove
