#pragma once

#include "engine/session/sampling.h"
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace alcove {

/// The members of the chain that look at what was written so far: repetition, frequency and
/// presence penalties, and DRY. They change single logits in place; only tokens of the history are
/// touched. Memory is kept from token to token.
class HistoryPenalties {
public:
    explicit HistoryPenalties(std::int32_t n_vocab);

    void reset(std::span<const TokenId> history);
    void accept(TokenId id) { history_.push_back(id); }

    /// Over the last `repeat_last_n` tokens (−1: all): a positive logit is divided, another
    /// multiplied by repeat_penalty (Keskar et al., 2019); then minus count * frequency_penalty +
    /// presence_penalty.
    void apply_penalties(const SamplingSettings& settings, std::span<float> logits);

    /// DRY ("don't repeat yourself"): where the end of the text, n tokens long, stood earlier and
    /// was followed by token t, t loses multiplier * base^(n − allowed_length) for the longest such
    /// n >= allowed_length. A repeat does not reach across a breaker; a breaker of one token is
    /// never penalised. O(history) by the Z function.
    void apply_dry(const SamplingSettings& settings, std::span<float> logits);

private:
    std::span<const TokenId> window(std::int32_t last_n) const;
    bool in_vocabulary(TokenId id) const {
        return id >= 0 && static_cast<std::size_t>(id) < per_token_.size();
    }
    std::size_t longest_allowed_match(std::span<const TokenId> text,
                                      const std::vector<std::vector<TokenId>>& breakers) const;
    void fill_match_lengths(std::span<const TokenId> text, std::size_t limit);

    std::vector<TokenId> history_;
    std::vector<std::uint32_t> per_token_; // [n_vocab], zero between calls: counts or match lengths
    std::vector<TokenId> touched_;         // ids with a value in per_token_
    std::vector<std::uint32_t> match_;     // [history], the Z function of the reversed text
};

} // namespace alcove
