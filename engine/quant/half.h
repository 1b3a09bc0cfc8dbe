#pragma once

#include <cstdint>

namespace alcove {

/// IEEE binary16 to float, exact; not-a-number stays one.
float f16_to_f32(std::uint16_t half) noexcept;
/// Float to binary16, to nearest and ties to even; too large becomes infinity.
std::uint16_t f32_to_f16(float value) noexcept;
/// bfloat16 (the upper half of a float) to float, exact.
float bf16_to_f32(std::uint16_t value) noexcept;

} // namespace alcove
