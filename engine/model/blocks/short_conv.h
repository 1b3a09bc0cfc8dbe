#pragma once

#include "engine/model/pass.h"

#include <cstdint>

namespace alcove::model {

/// The mixer of LFM2's convolution layers: branch = W_out (C * conv(B * X)) with (B, C, X) = W_in
/// x, x = rms_norm(h, norm), or x = h where `norm` is empty. conv is causal along time and works on
/// each channel alone, over the last n_conv_taps values; the n_conv_taps − 1 values before the
/// batch are the layer's recurrent state, [n_conv_taps − 1, n_embd], oldest first.
void short_conv(Pass& pass, std::int32_t il, const Vector& norm);

} // namespace alcove::model
