#include "engine/text/grammar.h"
#include "engine/text/grammar_matcher.h"
#include "engine/text/utf8.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace alcove {

namespace {

constexpr std::size_t kMaskCacheBytes = 32U << 20U;

} // namespace

GrammarCheck check_text(const Grammar& grammar, std::string_view text) {
    GrammarMatcher matcher(grammar.program());
    GrammarMatcher::Situation at = matcher.start();
    std::size_t n = 0; // code points read
    for (std::size_t i = 0; i < text.size(); ++n) {
        const std::size_t end =
            std::min(text.size(), i + std::max<std::size_t>(1, utf8_step(text.substr(i)).length));
        for (; i < end; ++i)
            at = matcher.step(at, static_cast<std::uint8_t>(text[i]));
        if (at == GrammarMatcher::kDead)
            return {GrammarVerdict::Reject, n};
        at = matcher.trim(at);
    }
    return {matcher.is_complete(at) ? GrammarVerdict::Accept : GrammarVerdict::Prefix, 0};
}

GrammarVocabulary::GrammarVocabulary(const Tokenizer& tokenizer) : n_vocab_(tokenizer.n_vocab()) {
    std::vector<std::pair<std::string_view, TokenId>> entries;
    offsets_.reserve(static_cast<std::size_t>(n_vocab_) + 1);
    offsets_.push_back(0);
    for (TokenId id = 0; id < n_vocab_; ++id) {
        if (tokenizer.is_end_of_generation(id))
            ends_.push_back(id);
        else if (tokenizer.kind(id) != TokenKind::Unused)
            arena_ += tokenizer.token_bytes(id, false);
        offsets_.push_back(static_cast<std::uint32_t>(arena_.size()));
    }
    for (TokenId id = 0; id < n_vocab_; ++id)
        if (const std::string_view text = bytes(id); !text.empty())
            entries.emplace_back(text, id);
    std::sort(entries.begin(), entries.end());

    // Sorted strings are the trie in preorder: each adds nodes for what it does not share with the
    // one before.
    std::vector<std::size_t> open; // nodes on the path, by depth − 1
    std::string_view previous;
    const auto close = [&](std::size_t depth) {
        for (; open.size() > depth; open.pop_back())
            nodes_[open.back()].end = static_cast<std::uint32_t>(nodes_.size());
    };
    for (const auto& [text, id] : entries) {
        const auto split =
            std::mismatch(previous.begin(), previous.end(), text.begin(), text.end());
        close(static_cast<std::size_t>(split.first - previous.begin()));
        while (open.size() < text.size()) {
            Node node;
            node.first_id = static_cast<std::uint32_t>(ids_.size());
            node.byte = static_cast<std::uint8_t>(text[open.size()]);
            open.push_back(nodes_.size());
            node.depth = static_cast<std::uint16_t>(open.size());
            nodes_.push_back(node);
        }
        ids_.push_back(id);
        max_depth_ = std::max(max_depth_, text.size());
        previous = text;
    }
    close(0);
    Node end;
    end.first_id = static_cast<std::uint32_t>(ids_.size());
    nodes_.push_back(end);
}

std::string_view GrammarVocabulary::bytes(TokenId id) const noexcept {
    if (id < 0 || id >= n_vocab_)
        return {};
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(arena_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
}

bool GrammarVocabulary::is_end(TokenId id) const noexcept {
    return std::find(ends_.begin(), ends_.end(), id) != ends_.end();
}

struct GrammarState::Impl {
    Impl(std::shared_ptr<const Grammar> g, std::shared_ptr<const GrammarVocabulary> v)
        : grammar(std::move(g)), vocabulary(std::move(v)), matcher(grammar->program()),
          at(matcher.start()), path(vocabulary->max_depth() + 1),
          words((static_cast<std::size_t>(vocabulary->n_vocab()) + 63) / 64) {}

    /// Walks the vocabulary's trie together with the grammar; a dead end skips all tokens that
    /// begin so.
    std::vector<std::uint64_t> find_mask() {
        std::vector<std::uint64_t> mask(words);
        const auto set = [&mask](TokenId id) {
            mask[static_cast<std::size_t>(id) / 64] |= std::uint64_t{1}
                                                       << (static_cast<std::size_t>(id) % 64);
        };
        path[0] = at;
        const auto nodes = vocabulary->nodes();
        for (std::size_t i = 0; i < nodes.size();) {
            const GrammarVocabulary::Node& node = nodes[i];
            const GrammarMatcher::Situation next = matcher.step(path[node.depth - 1U], node.byte);
            if (next == GrammarMatcher::kDead) {
                i = node.end;
                continue;
            }
            path[node.depth] = next;
            for (const TokenId id : vocabulary->ids_of(i))
                set(id);
            ++i;
        }
        if (matcher.is_complete(at))
            for (const TokenId id : vocabulary->ends())
                set(id);
        return mask;
    }

    /// Keeps memory in bounds; masks are filed under situations, which may get new numbers.
    void tidy() {
        at = matcher.trim(at);
        if (generation != matcher.generation() || masks.size() * words * 8 > kMaskCacheBytes)
            masks.clear();
        generation = matcher.generation();
    }

    std::shared_ptr<const Grammar> grammar;
    std::shared_ptr<const GrammarVocabulary> vocabulary;
    GrammarMatcher matcher;
    GrammarMatcher::Situation at;
    std::vector<GrammarMatcher::Situation> path; // by depth in the trie
    std::size_t words;                           // of a mask
    std::unordered_map<GrammarMatcher::Situation, std::vector<std::uint64_t>> masks;
    std::uint32_t generation = 0;
};

GrammarState::GrammarState(std::shared_ptr<const Grammar> grammar,
                           std::shared_ptr<const GrammarVocabulary> vocabulary)
    : impl_(std::make_unique<Impl>(std::move(grammar), std::move(vocabulary))) {
    impl_->generation = impl_->matcher.generation();
}
GrammarState::~GrammarState() = default;
GrammarState::GrammarState(GrammarState&&) noexcept = default;
GrammarState& GrammarState::operator=(GrammarState&&) noexcept = default;

std::span<const std::uint64_t> GrammarState::allowed() {
    impl_->tidy();
    auto known = impl_->masks.find(impl_->at);
    if (known == impl_->masks.end())
        known = impl_->masks.emplace(impl_->at, impl_->find_mask()).first;
    return known->second;
}

void GrammarState::mask(std::span<float> logits) {
    constexpr float kClosed = -std::numeric_limits<float>::infinity();
    const std::span<const std::uint64_t> bits = allowed();
    for (std::size_t word = 0; word * 64 < logits.size(); ++word) {
        const std::uint64_t open = word < bits.size() ? bits[word] : 0;
        if (open == ~std::uint64_t{0})
            continue;
        const std::size_t end = std::min(logits.size(), word * 64 + 64);
        for (std::size_t i = word * 64; i < end; ++i)
            if ((open >> (i % 64) & 1U) == 0)
                logits[i] = kClosed;
    }
}

bool GrammarState::accept(TokenId id) {
    if (impl_->vocabulary->is_end(id))
        return is_complete();
    const std::string_view text = impl_->vocabulary->bytes(id);
    if (text.empty())
        return false;
    GrammarMatcher::Situation next = impl_->at;
    for (const char c : text)
        next = impl_->matcher.step(next, static_cast<std::uint8_t>(c));
    if (next == GrammarMatcher::kDead)
        return false;
    impl_->at = next;
    impl_->tidy();
    return true;
}

bool GrammarState::is_complete() const {
    return impl_->matcher.is_complete(impl_->at);
}

bool GrammarState::is_finished() {
    if (!is_complete())
        return false;
    for (unsigned byte = 0; byte < 256; ++byte)
        if (impl_->matcher.step(impl_->at, static_cast<std::uint8_t>(byte)) !=
            GrammarMatcher::kDead)
            return false;
    return true;
}

void GrammarState::reset() {
    impl_->at = impl_->matcher.start();
    impl_->tidy();
}

} // namespace alcove
