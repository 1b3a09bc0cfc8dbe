#pragma once

#include "engine/model/hparams.h"
#include "engine/model/weights.h"

#include <cstdint>
#include <vector>

namespace alcove::model {

/// The angles of one rotary embedding: pair i turns by position * frequency(i), and its cosine and
/// sine are multiplied by a constant. Computed in double precision, as positions may be large.
class RopeTable {
public:
    RopeTable() = default;
    /// `factors` (may be empty) divide the frequencies.
    RopeTable(const RopeParams& params, std::int32_t rope_dims, const Vector& factors);

    /// (cos, sin) of every pair at `position`: cos_sin [rope_dims / 2][2].
    void fill(std::int32_t position, float* cos_sin) const;

private:
    std::vector<double> frequencies_; // [rope_dims / 2]
    double magnitude_ = 1.0;
};

} // namespace alcove::model
