#include "engine/kernels/matvec/matvec.h"

#include "engine/kernels/quantize/quantize.h"
#include "engine/quant/decode.h"

#include <algorithm>

namespace alcove {
namespace {

/// Integer sum of codes times activations over one group.
std::int32_t group_sum(const std::int16_t* code, const std::int8_t* high, const std::int8_t* low,
                       std::size_t count) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        sum += code[i] * (128 * high[i] + low[i]);
    return sum;
}

/// One weight row times one Q15_32 row; double sums, so this is what the others are held against.
float dot_q8(const BlockCodec& codec, const QuantTraits& traits, std::size_t n,
             const std::uint8_t* w, const std::uint8_t* x) {
    const ActLayout layout = act_layout(n);
    const auto* high = reinterpret_cast<const std::int8_t*>(x);
    const auto* low = reinterpret_cast<const std::int8_t*>(x + layout.low);
    const auto* scale = reinterpret_cast<const float*>(x + layout.scale);
    const auto* sums =
        reinterpret_cast<const float*>(x + (codec.group == 16 ? layout.sum16 : layout.sum32));
    UnpackedBlock block; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by unpack
    double total = 0;
    for (std::size_t done = 0; done < n; done += traits.block_size, w += traits.block_bytes) {
        codec.unpack(w, block);
        for (std::size_t g = 0; g < traits.block_size / codec.group; ++g) {
            const std::size_t at = done + g * codec.group;
            double value = double{block.scale[g]} * group_sum(block.code + g * codec.group,
                                                              high + at, low + at, codec.group);
            if (codec.has_offset)
                value += double{block.offset[g]} * double{sums[at / codec.group]};
            total += value * double{scale[at / 32]};
        }
    }
    return static_cast<float>(total);
}

/// One weight row times floats, decoded in pieces of a K block.
float dot_f32(QuantType type, const QuantTraits& traits, std::size_t n, const std::uint8_t* w,
              const float* x) {
    float decoded[256];
    double total = 0;
    for (std::size_t done = 0; done < n; done += 256) {
        const std::size_t count = std::min<std::size_t>(256, n - done);
        decode_row(type, count, w + row_bytes(traits, done), decoded);
        for (std::size_t i = 0; i < count; ++i)
            total += double{decoded[i]} * double{x[done + i]};
    }
    return static_cast<float>(total);
}

} // namespace

void matvec_q8_scalar(QuantType type, std::size_t n_cols, const void* w, std::size_t w_row_bytes,
                      std::int64_t row_begin, std::int64_t row_end, const void* x, float* y) {
    const BlockCodec& codec = *block_codec(type);
    const QuantTraits& traits = *quant_traits(type);
    const auto* rows = static_cast<const std::uint8_t*>(w);
    for (std::int64_t r = row_begin; r < row_end; ++r)
        y[r - row_begin] =
            dot_q8(codec, traits, n_cols, rows + static_cast<std::size_t>(r) * w_row_bytes,
                   static_cast<const std::uint8_t*>(x));
}

void matvec_f32_scalar(QuantType type, std::size_t n_cols, const void* w, std::size_t w_row_bytes,
                       std::int64_t row_begin, std::int64_t row_end, const float* x, float* y) {
    const QuantTraits& traits = *quant_traits(type);
    const auto* rows = static_cast<const std::uint8_t*>(w);
    for (std::int64_t r = row_begin; r < row_end; ++r)
        y[r - row_begin] =
            dot_f32(type, traits, n_cols, rows + static_cast<std::size_t>(r) * w_row_bytes, x);
}

} // namespace alcove
