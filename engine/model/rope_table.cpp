#include "engine/model/rope_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace alcove::model {

namespace {

/// The pair that makes `n_rotations` full turns within the original context (YaRN, equation 17
/// solved for the dimension).
double pair_of_rotations(const RopeParams& rope, std::int32_t rope_dims, double n_rotations) {
    const double turns = rope.n_ctx_original / (n_rotations * 2.0 * std::numbers::pi);
    return rope_dims * std::log(turns) / (2.0 * std::log(rope.freq_base));
}

} // namespace

RopeTable::RopeTable(const RopeParams& rope, std::int32_t rope_dims, const Vector& factors) {
    const std::int32_t n_pairs = rope_dims / 2;
    frequencies_.resize(static_cast<std::size_t>(n_pairs));
    magnitude_ = rope.attn_factor;
    double low = 0;
    double high = 0;
    if (rope.scaling == RopeScaling::Yarn) {
        magnitude_ *= rope.yarn_magnitude;
        low = std::max(0.0, std::floor(pair_of_rotations(rope, rope_dims, rope.beta_fast)));
        high = std::min(rope_dims - 1.0,
                        std::ceil(pair_of_rotations(rope, rope_dims, rope.beta_slow)));
    }
    for (std::int32_t i = 0; i < n_pairs; ++i) {
        double frequency = std::pow(rope.freq_base, -2.0 * i / rope_dims);
        if (rope.scaling == RopeScaling::Linear)
            frequency /= rope.factor;
        if (rope.scaling == RopeScaling::Yarn) {
            // Fast pairs stay, slow pairs stretch, between them a straight ramp.
            const double ramp = std::clamp((i - low) / std::max(0.001, high - low), 0.0, 1.0);
            frequency = frequency * (1.0 - ramp) + frequency / rope.factor * ramp;
        }
        if (factors)
            frequency /= static_cast<double>(factors.data[i]);
        frequencies_[static_cast<std::size_t>(i)] = frequency;
    }
}

void RopeTable::fill(std::int32_t position, float* cos_sin) const {
    for (const double frequency : frequencies_) {
        const double angle = position * frequency;
        *cos_sin++ = static_cast<float>(std::cos(angle) * magnitude_);
        *cos_sin++ = static_cast<float>(std::sin(angle) * magnitude_);
    }
}

} // namespace alcove::model
