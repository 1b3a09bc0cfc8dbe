#include "engine/session/recurrent_state.h"

#include <algorithm>

namespace alcove {

namespace {

std::size_t floats_of(const model::HParams& hparams) {
    std::size_t n = 0;
    for (const model::LayerParams& layer : hparams.layers)
        n += static_cast<std::size_t>(layer.state_floats);
    return n;
}

} // namespace

std::size_t RecurrentState::n_checkpoints(const model::HParams& hparams) {
    constexpr std::size_t kBytes = std::size_t{192} << 20U;
    const std::size_t n_bytes = floats_of(hparams) * sizeof(float);
    return n_bytes == 0 ? 0 : std::clamp<std::size_t>(kBytes / n_bytes, 2, 16);
}

std::uint64_t RecurrentState::bytes(const model::HParams& hparams) {
    return floats_of(hparams) * sizeof(float) * (2 + n_checkpoints(hparams));
}

RecurrentState::RecurrentState(const model::HParams& hparams)
    : n_floats_(floats_of(hparams)), n_kept_(n_checkpoints(hparams)), memory_(2 * n_floats_) {
    for (std::size_t i = 0; i < 2; ++i) {
        float* next = memory_.data() + i * n_floats_;
        for (const model::LayerParams& layer : hparams.layers) {
            layers_[i].push_back(layer.state_floats == 0 ? nullptr : next);
            const_layers_[i].push_back(layers_[i].back());
            next += layer.state_floats;
        }
    }
    for (std::size_t i = 0; i < 2; ++i)
        views_[i] = {.before = const_layers_[i], .after = layers_[1 - i]};
    checkpoints_.reserve(n_kept_ + 1);
}

void RecurrentState::advance(std::int32_t n) {
    if (empty())
        return;
    current_ = 1 - current_;
    position_ += n;
}

void RecurrentState::undo(std::int32_t n) {
    if (empty())
        return;
    current_ = 1 - current_;
    position_ -= n;
}

void RecurrentState::clear() {
    std::fill(memory_.begin(), memory_.end(), 0.0F);
    position_ = 0;
    checkpoints_.clear();
}

void RecurrentState::save() {
    if (empty() || position_ == 0 ||
        (!checkpoints_.empty() && checkpoints_.back().position == position_))
        return;
    std::vector<float> kept;
    if (checkpoints_.size() == n_kept_) {
        kept = std::move(checkpoints_.front().state);
        checkpoints_.erase(checkpoints_.begin());
    }
    const std::span<const float> now = state(current_);
    kept.assign(now.begin(), now.end());
    checkpoints_.push_back({position_, std::move(kept)});
}

std::int32_t RecurrentState::rewind(std::int32_t position) {
    if (empty() || position == position_)
        return position;
    while (!checkpoints_.empty() && checkpoints_.back().position > position)
        checkpoints_.pop_back();
    if (checkpoints_.empty()) {
        clear();
        return 0;
    }
    const Checkpoint& checkpoint = checkpoints_.back();
    std::copy(checkpoint.state.begin(), checkpoint.state.end(), state(current_).begin());
    position_ = checkpoint.position;
    return position_;
}

} // namespace alcove
