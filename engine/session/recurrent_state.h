#pragma once

#include "engine/model/hparams.h"
#include "engine/model/pass.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace alcove {

/// The state of layers that remember by a fixed number of floats instead of keys and values: one
/// per layer, however long the context is. It can only go forward, so earlier states are kept as
/// checkpoints to go back to. Movable, used by one session.
class RecurrentState {
public:
    /// Two states, one to read and one to write; checkpoints take their memory as they are saved.
    /// Throws std::bad_alloc.
    explicit RecurrentState(const model::HParams& hparams);

    /// Bytes with n_checkpoints() checkpoints.
    static std::uint64_t bytes(const model::HParams& hparams);
    /// As many as fit some hundred MiB, 2 to 16.
    static std::size_t n_checkpoints(const model::HParams& hparams);

    /// The model has no such layers; nothing here does anything then.
    bool empty() const { return n_floats_ == 0; }
    /// For the next batch, which begins at position().
    const model::RecurrentView& view() const { return views_[current_]; }
    /// Tokens that the state has read.
    std::int32_t position() const { return position_; }

    /// The batch of `n` tokens was finished: what it left is the state now.
    void advance(std::int32_t n);
    /// Undoes the last advance(n). Only once, and only before the next batch.
    void undo(std::int32_t n);
    /// Before the first token.
    void clear();

    /// Keeps the present state. With all places taken the oldest goes. Throws std::bad_alloc.
    void save();
    /// Goes back to the last checkpoint at or before `position`, or to the very beginning, and
    /// returns its position. Nothing happens where the state is there already. Later checkpoints
    /// are dropped: they belong to tokens that will be other ones.
    std::int32_t rewind(std::int32_t position);

private:
    struct Checkpoint {
        std::int32_t position;
        std::vector<float> state;
    };
    std::span<float> state(std::size_t i) { return {memory_.data() + i * n_floats_, n_floats_}; }

    std::size_t n_floats_ = 0; // of one state, all layers
    std::size_t n_kept_ = 0;
    std::vector<float> memory_; // two states
    std::vector<float*> layers_[2];
    std::vector<const float*> const_layers_[2];
    model::RecurrentView views_[2]; // [i]: from state i to the other
    std::size_t current_ = 0;
    std::int32_t position_ = 0;
    std::vector<Checkpoint> checkpoints_; // ascending
};

} // namespace alcove
