#include "engine/text/grammar_matcher.h"

#include "engine/text/tokenizer_vocabulary.h"

#include <algorithm>

namespace alcove {

namespace {

constexpr std::size_t kSoftLimitBytes = 24U << 20U;  // beyond it `trim` forgets
constexpr std::size_t kHardLimitBytes = 192U << 20U; // beyond it a text counts as impossible

template <typename Items> std::uint64_t hash_items(const Items& items, std::uint64_t seed) {
    std::uint64_t hash = seed;
    for (const auto& item : items)
        hash = hash_pair(hash ^ (static_cast<std::uint64_t>(item.state) << 32U | item.node));
    return hash;
}

} // namespace

GrammarMatcher::GrammarMatcher(std::shared_ptr<const GrammarProgram> program)
    : program_(std::move(program)), closures_(program_->states.size()),
      pending_(program_->rules.size()) {
    clear();
    trim_at_ = kSoftLimitBytes;
}

void GrammarMatcher::clear() {
    situations_.clear();
    situation_index_.clear();
    nodes_.clear();
    node_index_.clear();
    start_ = kUnknown;
    bytes_ = 0;
    ++generation_;
    situations_.emplace_back(); // dead
    situations_[kDead].next = std::make_unique<std::array<Situation, 256>>();
    situations_[kDead].next->fill(kDead);
    nodes_.emplace_back(); // outside
}

GrammarMatcher::Situation GrammarMatcher::start() {
    if (start_ == kUnknown) {
        const auto& root = program_->rules[program_->root];
        pending_[program_->root].push_back({0, kOutside});
        pending_rules_.push_back(program_->root);
        start_ = settle(root.nullable);
    }
    return start_;
}

const GrammarMatcher::Closure& GrammarMatcher::closure_of(StateId state) {
    if (closures_[state])
        return *closures_[state];
    auto made = std::make_unique<Closure>();
    std::vector<StateId> todo{state};
    std::unordered_set<StateId> seen{state};
    const auto add = [&](StateId id) {
        if (program_->states[id].useful && seen.insert(id).second)
            todo.push_back(id);
    };
    while (!todo.empty()) {
        const StateId id = todo.back();
        todo.pop_back();
        const GrammarProgram::State& s = program_->states[id];
        if (s.n_steps > 0)
            made->readers.push_back(id);
        made->ends = made->ends || s.is_end;
        for (const StateId next : program_->epsilons_of(s))
            add(next);
        if (s.call < 0 || !program_->states[s.after].useful)
            continue;
        const auto rule = static_cast<RuleId>(s.call);
        if (program_->states[program_->rules[rule].start].useful)
            made->calls.emplace_back(rule, s.after);
        if (program_->rules[rule].nullable)
            add(s.after);
    }
    closures_[state] = std::move(made);
    return *closures_[state];
}

GrammarMatcher::NodeId GrammarMatcher::node_of(std::vector<Return> returns) {
    auto& same_hash = node_index_[hash_items(returns, 1)];
    for (const NodeId id : same_hash)
        if (nodes_[id] == returns)
            return id;
    bytes_ += returns.size() * sizeof(Return) + 96;
    same_hash.push_back(static_cast<NodeId>(nodes_.size()));
    nodes_.push_back(std::move(returns));
    return same_hash.back();
}

GrammarMatcher::Situation GrammarMatcher::situation_of(std::vector<Place> places, bool complete) {
    if (places.empty() && !complete)
        return kDead;
    auto& same_hash = situation_index_[hash_items(places, complete ? 3 : 2)];
    for (const Situation id : same_hash)
        if (situations_[id].complete == complete && situations_[id].places == places)
            return id;
    bytes_ += places.size() * sizeof(Place) + 160;
    if (bytes_ > kHardLimitBytes) {
        overflowed_ = true;
        return kDead;
    }
    same_hash.push_back(static_cast<Situation>(situations_.size()));
    situations_.push_back({std::move(places), complete, nullptr});
    return same_hash.back();
}

void GrammarMatcher::visit(Place place) {
    if (visited_.insert(static_cast<std::uint64_t>(place.state) << 32U | place.node).second)
        todo_.push_back(place);
}

void GrammarMatcher::add_call(RuleId rule, StateId after, NodeId node) {
    auto& returns = pending_[rule];
    if (returns.empty()) {
        pending_rules_.push_back(rule);
        std::push_heap(pending_rules_.begin(), pending_rules_.end(), [this](RuleId a, RuleId b) {
            return program_->rules[a].order > program_->rules[b].order;
        });
    }
    // A call at the very end of a rule returns to where that rule returns: lists written as right
    // recursion need no stack.
    const Closure& rest = closure_of(after);
    if (rest.ends && rest.readers.empty() && rest.calls.empty())
        returns.insert(returns.end(), nodes_[node].begin(), nodes_[node].end());
    else
        returns.push_back({after, node});
}

/// Completes a step: from the places in todo_ and the calls in pending_, everything that is reached
/// without reading.
GrammarMatcher::Situation GrammarMatcher::settle(bool complete) {
    found_.clear();
    while (!todo_.empty()) {
        const Place place = todo_.back();
        todo_.pop_back();
        const Closure& closure = closure_of(place.state);
        for (const StateId reader : closure.readers)
            found_.push_back({reader, place.node});
        for (const auto& [rule, after] : closure.calls)
            add_call(rule, after, place.node);
        if (!closure.ends)
            continue;
        // The rule read something, so its node is an older one and its returns are all known.
        for (const Return& back : nodes_[place.node]) {
            if (back.node == kOutside)
                complete = true;
            else
                visit(back);
        }
    }
    // Callers come before those they call, so each rule's returns are complete when its turn comes.
    // That a called rule may be empty needs no care here: its caller's closure goes on behind it.
    const auto later = [this](RuleId a, RuleId b) {
        return program_->rules[a].order > program_->rules[b].order;
    };
    while (!pending_rules_.empty()) {
        std::pop_heap(pending_rules_.begin(), pending_rules_.end(), later);
        const RuleId rule = pending_rules_.back();
        pending_rules_.pop_back();
        std::vector<Return> returns;
        returns.swap(pending_[rule]);
        std::sort(returns.begin(), returns.end());
        returns.erase(std::unique(returns.begin(), returns.end()), returns.end());
        const NodeId node = node_of(std::move(returns));
        const Closure& closure = closure_of(program_->rules[rule].start);
        for (const StateId reader : closure.readers)
            found_.push_back({reader, node});
        for (const auto& [callee, after] : closure.calls)
            add_call(callee, after, node);
    }
    visited_.clear();
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return situation_of(found_, complete);
}

GrammarMatcher::Situation GrammarMatcher::find_step(Situation situation, std::uint8_t byte) {
    for (const Place& place : situations_[situation].places)
        for (const auto& step : program_->steps_of(program_->states[place.state]))
            if (step.low <= byte && byte <= step.high && program_->states[step.to].useful)
                visit({step.to, place.node});
    const Situation reached = todo_.empty() ? kDead : settle(false);
    auto& next = situations_[situation].next;
    if (next == nullptr) {
        next = std::make_unique<std::array<Situation, 256>>();
        next->fill(kUnknown);
        bytes_ += sizeof(*next);
    }
    (*next)[byte] = reached;
    return reached;
}

GrammarMatcher::Situation GrammarMatcher::trim(Situation keep) {
    if (bytes_ < trim_at_)
        return keep;
    std::vector<Place> places = std::move(situations_[keep].places);
    const bool complete = situations_[keep].complete;
    const std::vector<std::vector<Return>> old_nodes = std::move(nodes_);
    // Nodes refer to older nodes only: mark downwards, build again upwards.
    std::vector<bool> needed(old_nodes.size());
    for (const Place& place : places)
        needed[place.node] = true;
    for (std::size_t id = old_nodes.size(); id-- > 0;)
        if (needed[id])
            for (const Return& back : old_nodes[id])
                needed[back.node] = true;
    clear();
    std::vector<NodeId> renamed(old_nodes.size(), kOutside);
    for (std::size_t id = 1; id < old_nodes.size(); ++id) {
        if (!needed[id])
            continue;
        std::vector<Return> returns = old_nodes[id];
        for (Return& back : returns)
            back.node = renamed[back.node];
        std::sort(returns.begin(), returns.end());
        renamed[id] = node_of(std::move(returns));
    }
    for (Place& place : places)
        place.node = renamed[place.node];
    std::sort(places.begin(), places.end());
    const Situation kept = situation_of(std::move(places), complete);
    // What is needed alone may be much: the next time comes when as much again has gathered.
    trim_at_ = std::max(kSoftLimitBytes, 2 * bytes_);
    return kept;
}

} // namespace alcove
