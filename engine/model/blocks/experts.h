#pragma once

#include "engine/model/blocks/ffn.h"
#include "engine/model/pass.h"

#include <cstdint>

/// Mixtures of experts (Shazeer et al. 2017, "Outrageously large neural networks"): a router picks
/// a few of many feed-forward parts for each token, and their outputs are added by weight.
namespace alcove::model {

/// branch = sum over the chosen experts e of weight_e * W_down_e (activation(W_gate_e x) * W_up_e
/// x) with x = rms_norm(h, norm), or x = h where `norm` is empty. Chosen by p = softmax or sigmoid
/// of W_router x: the n_used greatest p (+ ffn_router_bias; among equals the lower index), weights
/// scale * p / max(sum of the chosen p, 2^-14).
/// Writing an answer touches only the chosen experts' weights; reading a prompt, each expert runs
/// once on all tokens that chose it. Either way a token's experts are added in the order of their
/// index, and each output value by one thread.
void mixture(Pass& pass, std::int32_t il, const Vector& norm, Activation activation);

} // namespace alcove::model
