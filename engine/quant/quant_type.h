#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace alcove {

/// Weight types. The numbers are the tensor type ids of the GGUF specification, so that a header
/// can be read directly.
enum class QuantType : std::uint32_t {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q2_K = 10,
    Q3_K = 11,
    Q4_K = 12,
    Q5_K = 13,
    Q6_K = 14,
    IQ2_XXS = 16,
    IQ2_XS = 17,
    IQ3_XXS = 18,
    IQ1_S = 19,
    IQ4_NL = 20,
    IQ3_S = 21,
    IQ2_S = 22,
    IQ4_XS = 23,
    I8 = 24,
    I16 = 25,
    I32 = 26,
    I64 = 27,
    F64 = 28,
    IQ1_M = 29,
    BF16 = 30,
    TQ1_0 = 34,
    TQ2_0 = 35,
    MXFP4 = 39,
    NVFP4 = 40,
    Q1_0 = 41,
    Q2_0 = 42,
    PQ2 = 142,  ///< private to the PrismML files, as is PTQ1; there called PQ2_0
    PTQ1 = 143, ///< there called PTQ1_0
};

/// What the layout of a type is. One row per type in quant_type.cpp.
struct QuantTraits {
    QuantType type;
    std::string_view name;    ///< as in file names: "Q4_K"
    std::uint32_t block_size; ///< weights per block; a row holds a whole number of blocks
    std::uint32_t block_bytes;
    bool runnable; ///< decode (decode.h) and a dot product exist: usable as a weight matrix
};

/// All rows, in the order of their ids.
std::span<const QuantTraits> quant_types() noexcept;

/// Traits of `type`, or nullptr for an id that the table lacks (unknown or removed types).
const QuantTraits* quant_traits(QuantType type) noexcept;

/// The type named `name` (exact spelling of the table), or nothing.
std::optional<QuantType> quant_type_from_name(std::string_view name) noexcept;

/// Bytes of a row of `n` weights; `n` must be a multiple of the block size.
std::size_t row_bytes(const QuantTraits& traits, std::size_t n) noexcept;

} // namespace alcove
