#pragma once

#include "engine/result.h"
#include "engine/session/sampler_chain.h"
#include "engine/session/sampler_penalties.h"
#include "engine/session/sampler_random.h"
#include "engine/session/sampling.h"

#include <optional>
#include <span>
#include <vector>

namespace alcove {

/// Chooses tokens from logits by SamplingSettings (see there for the chain). One per answer: it
/// carries the history, the random numbers and Mirostat's state. Used by one thread at a time;
/// after construction nothing is allocated per token but the history's own growth.
///
///     Sampler sampler(settings, n_vocab);       // settings have passed validate()
///     sampler.reset(prompt);                    // penalties see the prompt too
///     ALCOVE_ASSIGN_OR_RETURN(TokenId id, sampler.sample(logits));
///     sampler.accept(id);
class Sampler {
public:
    Sampler(const SamplingSettings& settings, std::int32_t n_vocab);

    /// One token. `logits`: [n_vocab], not changed. Errc::Numeric if one is not a number or
    /// +infinity, or if none is left with a probability. Equal logits: the lower id counts as the
    /// better one.
    Result<TokenId> sample(std::span<const float> logits);
    /// Appends to the history that penalties look at.
    void accept(TokenId id) { penalties_.accept(id); }
    /// Replaces the history.
    void reset(std::span<const TokenId> history) { penalties_.reset(history); }

    struct Probability {
        TokenId id = 0;
        double p = 0;
    };
    /// What sample() would draw from: tokens with p > 0, most probable first (equals: lower id
    /// first). `xtc_coin` says how XTC's coin falls; without it the result is the mixture of both
    /// outcomes, without what is below 5e-13. Draws nothing, changes no state.
    Result<std::vector<Probability>> distribution(std::span<const float> logits,
                                                  std::optional<bool> xtc_coin = {});

    /// Mirostat's bound on surprise in bits; starts at 2 * tau. Each draw moves it by −eta *
    /// (surprise − tau), where the surprise is −log2 of the token's probability before truncation,
    /// as published.
    double mirostat_mu() const { return mu_; }
    void set_mirostat_mu(double mu) { mu_ = mu; }
    /// Does what sample() does after drawing `id`; false if the last distribution() or sample()
    /// does not hold it.
    bool update_mirostat(TokenId id);

private:
    Status run_chain(std::span<const float> logits, bool xtc_coin);
    Status adjust_logits(std::span<const float> logits);
    bool takes_the_best() const;

    SamplingSettings settings_;
    SamplerRandom random_;
    HistoryPenalties penalties_;
    std::vector<float> logits_; // [n_vocab], with biases and penalties
    CandidateSet candidates_;
    std::vector<Probability> surprise_base_; // Mirostat: kept tokens with p before truncation
    double mu_;
};

} // namespace alcove
