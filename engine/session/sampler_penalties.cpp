#include "engine/session/sampler_penalties.h"

#include <algorithm>
#include <cmath>

namespace alcove {

HistoryPenalties::HistoryPenalties(std::int32_t n_vocab)
    : per_token_(static_cast<std::size_t>(std::max(n_vocab, 0))) {
    history_.reserve(8192);
}

void HistoryPenalties::reset(std::span<const TokenId> history) {
    history_.assign(history.begin(), history.end());
}

std::span<const TokenId> HistoryPenalties::window(std::int32_t last_n) const {
    const std::span<const TokenId> all(history_);
    return last_n < 0 ? all : all.last(std::min(all.size(), static_cast<std::size_t>(last_n)));
}

void HistoryPenalties::apply_penalties(const SamplingSettings& settings, std::span<float> logits) {
    const bool off = settings.repeat_penalty == 1.0F && settings.frequency_penalty == 0.0F &&
                     settings.presence_penalty == 0.0F;
    if (off || settings.repeat_last_n == 0)
        return;
    for (const TokenId id : window(settings.repeat_last_n)) {
        if (in_vocabulary(id) && per_token_[static_cast<std::size_t>(id)]++ == 0)
            touched_.push_back(id);
    }
    for (const TokenId id : touched_) {
        std::uint32_t& count = per_token_[static_cast<std::size_t>(id)];
        double logit = static_cast<double>(logits[static_cast<std::size_t>(id)]);
        const auto repeat = static_cast<double>(settings.repeat_penalty);
        logit = logit <= 0 ? logit * repeat : logit / repeat;
        logit -= count * static_cast<double>(settings.frequency_penalty) +
                 static_cast<double>(settings.presence_penalty);
        logits[static_cast<std::size_t>(id)] = static_cast<float>(logit);
        count = 0;
    }
    touched_.clear();
}

/// How far back from the end a repeat may reach: up to the nearest complete breaker.
std::size_t
HistoryPenalties::longest_allowed_match(std::span<const TokenId> text,
                                        const std::vector<std::vector<TokenId>>& breakers) const {
    for (std::size_t back = 0; back < text.size();
         ++back) { // `back` tokens stand after text[begin]
        const std::size_t begin = text.size() - 1 - back;
        std::size_t longest = 0;
        for (const auto& breaker : breakers) {
            if (!breaker.empty() && breaker.size() <= back + 1 && breaker.size() > longest &&
                std::equal(breaker.begin(), breaker.end(),
                           text.begin() + static_cast<std::ptrdiff_t>(begin)))
                longest = breaker.size();
        }
        if (longest > 0)
            return back + 1 - longest;
    }
    return text.size();
}

/// match_[i]: how many tokens, read backwards, the text that ends i tokens before the end has in
/// common with the end.
void HistoryPenalties::fill_match_lengths(std::span<const TokenId> text, std::size_t limit) {
    const std::size_t n = text.size();
    const auto backwards = [&](std::size_t i) { return text[n - 1 - i]; };
    match_.assign(n, 0);
    std::size_t left = 0;
    std::size_t right = 0; // [left, right): the match that reaches furthest
    for (std::size_t i = 1; i < n; ++i) {
        std::size_t length = i < right ? std::min<std::size_t>(right - i, match_[i - left]) : 0;
        while (i + length < n && backwards(length) == backwards(i + length))
            ++length;
        if (i + length > right) {
            left = i;
            right = i + length;
        }
        match_[i] = static_cast<std::uint32_t>(length);
    }
    for (std::uint32_t& length : match_)
        length = static_cast<std::uint32_t>(std::min<std::size_t>(length, limit));
}

void HistoryPenalties::apply_dry(const SamplingSettings& settings, std::span<float> logits) {
    if (settings.dry_multiplier == 0.0F || settings.dry_base < 1.0F ||
        settings.dry_penalty_last_n == 0)
        return;
    const auto text = window(settings.dry_penalty_last_n);
    const auto allowed = static_cast<std::size_t>(std::max(settings.dry_allowed_length, 0));
    if (text.size() <= allowed)
        return;
    const std::size_t limit = longest_allowed_match(text, settings.dry_breakers);
    if (limit < allowed)
        return;
    fill_match_lengths(text, limit);
    for (std::size_t i = 1; i < text.size(); ++i) {
        const TokenId next =
            text[text.size() - i]; // the token that followed the earlier occurrence
        if (match_[i] < allowed || !in_vocabulary(next))
            continue;
        std::uint32_t& longest =
            per_token_[static_cast<std::size_t>(next)]; // length + 1: zero means untouched
        if (longest == 0)
            touched_.push_back(next);
        longest = std::max(longest, match_[i] + 1);
    }
    for (const TokenId id : touched_) {
        std::uint32_t& longest = per_token_[static_cast<std::size_t>(id)];
        const bool is_breaker =
            std::any_of(settings.dry_breakers.begin(), settings.dry_breakers.end(),
                        [id](const auto& b) { return b.size() == 1 && b[0] == id; });
        if (!is_breaker) {
            const double extra = static_cast<double>(longest - 1) - static_cast<double>(allowed);
            const double penalty = static_cast<double>(settings.dry_multiplier) *
                                   std::pow(static_cast<double>(settings.dry_base), extra);
            float& logit = logits[static_cast<std::size_t>(id)];
            logit = static_cast<float>(static_cast<double>(logit) - penalty);
        }
        longest = 0;
    }
    touched_.clear();
}

} // namespace alcove
