#pragma once

#include "engine/model/pass.h"

#include <cstdint>

namespace alcove::model {

/// branch = W_down (activation(W_gate x) * W_up x), x = rms_norm(h, norm), or x = h where
/// `norm` is empty. Shazeer 2020, "GLU variants improve transformer".
void feed_forward(Pass& pass, std::int32_t il, const Vector& norm, Activation activation);

} // namespace alcove::model
