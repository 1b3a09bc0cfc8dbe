#include "engine/session/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alcove {
namespace {

/// Neither NaN nor +infinity; −infinity is a token that cannot come.
bool all_usable(std::span<const float> logits) {
    bool usable = true;
    for (const float logit : logits)
        usable &= logit <= std::numeric_limits<float>::max(); // false for NaN too; no branch, so
                                                              // that it vectorises
    return usable;
}

TokenId best_token(std::span<const float> logits) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < logits.size(); ++i) {
        if (logits[i] > logits[best])
            best = i;
    }
    return static_cast<TokenId>(best);
}

Error nothing_left() {
    return Error{Errc::Numeric, "no token is left to choose from: every one has the probability 0"};
}

} // namespace

Sampler::Sampler(const SamplingSettings& settings, std::int32_t n_vocab)
    : settings_(settings), random_(settings.seed), penalties_(n_vocab),
      logits_(static_cast<std::size_t>(std::max(n_vocab, 0))), candidates_(logits_.size()),
      mu_(2 * static_cast<double>(settings.mirostat_tau)) {}

Status Sampler::adjust_logits(std::span<const float> logits) {
    ALCOVE_CHECK(logits.size() == logits_.size() && !logits.empty(),
                 "one logit per token of the vocabulary");
    if (!all_usable(logits)) {
        const auto bad = std::find_if(logits.begin(), logits.end(), [](float x) {
            return !(x <= std::numeric_limits<float>::max());
        });
        return Error{
            Errc::Numeric,
            fmt::format("the model computed {} for token {}, expected a finite number: its weights "
                        "are damaged, or a value overflowed",
                        *bad, bad - logits.begin())};
    }
    std::copy(logits.begin(), logits.end(), logits_.begin());
    for (const auto& [id, bias] : settings_.logit_bias) {
        if (id >= 0 && static_cast<std::size_t>(id) < logits_.size())
            logits_[static_cast<std::size_t>(id)] += bias;
    }
    penalties_.apply_penalties(settings_, logits_);
    penalties_.apply_dry(settings_, logits_);
    return ok();
}

/// True if the whole chain comes down to the largest logit: no truncation removes it, temperature
/// keeps nothing else.
bool Sampler::takes_the_best() const {
    return settings_.temperature <= 0 && settings_.dynatemp_range <= 0 &&
           settings_.typical_p >= 1 && settings_.xtc_probability <= 0 && !settings_.mirostat;
}

Status Sampler::run_chain(std::span<const float> logits, bool xtc_coin) {
    ALCOVE_RETURN_IF_ERROR(adjust_logits(logits));
    const auto temperature = static_cast<double>(settings_.temperature);
    if (settings_.mirostat) {
        candidates_.fill(logits_);
        candidates_.temperature(temperature, static_cast<double>(settings_.dynatemp_range),
                                static_cast<double>(settings_.dynatemp_exponent));
        candidates_.mirostat(mu_);
        surprise_base_.clear();
        for (const Candidate& candidate : candidates_.items())
            surprise_base_.push_back({candidate.id, candidate.p});
    } else {
        if (settings_.top_n_sigma > 0) {
            candidates_.fill_top_n_sigma(logits_, static_cast<double>(settings_.top_n_sigma));
            candidates_.top_k(settings_.top_k);
        } else {
            candidates_.fill_top_k(logits_, settings_.top_k);
        }
        candidates_.typical(static_cast<double>(settings_.typical_p), settings_.min_keep);
        candidates_.top_p(static_cast<double>(settings_.top_p), settings_.min_keep);
        candidates_.min_p(static_cast<double>(settings_.min_p), settings_.min_keep);
        if (xtc_coin && settings_.xtc_probability > 0)
            candidates_.xtc(static_cast<double>(settings_.xtc_threshold), settings_.min_keep);
        candidates_.temperature(temperature, static_cast<double>(settings_.dynatemp_range),
                                static_cast<double>(settings_.dynatemp_exponent));
    }
    candidates_.softmax();
    const auto items = candidates_.items();
    if (!std::any_of(items.begin(), items.end(), [](const Candidate& c) { return c.p > 0; }))
        return nothing_left();
    return ok();
}

Result<TokenId> Sampler::sample(std::span<const float> logits) {
    if (takes_the_best()) {
        ALCOVE_RETURN_IF_ERROR(adjust_logits(logits));
        const TokenId best = best_token(logits_);
        if (std::isinf(logits_[static_cast<std::size_t>(best)]))
            return nothing_left();
        return best;
    }
    const bool coin = settings_.xtc_probability > 0 &&
                      random_.uniform() < static_cast<double>(settings_.xtc_probability);
    ALCOVE_RETURN_IF_ERROR(run_chain(logits, coin));
    const TokenId id = candidates_.draw(random_.uniform()).id;
    if (settings_.mirostat)
        update_mirostat(id);
    return id;
}

bool Sampler::update_mirostat(TokenId id) {
    const auto found = std::find_if(surprise_base_.begin(), surprise_base_.end(),
                                    [id](const Probability& entry) { return entry.id == id; });
    if (found == surprise_base_.end())
        return false;
    const double surprise = -std::log2(found->p);
    mu_ -= static_cast<double>(settings_.mirostat_eta) *
           (surprise - static_cast<double>(settings_.mirostat_tau));
    return true;
}

Result<std::vector<Sampler::Probability>> Sampler::distribution(std::span<const float> logits,
                                                                std::optional<bool> xtc_coin) {
    const double chance = std::clamp(static_cast<double>(settings_.xtc_probability), 0.0, 1.0);
    const double weight_on = xtc_coin.has_value() ? (*xtc_coin ? 1.0 : 0.0) : chance;
    std::vector<Probability> mixture;
    for (const bool coin : {false, true}) {
        const double weight = coin ? weight_on : 1 - weight_on;
        if (weight <= 0)
            continue;
        ALCOVE_RETURN_IF_ERROR(run_chain(logits, coin));
        for (const Candidate& candidate : candidates_.items()) {
            if (candidate.p > 0)
                mixture.push_back({candidate.id, weight * candidate.p});
        }
    }
    // Both outcomes may hold a token: join by id, then order.
    std::sort(mixture.begin(), mixture.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    std::vector<Probability> joined;
    for (const Probability& entry : mixture) {
        if (!joined.empty() && joined.back().id == entry.id)
            joined.back().p += entry.p;
        else
            joined.push_back(entry);
    }
    // A mixture is given to twelve decimals: what is nothing there is not in it.
    if (settings_.xtc_probability > 0 && !xtc_coin.has_value())
        std::erase_if(joined, [](const Probability& entry) { return entry.p < 5e-13; });
    std::sort(joined.begin(), joined.end(), [](const auto& a, const auto& b) {
        return a.p > b.p || (a.p == b.p && a.id < b.id);
    });
    return joined;
}

} // namespace alcove
