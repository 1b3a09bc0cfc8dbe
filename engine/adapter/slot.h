#pragma once

#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace alcove::adapter {

/// One low-rank term on one matrix of a loaded model, in the form that a forward pass applies: the
/// one form of all kinds of file.
///   product    y += scale * B (A x), A as stored in the file, B as floats and transposed
///   embedding  h += scale * B a[token]
struct Slot {
    const std::byte* base = nullptr; ///< first weight of the matrix that it corrects
    std::int32_t layer = -1;         ///< −1: embedding or head
    std::int32_t n_in = 0, n_out = 0, rank = 0;
    float scale = 1; ///< the file's: alpha / rank, or alpha for rank one
    bool embedding = false;
    bool after_embedding_scale = false; ///< else before the model multiplies by its own
    bool rank_one = false;              ///< with the arithmetic of rank_one.h

    QuantType a_type = QuantType::F32;
    std::vector<std::byte> a; ///< [rank, n_in] of a_type; embedding [vocab, rank] F32
    /// B in the panels of KernelTable::low_rank_add; with rank one that is b itself, filled up.
    /// Equal ones of rank one are shared.
    std::shared_ptr<const std::vector<float>> b;

    /// Both factors rounded to halves, where the base's weights are quantised: beside them the
    /// rounding is nothing, and half the memory is read per token. Each was multiplied by a power
    /// of two to lie in the middle of what halves hold; half_scale undoes both. Empty: not kept.
    std::vector<std::uint16_t> a_half, b_half;
    float half_scale = 1;

    std::size_t a_row_bytes() const {
        const auto width = static_cast<std::size_t>(embedding ? rank : n_in);
        return width * (a_type == QuantType::F32 ? 4 : 2);
    }
    const float* b_values() const { return b->data(); }
};

} // namespace alcove::adapter
