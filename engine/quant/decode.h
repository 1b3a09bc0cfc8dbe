#pragma once

#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>

namespace alcove {

/// One block of weights as integers with a scale (and, for some types, an offset) per group:
/// w[i] = scale[g] * code[i] + offset[g], g = i / group. The one place where a layout is read in
/// plain code; decode and the scalar dot products follow from it.
struct UnpackedBlock {
    std::int16_t code[256];
    float scale[16];
    float offset[16]; ///< valid if has_offset
};

/// How blocks of a type unpack.
struct BlockCodec {
    QuantType type;
    std::uint32_t group; ///< weights per scale: 16 or 32
    bool has_offset;
    void (*unpack)(const std::uint8_t* block, UnpackedBlock& out);
};

/// The codec of a quantised type that runs; nullptr for float types and types that do not run.
const BlockCodec* block_codec(QuantType type) noexcept;

/// `n` weights (a multiple of the block size) at `w`, any alignment, to floats. Exact: every
/// product is one float multiplication of exact factors, rounded once more where an offset is
/// added. `type` must be runnable.
void decode_row(QuantType type, std::size_t n, const void* w, float* out);

} // namespace alcove
