// The panel of a matrix product, and what it takes of the scratch. Included after a simd header.

#include "engine/kernels/tile/tile_size.h"

namespace alcove {
namespace {

/// One tile of rows, expanded: kTileWeights columns in groups of 32.
struct Panel {
    static constexpr std::size_t kGroups = kTileWeights / 32;
    alignas(64) std::uint8_t codes[kGroups][8][kWidth * 4]; ///< lane = row, four columns in it
    alignas(64) float scale[kGroups][2][kWidth];            ///< per half group where there are two
    alignas(64) float offset[kGroups][2][kWidth];
};

constexpr std::size_t kPanelBytes = kProductRowVectors * sizeof(Panel);

} // namespace
} // namespace alcove
