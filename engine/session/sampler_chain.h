#pragma once

#include "engine/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace alcove {

struct Candidate {
    TokenId id = 0;
    double logit = 0;
    double p = 0; ///< of the last softmax()
};

/// The tokens that may still be drawn. The members of the chain below shrink or change it. Its
/// memory is kept from token to token. Order of preference everywhere: higher logit first, of
/// equals the lower id, so that a result never depends on the algorithm that selected it.
///
/// Costs, n candidates: with top_k (or top_n_sigma) the vocabulary is passed over once and only the
/// survivors become candidates; without, the members select the front they need instead of sorting
/// everything.
class CandidateSet {
public:
    explicit CandidateSet(std::size_t n_vocab) { items_.reserve(n_vocab); }

    /// All tokens.
    void fill(std::span<const float> logits);
    /// The k best tokens, in order; k <= 0 or >= n is fill(). One pass, O(n + hits log k).
    void fill_top_k(std::span<const float> logits, std::int32_t k);
    /// Tokens with logit >= max − n_sigma * (population) standard deviation; −infinity does not
    /// count for either.
    void fill_top_n_sigma(std::span<const float> logits, double n_sigma);

    /// The k best; k <= 0: no change.
    void top_k(std::int32_t k);
    /// Locally typical sampling (Meister et al., 2022): ascending |−ln p − H| until the sum of p
    /// exceeds `p`.
    void typical(double p, std::int32_t min_keep);
    /// The smallest set of the most probable whose sum reaches `p`; at least one. `p` >= 1: no
    /// change.
    void top_p(double p, std::int32_t min_keep);
    /// p_i >= p * p_max; at least one. `p` <= 0: no change.
    void min_p(double p, std::int32_t min_keep);
    /// Exclude top choices, for when the coin has said so: of the tokens with p >= threshold only
    /// the least likely stays. No change if threshold > 0.5, or if fewer than min_keep would stay.
    void xtc(double threshold, std::int32_t min_keep);
    /// Divides the logits by t; t <= 0 leaves the best token only. With range > 0: t becomes
    /// lo + (hi − lo) * (H / ln n)^exponent, lo = max(0, t − range), hi = t + range (dynamic
    /// temperature).
    void temperature(double t, double range, double exponent);
    /// Mirostat 2 (Basu et al., 2021): tokens with −log2 p <= mu, at least one. p() keeps the
    /// values before truncation.
    void mirostat(double mu);

    /// Fills p of all candidates: exp(logit − max) / sum, in double precision.
    void softmax();
    /// Best first.
    void sort();

    std::span<const Candidate> items() const { return items_; }
    bool empty() const { return items_.empty(); }
    /// The candidate at which the running sum of p passes `u` * sum; u in [0, 1).
    const Candidate& draw(double u) const;

private:
    double entropy() const;
    std::size_t best() const;
    void keep_front(std::size_t n) { items_.resize(n); }

    std::vector<Candidate> items_;
    std::vector<Candidate> scratch_;
    bool sorted_ = false;
};

} // namespace alcove
