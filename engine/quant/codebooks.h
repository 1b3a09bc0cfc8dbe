#pragma once

#include <cstdint>

/// The codebooks of the IQ types: points of a lattice that a short index picks, as the GGUF format
/// fixes them. A word holds one point, its first weight in the lowest bits.
namespace alcove {

extern const std::uint16_t kGridIq2Xxs[256]; ///< eight weights, two bits each: 8, 25, 43
extern const std::uint16_t kGridIq2Xs[512];  ///< as kGridIq2Xxs
extern const std::uint16_t kGridIq2S[1024];  ///< as kGridIq2Xxs
extern const std::uint16_t
    kGridIq3Xxs[256]; ///< four weights, four bits each: 4, 12, 20, 28, 36, 44, 52, 62
extern const std::uint16_t kGridIq3S[512];  ///< four weights, four bits each: code c is 2c + 1
extern const std::uint16_t kGridIq1S[2048]; ///< eight weights, two bits each: code c is c - 1

} // namespace alcove
