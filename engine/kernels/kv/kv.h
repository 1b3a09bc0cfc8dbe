#pragma once

#include <cstddef>
#include <cstdint>

/// Rows of the key and value caches. kv_type is the number of a KvType (engine.h):
///   kKvF32   floats
///   kKvF16   binary16, rounded to nearest even
///   kKvQ8_0  blocks of 32 values, 34 bytes: binary16 scale max|x| / 127, then 32 int8
namespace alcove {

inline constexpr std::uint8_t kKvF32 = 0;
inline constexpr std::uint8_t kKvF16 = 1;
inline constexpr std::uint8_t kKvQ8_0 = 2;

#define KERNELS(isa, products, floats)                                                             \
    void store_kv_##floats(std::uint8_t kv_type, std::size_t n, const float* x, void* out);
#include "engine/kernels/kernels.inc"
#undef KERNELS

/// The inverse, for the scalar attention: n values (from a block's begin) as floats.
void load_kv_scalar(std::uint8_t kv_type, std::size_t n, const void* row, float* out);

} // namespace alcove
