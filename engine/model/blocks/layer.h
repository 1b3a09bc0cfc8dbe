#pragma once

#include "engine/model/pass.h"

#include <cstdint>

namespace alcove::model {

/// Layer `il`: it mixes tokens (LayerParams::mixer), then passes each through a feed-forward part,
/// dense or a mixture. A norm before and after each of the two, where the layer has one. Every
/// thread of the team calls it.
void layer(Pass& pass, std::int32_t il);

} // namespace alcove::model
