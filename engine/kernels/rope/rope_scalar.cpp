#include "engine/kernels/rope/rope.h"

namespace alcove {

void rope_scalar(std::int32_t n_head, std::int32_t head_dim, std::int32_t rope_dims,
                 bool interleaved, const float* cos_sin, float* x) {
    const std::int32_t half = rope_dims / 2;
    for (std::int32_t head = 0; head < n_head; ++head, x += head_dim) {
        for (std::int32_t i = 0; i < half; ++i) {
            float& a = interleaved ? x[2 * i] : x[i];
            float& b = interleaved ? x[2 * i + 1] : x[i + half];
            const float c = cos_sin[2 * i], s = cos_sin[2 * i + 1];
            const float rotated = a * c - b * s;
            b = a * s + b * c;
            a = rotated;
        }
    }
}

} // namespace alcove
