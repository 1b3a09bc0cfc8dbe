#include "engine/kernels/kv/kv.h"

#include "engine/kernels/kernel_table.h"
#include "engine/quant/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace alcove {
namespace {

void store_block_q8(const float* x, std::uint8_t* out) {
    float largest = 0;
    for (int i = 0; i < 32; ++i)
        largest = std::max(largest, std::fabs(x[i]));
    const std::uint16_t scale = f32_to_f16(largest / 127.0F);
    std::memcpy(out, &scale, 2);
    const float rounded = f16_to_f32(scale);
    const float inverse = rounded > 0 && std::isfinite(rounded) ? 1.0F / rounded : 0.0F;
    for (int i = 0; i < 32; ++i) {
        const float code = std::nearbyint(std::clamp(x[i] * inverse, -127.0F, 127.0F));
        out[2 + i] =
            static_cast<std::uint8_t>(static_cast<std::int8_t>(std::isnan(code) ? 0 : code));
    }
}

} // namespace

std::size_t kv_row_bytes(std::uint8_t kv_type, std::size_t n) noexcept {
    if (kv_type == kKvQ8_0)
        return n / 32 * 34;
    return n * (kv_type == kKvF16 ? 2 : 4);
}

void store_kv_scalar(std::uint8_t kv_type, std::size_t n, const float* x, void* out) {
    auto* bytes = static_cast<std::uint8_t*>(out);
    if (kv_type == kKvF32) {
        std::memcpy(bytes, x, n * sizeof(float));
    } else if (kv_type == kKvF16) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint16_t half = f32_to_f16(x[i]);
            std::memcpy(bytes + 2 * i, &half, 2);
        }
    } else {
        for (std::size_t i = 0; i < n; i += 32)
            store_block_q8(x + i, bytes + i / 32 * 34);
    }
}

void load_kv_scalar(std::uint8_t kv_type, std::size_t n, const void* row, float* out) {
    const auto* bytes = static_cast<const std::uint8_t*>(row);
    if (kv_type == kKvF32) {
        std::memcpy(out, bytes, n * sizeof(float));
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, kv_type == kKvF16 ? bytes + 2 * i : bytes + i / 32 * 34, 2);
        out[i] = f16_to_f32(half);
        if (kv_type == kKvQ8_0)
            out[i] *= static_cast<float>(static_cast<std::int8_t>(bytes[i / 32 * 34 + 2 + i % 32]));
    }
}

} // namespace alcove
