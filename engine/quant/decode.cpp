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
    BlockCodec{QuantType::Q2_K, 16, true, &unpack_q2_k},
    BlockCodec{QuantType::Q3_K, 16, false, &unpack_q3_k},
    BlockCodec{QuantType::IQ2_XXS, 32, false, &unpack_iq2_xxs},
    BlockCodec{QuantType::IQ2_XS, 16, false, &unpack_iq2_xs},
    BlockCodec{QuantType::IQ2_S, 16, false, &unpack_iq2_s},
    BlockCodec{QuantType::IQ3_XXS, 32, false, &unpack_iq3_xxs},
    BlockCodec{QuantType::IQ3_S, 32, false, &unpack_iq3_s},
    BlockCodec{QuantType::IQ1_S, 32, false, &unpack_iq1_s},
    BlockCodec{QuantType::IQ1_M, 16, false, &unpack_iq1_m},
    BlockCodec{QuantType::IQ4_NL, 32, false, &unpack_iq4_nl},
    BlockCodec{QuantType::IQ4_XS, 32, false, &unpack_iq4_xs},
    BlockCodec{QuantType::TQ1_0, 32, false, &unpack_tq1_0},
    BlockCodec{QuantType::TQ2_0, 32, false, &unpack_tq2_0},
    BlockCodec{QuantType::MXFP4, 32, false, &unpack_mxfp4},
    BlockCodec{QuantType::NVFP4, 16, false, &unpack_nvfp4},
    BlockCodec{QuantType::Q1_0, 32, false, &unpack_q1_0},
    BlockCodec{QuantType::Q2_0, 32, false, &unpack_q2_0},
    BlockCodec{QuantType::PQ2, 32, false, &unpack_pq2},
    BlockCodec{QuantType::PTQ1, 32, false, &unpack_ptq1},
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
