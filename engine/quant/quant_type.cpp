#include "engine/quant/quant_type.h"

#include <algorithm>
#include <array>

namespace alcove {
namespace {

// Sizes: GGUF specification, block layouts (drawn in blocks.h for the types that run).
constexpr std::array kQuantTraits = {
    QuantTraits{QuantType::F32, "F32", 1, 4, true},
    QuantTraits{QuantType::F16, "F16", 1, 2, true},
    QuantTraits{QuantType::Q4_0, "Q4_0", 32, 18, true},
    QuantTraits{QuantType::Q4_1, "Q4_1", 32, 20, true},
    QuantTraits{QuantType::Q5_0, "Q5_0", 32, 22, true},
    QuantTraits{QuantType::Q5_1, "Q5_1", 32, 24, true},
    QuantTraits{QuantType::Q8_0, "Q8_0", 32, 34, true},
    QuantTraits{QuantType::Q2_K, "Q2_K", 256, 84, true},
    QuantTraits{QuantType::Q3_K, "Q3_K", 256, 110, true},
    QuantTraits{QuantType::Q4_K, "Q4_K", 256, 144, true},
    QuantTraits{QuantType::Q5_K, "Q5_K", 256, 176, true},
    QuantTraits{QuantType::Q6_K, "Q6_K", 256, 210, true},
    QuantTraits{QuantType::IQ2_XXS, "IQ2_XXS", 256, 66, true},
    QuantTraits{QuantType::IQ2_XS, "IQ2_XS", 256, 74, true},
    QuantTraits{QuantType::IQ3_XXS, "IQ3_XXS", 256, 98, true},
    QuantTraits{QuantType::IQ1_S, "IQ1_S", 256, 50, true},
    QuantTraits{QuantType::IQ4_NL, "IQ4_NL", 32, 18, true},
    QuantTraits{QuantType::IQ3_S, "IQ3_S", 256, 110, true},
    QuantTraits{QuantType::IQ2_S, "IQ2_S", 256, 82, true},
    QuantTraits{QuantType::IQ4_XS, "IQ4_XS", 256, 136, true},
    QuantTraits{QuantType::I8, "I8", 1, 1, false},
    QuantTraits{QuantType::I16, "I16", 1, 2, false},
    QuantTraits{QuantType::I32, "I32", 1, 4, false},
    QuantTraits{QuantType::I64, "I64", 1, 8, false},
    QuantTraits{QuantType::F64, "F64", 1, 8, false},
    QuantTraits{QuantType::IQ1_M, "IQ1_M", 256, 56, true},
    QuantTraits{QuantType::BF16, "BF16", 1, 2, true},
    QuantTraits{QuantType::TQ1_0, "TQ1_0", 256, 54, true},
    QuantTraits{QuantType::TQ2_0, "TQ2_0", 256, 66, true},
    QuantTraits{QuantType::MXFP4, "MXFP4", 32, 17, true},
    QuantTraits{QuantType::NVFP4, "NVFP4", 64, 36, true},
    QuantTraits{QuantType::Q1_0, "Q1_0", 128, 18, true},
    QuantTraits{QuantType::Q2_0, "Q2_0", 64, 18, true},
    QuantTraits{QuantType::PQ2, "PQ2", 128, 34, true},
    QuantTraits{QuantType::PTQ1, "PTQ1", 128, 28, true},
};

} // namespace

std::span<const QuantTraits> quant_types() noexcept {
    return kQuantTraits;
}

const QuantTraits* quant_traits(QuantType type) noexcept {
    const auto* row = std::find_if(kQuantTraits.begin(), kQuantTraits.end(),
                                   [type](const QuantTraits& t) { return t.type == type; });
    return row == kQuantTraits.end() ? nullptr : row;
}

std::optional<QuantType> quant_type_from_name(std::string_view name) noexcept {
    for (const QuantTraits& row : kQuantTraits)
        if (row.name == name)
            return row.type;
    return std::nullopt;
}

std::size_t row_bytes(const QuantTraits& traits, std::size_t n) noexcept {
    return n / traits.block_size * traits.block_bytes;
}

} // namespace alcove
