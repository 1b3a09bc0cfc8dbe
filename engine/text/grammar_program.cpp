#include "engine/text/grammar_program.h"

#include "engine/text/grammar.h"
#include "engine/text/tokenizer_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace alcove {

namespace {

using StateId = GrammarProgram::StateId;
constexpr std::size_t kMaxStates = 300'000;
constexpr int kMaxDepth = 2000; // nesting of expressions; readers stay far below

/// Turns expressions into states. A fragment is built between two given states.
class Builder {
public:
    explicit Builder(const GrammarAst& ast) : ast_(ast) {}

    Result<GrammarProgram> build(RuleId root) {
        for (const auto& rule : ast_.rules()) {
            const StateId start = state();
            const StateId end = state();
            states_[end].is_end = true;
            starts_.push_back(start);
            if (!connect(rule.body, start, end, 0))
                return grammar_error(
                    fmt::format("the grammar needs more than {} states (in the rule {}); smaller "
                                "repetitions would do",
                                kMaxStates, quote_for_message(rule.name)));
        }
        return flatten(root);
    }

private:
    struct Draft {
        std::vector<GrammarProgram::ByteStep> steps;
        std::vector<StateId> epsilons;
        std::int32_t call = -1;
        StateId after = 0;
        bool is_end = false;
    };

    StateId state() {
        states_.emplace_back();
        return static_cast<StateId>(states_.size() - 1);
    }

    /// False once the limit is passed.
    bool connect(ExprId id, StateId from, StateId to, int depth) {
        if (states_.size() > kMaxStates || depth > kMaxDepth)
            return false;
        const GrammarAst::Expr& expr = ast_.expr(id);
        switch (expr.kind) {
        case GrammarAst::Kind::Set:
            connect_set(expr.set, from, to);
            return true;
        case GrammarAst::Kind::Rule: {
            const StateId caller = state(); // a state has one call at most
            states_[from].epsilons.push_back(caller);
            states_[caller].call = static_cast<std::int32_t>(expr.rule);
            states_[caller].after = to;
            return true;
        }
        case GrammarAst::Kind::Choice:
            for (const ExprId part : expr.parts) {
                const StateId begin = state();
                states_[from].epsilons.push_back(begin);
                if (!connect(part, begin, to, depth + 1))
                    return false;
            }
            return true;
        case GrammarAst::Kind::Sequence: {
            StateId at = from;
            for (std::size_t i = 0; i < expr.parts.size(); ++i) {
                const StateId next = i + 1 == expr.parts.size() ? to : state();
                if (!connect(expr.parts[i], at, next, depth + 1))
                    return false;
                at = next;
            }
            if (expr.parts.empty())
                states_[from].epsilons.push_back(to);
            return true;
        }
        case GrammarAst::Kind::Repeat:
            return connect_repeat(expr, from, to, depth);
        }
        return false;
    }

    bool connect_repeat(const GrammarAst::Expr& expr, StateId from, StateId to, int depth) {
        const ExprId body = expr.parts[0];
        StateId at = state();
        states_[from].epsilons.push_back(at);
        for (std::uint32_t i = 0; i < expr.min; ++i) {
            const StateId next = state();
            if (!connect(body, at, next, depth + 1))
                return false;
            at = next;
        }
        if (expr.max == GrammarAst::kUnbounded) {
            const StateId loop = state();
            states_[at].epsilons.push_back(loop);
            states_[loop].epsilons.push_back(to);
            const StateId again = state();
            states_[again].epsilons.push_back(loop);
            return connect(body, loop, again, depth + 1);
        }
        for (std::uint32_t i = expr.min; i < expr.max; ++i) {
            states_[at].epsilons.push_back(to);
            const StateId next = state();
            if (!connect(body, at, next, depth + 1))
                return false;
            at = next;
        }
        states_[at].epsilons.push_back(to);
        return true;
    }

    /// Splits code points into runs of UTF-8 byte ranges. Equal tails share their states.
    void connect_set(const CodeSet& set, StateId from, StateId to) {
        std::map<std::tuple<std::uint8_t, std::uint8_t, StateId>, StateId> tails;
        for (const auto& [first, last] : set)
            for (const auto& [low, high] : {CodeRange{0, 0x7F}, CodeRange{0x80, 0x7FF},
                                            CodeRange{0x800, 0xFFFF}, CodeRange{0x10000, 0x10FFFF}})
                if (std::max(first, low) <= std::min(last, high))
                    connect_range(std::max(first, low), std::min(last, high), from, to, tails);
    }

    template <typename Tails>
    void connect_range(char32_t first, char32_t last, StateId from, StateId to, Tails& tails) {
        // Split until every byte but the first ones that agree runs over its full range.
        const int bytes = first < 0x80 ? 1 : first < 0x800 ? 2 : first < 0x10000 ? 3 : 4;
        for (int i = 1; i < bytes; ++i) {
            const char32_t low_bits = (char32_t{1} << (6 * i)) - 1;
            if ((first & ~low_bits) == (last & ~low_bits))
                continue;
            if ((first & low_bits) != 0) {
                connect_range(first, first | low_bits, from, to, tails);
                connect_range((first | low_bits) + 1, last, from, to, tails);
                return;
            }
            if ((last & low_bits) != low_bits) {
                connect_range(first, (last & ~low_bits) - 1, from, to, tails);
                connect_range(last & ~low_bits, last, from, to, tails);
                return;
            }
        }
        const auto encode = [bytes](char32_t c) {
            std::array<std::uint8_t, 4> out{};
            for (int i = bytes - 1; i > 0; --i, c >>= 6U)
                out[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(0x80U | (c & 0x3FU));
            constexpr std::array<unsigned, 5> kLead{0, 0, 0xC0, 0xE0, 0xF0};
            out[0] = static_cast<std::uint8_t>(kLead[static_cast<std::size_t>(bytes)] | c);
            return out;
        };
        const auto low = encode(first);
        const auto high = encode(last);
        StateId next = to;
        for (int i = bytes - 1; i > 0; --i) {
            const auto key = std::make_tuple(low[static_cast<std::size_t>(i)],
                                             high[static_cast<std::size_t>(i)], next);
            auto known = tails.find(key);
            if (known == tails.end()) {
                const StateId fresh = state();
                states_[fresh].steps.push_back({std::get<0>(key), std::get<1>(key), next});
                known = tails.emplace(key, fresh).first;
            }
            next = known->second;
        }
        states_[from].steps.push_back({low[0], high[0], next});
    }

    GrammarProgram flatten(RuleId root) {
        GrammarProgram program;
        program.root = root;
        for (const StateId start : starts_)
            program.rules.push_back({start, false, 0});
        program.states.reserve(states_.size());
        for (const Draft& draft : states_) {
            GrammarProgram::State s;
            s.first_step = static_cast<std::uint32_t>(program.steps.size());
            s.n_steps = static_cast<std::uint32_t>(draft.steps.size());
            s.first_epsilon = static_cast<std::uint32_t>(program.epsilons.size());
            s.n_epsilon = static_cast<std::uint32_t>(draft.epsilons.size());
            s.call = draft.call;
            s.after = draft.after;
            s.is_end = draft.is_end;
            program.steps.insert(program.steps.end(), draft.steps.begin(), draft.steps.end());
            program.epsilons.insert(program.epsilons.end(), draft.epsilons.begin(),
                                    draft.epsilons.end());
            program.states.push_back(s);
        }
        return program;
    }

    const GrammarAst& ast_;
    std::vector<Draft> states_;
    std::vector<StateId> starts_;
};

/// Which rules match the empty text, by a fixed point: a rule that waits for another one goes on
/// when that turns out to be nullable. Fills Rule::nullable; returns for each rule those it may
/// begin with.
std::vector<std::vector<RuleId>> find_left_edges(GrammarProgram& program) {
    const std::size_t n = program.rules.size();
    std::vector<std::vector<RuleId>> left(n);
    std::vector<std::vector<std::pair<RuleId, StateId>>> waiting(
        n);                                        // on rule: (caller, state after)
    std::vector<bool> seen(program.states.size()); // states belong to one rule each
    std::vector<std::pair<RuleId, StateId>> todo;
    const auto visit = [&](RuleId rule, StateId s) {
        if (!seen[s]) {
            seen[s] = true;
            todo.emplace_back(rule, s);
        }
    };
    for (RuleId rule = 0; rule < n; ++rule)
        visit(rule, program.rules[rule].start);
    while (!todo.empty()) {
        const auto [rule, id] = todo.back();
        todo.pop_back();
        const GrammarProgram::State& s = program.states[id];
        for (const StateId next : program.epsilons_of(s))
            visit(rule, next);
        if (s.call >= 0) {
            const auto callee = static_cast<RuleId>(s.call);
            left[rule].push_back(callee);
            if (program.rules[callee].nullable)
                visit(rule, s.after);
            else
                waiting[callee].emplace_back(rule, s.after);
        }
        if (s.is_end && !program.rules[rule].nullable) {
            program.rules[rule].nullable = true;
            for (const auto& [caller, after] : waiting[rule])
                visit(caller, after);
            waiting[rule].clear();
        }
    }
    return left;
}

/// Orders rules so that each comes before those it may begin with; a cycle is left recursion: its
/// rule is returned.
std::int64_t order_rules(GrammarProgram& program, const std::vector<std::vector<RuleId>>& left) {
    enum class Colour : std::uint8_t { White, Grey, Black };
    const std::size_t n = program.rules.size();
    std::vector<Colour> colour(n, Colour::White);
    auto next = static_cast<std::uint32_t>(n);
    for (RuleId first = 0; first < n; ++first) {
        if (colour[first] != Colour::White)
            continue;
        std::vector<std::pair<RuleId, std::size_t>> path{{first, 0}};
        colour[first] = Colour::Grey;
        while (!path.empty()) {
            auto& [rule, edge] = path.back();
            if (edge == left[rule].size()) {
                colour[rule] = Colour::Black;
                program.rules[rule].order = --next;
                path.pop_back();
                continue;
            }
            const RuleId callee = left[rule][edge++];
            if (colour[callee] == Colour::Grey)
                return callee;
            if (colour[callee] == Colour::White) {
                colour[callee] = Colour::Grey;
                path.emplace_back(callee, 0);
            }
        }
    }
    return -1;
}

/// Marks the states from which the end of their rule can be reached, backwards from the ends.
void mark_useful(GrammarProgram& program) {
    const std::size_t n = program.states.size();
    std::vector<std::vector<StateId>> before(
        n); // who leads to a state by a byte, an epsilon or a return
    std::vector<std::vector<StateId>> callers(program.rules.size());
    std::vector<std::int32_t> rule_at(n, -1);
    for (std::size_t r = 0; r < program.rules.size(); ++r)
        rule_at[program.rules[r].start] = static_cast<std::int32_t>(r);
    std::vector<StateId> todo;
    for (StateId id = 0; id < n; ++id) {
        const GrammarProgram::State& s = program.states[id];
        for (const auto& step : program.steps_of(s))
            before[step.to].push_back(id);
        for (const StateId next : program.epsilons_of(s))
            before[next].push_back(id);
        if (s.call >= 0) {
            before[s.after].push_back(id);
            callers[static_cast<std::size_t>(s.call)].push_back(id);
        }
        if (s.is_end)
            todo.push_back(id);
    }
    const auto is_useful = [&](StateId id) {
        const GrammarProgram::State& s = program.states[id];
        if (s.is_end)
            return true;
        for (const auto& step : program.steps_of(s))
            if (program.states[step.to].useful)
                return true;
        for (const StateId next : program.epsilons_of(s))
            if (program.states[next].useful)
                return true;
        return s.call >= 0 && program.states[s.after].useful &&
               program.states[program.rules[static_cast<std::size_t>(s.call)].start].useful;
    };
    while (!todo.empty()) {
        const StateId id = todo.back();
        todo.pop_back();
        if (program.states[id].useful || !is_useful(id))
            continue;
        program.states[id].useful = true;
        todo.insert(todo.end(), before[id].begin(), before[id].end());
        if (rule_at[id] >= 0) {
            const auto& calling = callers[static_cast<std::size_t>(rule_at[id])];
            todo.insert(todo.end(), calling.begin(), calling.end());
        }
    }
}

} // namespace

Grammar::Grammar(std::shared_ptr<const GrammarProgram> program) : program_(std::move(program)) {}

Result<std::shared_ptr<const GrammarProgram>> compile_grammar(const GrammarAst& ast, RuleId root) {
    ALCOVE_ASSIGN_OR_RETURN(GrammarProgram program, Builder(ast).build(root));
    const auto left = find_left_edges(program);
    if (const std::int64_t rule = order_rules(program, left); rule >= 0)
        return grammar_error(fmt::format(
            "the rule {} is left-recursive: it can begin with itself without having read anything",
            quote_for_message(ast.rules()[static_cast<std::size_t>(rule)].name)));
    mark_useful(program);
    if (!program.states[program.rules[root].start].useful)
        return grammar_error("the grammar matches no text at all");
    return std::shared_ptr<const GrammarProgram>(
        std::make_shared<GrammarProgram>(std::move(program)));
}

} // namespace alcove
