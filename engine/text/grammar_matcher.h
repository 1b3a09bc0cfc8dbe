#pragma once

#include "engine/text/grammar_program.h"

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace alcove {

/// Runs a grammar over bytes. The situation after a text (all places in the rules where it may be,
/// each with what is to follow its rule) is a number; situations and steps between them are found
/// once and kept: a deterministic automaton built as it is needed. What follows a rule is a shared,
/// immutable node (a graph-structured stack), so that neither deep nor ambiguous grammars take
/// exponential space. Memory is bounded: beyond a limit everything but what is needed is forgotten.
/// Used by one thread at a time.
class GrammarMatcher {
public:
    using Situation = std::uint32_t;
    static constexpr Situation kDead = 0;

    explicit GrammarMatcher(std::shared_ptr<const GrammarProgram> program);

    /// The situation before any text. Valid until `trim`.
    Situation start();
    /// After `byte`; kDead if the text cannot go on so.
    Situation step(Situation situation, std::uint8_t byte) {
        const auto& next = situations_[situation].next;
        if (next != nullptr && (*next)[byte] != kUnknown)
            return (*next)[byte];
        return find_step(situation, byte);
    }
    bool is_complete(Situation situation) const { return situations_[situation].complete; }

    /// Forgets all but `keep` if too much has gathered; returns the new number of `keep`. All other
    /// numbers become invalid if `generation()` changed.
    Situation trim(Situation keep);
    std::uint32_t generation() const { return generation_; }
    /// The grammar is so ambiguous that one text needed more memory than allowed; such texts count
    /// as impossible.
    bool overflowed() const { return overflowed_; }

private:
    using StateId = GrammarProgram::StateId;
    using NodeId = std::uint32_t;
    static constexpr Situation kUnknown = 0xFFFFFFFFU;
    static constexpr NodeId kOutside =
        0; // the node of the root rule's caller: completing it completes the text

    /// Where to go on after a rule: state and the node of the rule that state belongs to.
    struct Return {
        StateId state;
        NodeId node;
        auto operator<=>(const Return&) const = default;
    };
    using Place = Return; // a byte-reading state, with its rule's node
    struct Kept {
        std::vector<Place> places; // sorted
        bool complete = false;
        std::unique_ptr<std::array<Situation, 256>> next;
    };
    /// What can be reached from a state without reading.
    struct Closure {
        std::vector<StateId> readers;
        std::vector<std::pair<RuleId, StateId>> calls; // rule and state after
        bool ends = false;
    };
    void clear();
    Situation find_step(Situation situation, std::uint8_t byte);
    const Closure& closure_of(StateId state);
    NodeId node_of(std::vector<Return> returns);
    Situation situation_of(std::vector<Place> places, bool complete);
    Situation settle(bool complete);
    void visit(Place place);
    void add_call(RuleId rule, StateId after, NodeId node);

    std::shared_ptr<const GrammarProgram> program_;
    std::vector<Kept> situations_; // 0: dead
    std::unordered_map<std::uint64_t, std::vector<Situation>> situation_index_;
    std::vector<std::vector<Return>> nodes_;
    std::unordered_map<std::uint64_t, std::vector<NodeId>> node_index_;
    std::vector<std::unique_ptr<Closure>> closures_; // by state, found when needed
    // Work of one step: places to look at, readers found, calls gathered per rule.
    std::vector<Place> todo_, found_;
    std::unordered_set<std::uint64_t> visited_;
    std::vector<std::vector<Return>> pending_; // by rule
    std::vector<RuleId> pending_rules_;        // a heap, lowest order first
    std::size_t trim_at_ = 0;                  // bytes_ at which `trim` forgets
    std::size_t bytes_ = 0;                    // rough size of what is kept
    std::uint32_t generation_ = 0;
    Situation start_ = kUnknown;
    bool overflowed_ = false;
};

} // namespace alcove
