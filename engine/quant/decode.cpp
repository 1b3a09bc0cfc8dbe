#include "engine/quant/decode.h"

#include "engine/quant/half.h"
#include "engine/quant/unpack.h"
#include "engine/result.h"

#include <array>
#include <bit>
#include <cstring>

namespace alcove {
namespace {

constexpr std::array kCodecs = {
    BlockCodec{QuantType::Q4_0, 32, false, &unpack_q4_0},
    BlockCodec{QuantType::Q4_1, 32, true, &unpack_q4_1},
    BlockCodec{QuantType::Q5_0, 32, false, &unpack_q5_0},
    BlockCodec{QuantType::Q5_1, 32, true, &unpack_q5_1},
    BlockCodec{QuantType::Q8_0, 32, false, &unpack_q8_0},
    BlockCodec{QuantType::Q4_K, 32, true, &unpack_q4_k},
    BlockCodec{QuantType::Q5_K, 32, true, &unpack_q5_k},
    BlockCodec{QuantType::Q6_K, 16, false, &unpack_q6_k},
};

std::uint16_t load_u16(const std::uint8_t* p) {
    return static_cast<std::uint16_t>(p[0] | (p[1] << 8));
}

void decode_floats(QuantType type, std::size_t n, const std::uint8_t* w, float* out) {
    if (type == QuantType::F32) {
        std::memcpy(out, w, n * sizeof(float));
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t bits = load_u16(w + 2 * i);
        out[i] = type == QuantType::F16 ? f16_to_f32(bits) : bf16_to_f32(bits);
    }
}

} // namespace

const BlockCodec* block_codec(QuantType type) noexcept {
    for (const BlockCodec& codec : kCodecs)
        if (codec.type == type)
            return &codec;
    return nullptr;
}

void decode_row(QuantType type, std::size_t n, const void* w, float* out) {
    const auto* bytes = static_cast<const std::uint8_t*>(w);
    if (type == QuantType::F32 || type == QuantType::F16 || type == QuantType::BF16) {
        decode_floats(type, n, bytes, out);
        return;
    }
    const BlockCodec* codec = block_codec(type);
    ALCOVE_CHECK(codec != nullptr, "only runnable types reach decode_row");
    const QuantTraits& traits = *quant_traits(type);
    UnpackedBlock block; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by unpack
    for (std::size_t done = 0; done < n; done += traits.block_size, bytes += traits.block_bytes) {
        codec->unpack(bytes, block);
        for (std::size_t i = 0; i < traits.block_size; ++i) {
            const std::size_t g = i / codec->group;
            const float product = block.scale[g] * static_cast<float>(block.code[i]);
            out[done + i] = codec->has_offset ? product + block.offset[g] : product;
        }
    }
}

} // namespace alcove
