#include "engine/session/thread_tuner.h"

#include <algorithm>

namespace alcove {

namespace {

constexpr std::int32_t kPeriod = 16; // passes between trials
constexpr std::int32_t kTrial = 2;   // passes of a trial
constexpr double kFade = 0.3;        // weight of the newest pass

} // namespace

ThreadTuner::ThreadTuner(std::int32_t max) : max_(std::max(max, 1)) {
    while (lowest_ + 1 < kLevels && (max_ >> (lowest_ + 1)) >= 1)
        ++lowest_;
}

void ThreadTuner::record(double seconds_per_token, bool contended) {
    double& mean = seconds_[static_cast<std::size_t>(level_)];
    // A trial starts from what it sees itself: old figures of that count are of another time.
    mean = mean == 0 || (level_ != home_ && n_passes_ == 0)
               ? seconds_per_token
               : mean + kFade * (seconds_per_token - mean);
    contended_ = contended_ || contended;
    ++n_passes_;
    if (level_ != home_) {
        if (n_passes_ < kTrial)
            return;
        const double tried = seconds_[static_cast<std::size_t>(level_)];
        if (tried < seconds_[static_cast<std::size_t>(home_)])
            home_ = level_;
        level_ = home_;
        n_passes_ = 0;
        contended_ = false;
        return;
    }
    const bool down = contended_ && level_ < lowest_;
    // Half the threads may be no better than all of them where one would be: both are tried.
    const std::int32_t fewer = to_lowest_ ? lowest_ : level_ + 1;
    // The first sign of a shared machine is followed at once.
    const bool unknown = down && seconds_[static_cast<std::size_t>(fewer)] == 0;
    if (n_passes_ < kPeriod && !unknown)
        return;
    n_passes_ = 0;
    if (down) {
        level_ = fewer;
        to_lowest_ = !to_lowest_;
    } else if (level_ > 0) {
        level_ = home_ - 1;
    }
    contended_ = false;
}

} // namespace alcove
