#include "engine/session/sampler_chain.h"

#include "engine/result.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alcove {
namespace {

bool better(const Candidate& a, const Candidate& b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/// Sorts just as much of the front of `items` by `less` as is needed: `stop(index)` is asked once
/// for each item in order and says whether the front ends with it. Returns the length of the front;
/// all of it if nobody stopped.
template <typename Less, typename Stop>
std::size_t sorted_front(std::vector<Candidate>& items, bool already_sorted, Less less, Stop stop) {
    std::size_t sorted = already_sorted ? items.size() : 0;
    std::size_t chunk = 64;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i == sorted) {
            const auto begin = items.begin() + static_cast<std::ptrdiff_t>(sorted);
            const std::size_t end = std::min(items.size(), sorted + chunk);
            const auto middle = items.begin() + static_cast<std::ptrdiff_t>(end);
            if (middle != items.end())
                std::nth_element(begin, middle, items.end(), less);
            std::sort(begin, middle, less);
            sorted = end;
            chunk *= 4;
        }
        if (stop(i))
            return i + 1;
    }
    return items.size();
}

std::size_t at_least_one(std::int32_t min_keep) {
    return min_keep > 1 ? static_cast<std::size_t>(min_keep) : 1;
}

} // namespace

void CandidateSet::fill(std::span<const float> logits) {
    items_.resize(logits.size());
    for (std::size_t i = 0; i < logits.size(); ++i)
        items_[i] = {static_cast<TokenId>(i), static_cast<double>(logits[i]), 0};
    sorted_ = false;
}

void CandidateSet::fill_top_k(std::span<const float> logits, std::int32_t k) {
    const auto n_kept = static_cast<std::size_t>(std::max(k, 0));
    if (n_kept == 0 || n_kept >= logits.size() / 8) { // many: selecting beats a heap
        fill(logits);
        top_k(k);
        return;
    }
    items_.clear();
    for (std::size_t i = 0; i < n_kept; ++i)
        items_.push_back({static_cast<TokenId>(i), static_cast<double>(logits[i]), 0});
    // A heap whose front is the worst of the kept. An equal logit further on has the higher id and
    // does not enter.
    std::make_heap(items_.begin(), items_.end(), better);
    auto worst = static_cast<float>(items_.front().logit);
    for (std::size_t i = n_kept; i < logits.size(); ++i) {
        if (!(logits[i] > worst))
            continue;
        std::pop_heap(items_.begin(), items_.end(), better);
        items_.back() = {static_cast<TokenId>(i), static_cast<double>(logits[i]), 0};
        std::push_heap(items_.begin(), items_.end(), better);
        worst = static_cast<float>(items_.front().logit);
    }
    std::sort(items_.begin(), items_.end(), better);
    sorted_ = true;
}

void CandidateSet::fill_top_n_sigma(std::span<const float> logits, double n_sigma) {
    constexpr float kNothing = -std::numeric_limits<float>::infinity();
    double sum = 0;
    double max = kNothing;
    std::size_t n = 0;
    for (const float logit : logits) {
        if (logit == kNothing)
            continue;
        sum += static_cast<double>(logit);
        max = std::max(max, static_cast<double>(logit));
        ++n;
    }
    if (n == 0 || logits.size() <= 1) {
        fill(logits);
        return;
    }
    const double mean = sum / static_cast<double>(n);
    double squares = 0;
    for (const float logit : logits) {
        if (logit != kNothing)
            squares += (static_cast<double>(logit) - mean) * (static_cast<double>(logit) - mean);
    }
    const double limit = max - n_sigma * std::sqrt(squares / static_cast<double>(n));
    items_.clear();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (static_cast<double>(logits[i]) >= limit)
            items_.push_back({static_cast<TokenId>(i), static_cast<double>(logits[i]), 0});
    }
    sorted_ = false;
}

void CandidateSet::top_k(std::int32_t k) {
    if (k <= 0)
        return;
    const auto n = std::min(static_cast<std::size_t>(k), items_.size());
    if (!sorted_) {
        const auto middle = items_.begin() + static_cast<std::ptrdiff_t>(n);
        if (middle != items_.end())
            std::nth_element(items_.begin(), middle, items_.end(), better);
        std::sort(items_.begin(), middle, better);
        sorted_ = true;
    }
    keep_front(n);
}

double CandidateSet::entropy() const {
    double sum = 0;
    for (const Candidate& candidate : items_) {
        if (candidate.p > 0)
            sum -= candidate.p * std::log(candidate.p);
    }
    return sum;
}

void CandidateSet::typical(double p, std::int32_t min_keep) {
    if (p >= 1 || items_.empty())
        return;
    softmax();
    const double h = entropy();
    // The distance takes the place of the logit while sorting; `scratch_` gives the logits back
    // afterwards.
    scratch_.assign(items_.begin(), items_.end());
    for (std::size_t i = 0; i < items_.size(); ++i) {
        items_[i].logit = -std::abs(-std::log(items_[i].p) - h); // p = 0: −infinity, last
        items_[i].id = static_cast<TokenId>(i); // equal distances: the earlier place first
    }
    double sum = 0;
    const std::size_t n = sorted_front(items_, false, better, [&](std::size_t i) {
        sum += items_[i].p;
        return sum > p && i + 1 >= at_least_one(min_keep);
    });
    keep_front(n);
    for (Candidate& candidate : items_)
        candidate = scratch_[static_cast<std::size_t>(candidate.id)];
    sorted_ = false;
}

void CandidateSet::top_p(double p, std::int32_t min_keep) {
    if (p >= 1 || items_.empty())
        return;
    softmax();
    double sum = 0;
    keep_front(sorted_front(items_, sorted_, better, [&](std::size_t i) {
        sum += items_[i].p;
        return sum >= p && i + 1 >= at_least_one(min_keep);
    }));
    sorted_ = true;
}

void CandidateSet::min_p(double p, std::int32_t min_keep) {
    if (p <= 0 || items_.empty())
        return;
    softmax();
    const double limit = p * items_[best()].p *
                         (1 - 1e-12); // a token exactly at the limit stays, whatever rounding did
    const auto reached = [&](const Candidate& candidate) { return candidate.p >= limit; };
    const auto n_reached =
        static_cast<std::size_t>(std::count_if(items_.begin(), items_.end(), reached));
    const std::size_t n = std::max(n_reached, std::min(at_least_one(min_keep), items_.size()));
    if (n > n_reached || sorted_)
        top_k(static_cast<std::int32_t>(n));
    else
        items_.erase(std::remove_if(items_.begin(), items_.end(),
                                    [&](const Candidate& c) { return !reached(c); }),
                     items_.end());
}

void CandidateSet::xtc(double threshold, std::int32_t min_keep) {
    if (threshold > 0.5 || items_.size() < 2)
        return;
    softmax();
    sort();
    std::size_t n_above = 0;
    while (n_above < items_.size() && items_[n_above].p >= threshold)
        ++n_above;
    if (n_above < 2 ||
        items_.size() - (n_above - 1) < static_cast<std::size_t>(std::max(min_keep, 0)))
        return;
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(n_above - 1));
}

void CandidateSet::temperature(double t, double range, double exponent) {
    if (items_.empty())
        return;
    if (range > 0) {
        if (items_.size() <= 1)
            return;
        softmax();
        const double low = std::max(0.0, t - range);
        const double high = t + range;
        t = low + (high - low) *
                      std::pow(entropy() / std::log(static_cast<double>(items_.size())), exponent);
    }
    if (t <= 0) {
        items_.front() = items_[best()];
        keep_front(1);
        return;
    }
    for (Candidate& candidate : items_)
        candidate.logit /= t;
}

void CandidateSet::mirostat(double mu) {
    if (items_.empty())
        return;
    softmax();
    bool first_is_over = false;
    const std::size_t n = sorted_front(items_, sorted_, better, [&](std::size_t i) {
        const bool over = -std::log2(items_[i].p) > mu;
        first_is_over = over;
        return over;
    });
    keep_front(first_is_over ? std::max<std::size_t>(n - 1, 1) : n);
    sorted_ = true;
}

void CandidateSet::softmax() {
    double max = -std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : items_)
        max = std::max(max, candidate.logit);
    double sum = 0;
    for (Candidate& candidate : items_) {
        candidate.p = std::exp(candidate.logit - max);
        sum += candidate.p;
    }
    for (Candidate& candidate : items_)
        candidate.p /= sum;
}

void CandidateSet::sort() {
    if (!sorted_)
        std::sort(items_.begin(), items_.end(), better);
    sorted_ = true;
}

std::size_t CandidateSet::best() const {
    if (sorted_)
        return 0;
    return static_cast<std::size_t>(std::min_element(items_.begin(), items_.end(), better) -
                                    items_.begin());
}

const Candidate& CandidateSet::draw(double u) const {
    ALCOVE_DCHECK(!items_.empty(), "a draw needs a candidate");
    double sum = 0;
    for (const Candidate& candidate : items_)
        sum += candidate.p;
    const double target = u * sum;
    double passed = 0;
    const Candidate* last = &items_.front();
    for (const Candidate& candidate : items_) {
        if (candidate.p <= 0)
            continue;
        passed += candidate.p;
        last = &candidate;
        if (passed > target)
            break;
    }
    return *last;
}

} // namespace alcove
