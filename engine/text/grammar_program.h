#pragma once

#include "engine/result.h"
#include "engine/text/grammar_ast.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace alcove {

/// A grammar as a network of states over bytes: per rule a non-deterministic automaton whose steps
/// read a byte of a range, or call another rule. Everything is checked and prepared here: no left
/// recursion, no dead ends.
struct GrammarProgram {
    using StateId = std::uint32_t;

    struct ByteStep {
        std::uint8_t low = 0, high = 0;
        StateId to = 0;
    };
    struct State {
        std::uint32_t first_step = 0, n_steps = 0;      ///< into steps
        std::uint32_t first_epsilon = 0, n_epsilon = 0; ///< into epsilons
        std::int32_t call = -1; ///< rule called, −1: none; goes on at `after`
        StateId after = 0;
        bool is_end = false; ///< the rule is complete here
        bool useful = false; ///< an end can be reached from here
    };
    struct Rule {
        StateId start = 0;
        bool nullable = false;   ///< matches the empty text
        std::uint32_t order = 0; ///< a rule that may begin with another one has the lower order
    };

    std::vector<State> states;
    std::vector<ByteStep> steps;
    std::vector<StateId> epsilons;
    std::vector<Rule> rules;
    RuleId root = 0;

    std::span<const ByteStep> steps_of(const State& s) const {
        return std::span(steps).subspan(s.first_step, s.n_steps);
    }
    std::span<const StateId> epsilons_of(const State& s) const {
        return std::span(epsilons).subspan(s.first_epsilon, s.n_epsilon);
    }
};

/// Errc::Grammar for left recursion, for a grammar that matches nothing, and beyond the limits of
/// size.
Result<std::shared_ptr<const GrammarProgram>> compile_grammar(const GrammarAst& ast, RuleId root);

} // namespace alcove
