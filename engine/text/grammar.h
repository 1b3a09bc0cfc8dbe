#pragma once

#include "engine/result.h"
#include "engine/text/tokenizer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace alcove {

struct GrammarProgram; // grammar_program.h
class GrammarMatcher;  // grammar_matcher.h

/// A compiled grammar: which texts are allowed, and which are the begin of an allowed one.
/// Immutable, safe to use from several threads.
class Grammar {
public:
    /// Reads GBNF; the rule `root` is the text. Refused (Errc::Grammar, with the line) are: bad
    /// syntax, rules that are not defined, left recursion (hidden behind rules that may be empty,
    /// too), repetitions beyond 2,000, grammars that match no text at all, and grammars that expand
    /// to more than some hundred thousand states.
    static Result<std::shared_ptr<const Grammar>> from_gbnf(std::string_view text);

    /// JSON texts that are valid under `schema` (JSON Schema 2020-12): type, enum, const,
    /// properties, required, additionalProperties, min/maxProperties, items, prefixItems,
    /// min/maxItems, min/maxLength, pattern, format (date, time, date-time, uuid), bounds of
    /// numbers, anyOf, oneOf of branches that exclude each other, allOf, $ref within the schema.
    /// Refused with the place in the schema: keywords that cannot be a grammar (uniqueItems, not,
    /// if, …). The grammar allows less than the schema where that keeps answers short or in order:
    /// properties in declared order; no undeclared ones unless additionalProperties allows them by
    /// name; at most one blank or a line break with indentation between tokens; at most 16 digits
    /// in each part of a number.
    static Result<std::shared_ptr<const Grammar>>
    from_json_schema(const nlohmann::ordered_json& schema);

    explicit Grammar(std::shared_ptr<const GrammarProgram> program);
    const std::shared_ptr<const GrammarProgram>& program() const noexcept { return program_; }

private:
    std::shared_ptr<const GrammarProgram> program_;
};

enum class GrammarVerdict : std::uint8_t { Accept, Prefix, Reject };

struct GrammarCheck {
    GrammarVerdict verdict = GrammarVerdict::Reject;
    std::size_t reject_at =
        0; ///< for Reject: index of the first code point that has no continuation
};

/// Whether `text` (UTF-8) is allowed, may become so, or cannot.
GrammarCheck check_text(const Grammar& grammar, std::string_view text);

/// The tokens of a vocabulary by their bytes, for masks. Built once per model (some ten
/// milliseconds), shared by all states. Immutable.
class GrammarVocabulary {
public:
    explicit GrammarVocabulary(const Tokenizer& tokenizer);

    /// A node of the trie over all tokens, in preorder: descendants follow their ancestor directly.
    struct Node {
        std::uint32_t end = 0; ///< index behind the last descendant
        std::uint32_t first_id =
            0; ///< tokens that end here: ids()[first_id] … up to the next node's
        std::uint16_t depth = 0; ///< number of bytes to here, at least 1
        std::uint8_t byte = 0;
    };
    std::span<const Node> nodes() const noexcept { return {nodes_.data(), nodes_.size() - 1}; }
    std::span<const TokenId> ids_of(std::size_t node) const noexcept {
        return std::span(ids_).subspan(nodes_[node].first_id,
                                       nodes_[node + 1].first_id - nodes_[node].first_id);
    }
    std::size_t max_depth() const noexcept { return max_depth_; }
    std::int32_t n_vocab() const noexcept { return n_vocab_; }
    std::span<const TokenId> ends() const noexcept { return ends_; } ///< end-of-generation tokens
    std::string_view
    bytes(TokenId id) const noexcept; ///< what the token writes; empty for control tokens
    bool is_end(TokenId id) const noexcept;

private:
    std::vector<Node> nodes_; // one more than there are, as an end mark
    std::vector<TokenId> ids_;
    std::vector<TokenId> ends_;
    std::string arena_;
    std::vector<std::uint32_t> offsets_;
    std::size_t max_depth_ = 0;
    std::int32_t n_vocab_ = 0;
};

/// How far a generated text has come in a grammar. Used by one thread at a time. Masks and
/// transitions met before are kept, so that a mask usually costs as much as copying it.
class GrammarState {
public:
    GrammarState(std::shared_ptr<const Grammar> grammar,
                 std::shared_ptr<const GrammarVocabulary> vocabulary);
    ~GrammarState();
    GrammarState(GrammarState&&) noexcept;
    GrammarState& operator=(GrammarState&&) noexcept;

    /// Sets the logits of all tokens that cannot come next to −infinity. End-of-generation tokens
    /// stay only where the text may end. `logits` may be longer than the vocabulary; the surplus is
    /// closed, too.
    void mask(std::span<float> logits);
    /// One bit per token, least significant first, set if it may come next; valid until the next
    /// call.
    std::span<const std::uint64_t> allowed();
    /// Goes on by `id`; false (and nothing changes) if it cannot come next.
    bool accept(TokenId id);
    /// The text may end here.
    bool is_complete() const;
    /// Nothing but the end can come next.
    bool is_finished();
    /// Back to the begin, keeping what was learned.
    void reset();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace alcove
