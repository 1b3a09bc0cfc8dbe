#pragma once

#include <cstddef>

namespace alcove {

/// Columns of a weight tile that are expanded at once: 32 rows of them are a panel of 24 KiB, which
/// leaves room for the activations in a first-level cache of 48 KiB. A multiple of every block
/// size.
inline constexpr std::size_t kTileWeights = 768;

} // namespace alcove
