#pragma once

#include "engine/model/blocks/ffn.h"
#include "engine/model/pass.h"

#include <cstdint>

/// Mixtures of experts (Shazeer et al. 2017, "Outrageously large neural networks"): a router picks
/// a few of many feed-forward parts for each token, and their outputs are added by weight.
namespace alcove::model {

/// branch = sum over the chosen experts e of weight_e * W_down_e (activation(W_gate_e x) * W_up_e
/// x) with x = rms_norm(h, norm): choose_experts, then apply_experts.
void mixture(Pass& pass, std::int32_t il, const Vector& norm, Activation activation);

/// Chooses experts for each row by its x(): p = softmax or sigmoid of W_router x, the n_used
/// greatest p (+ ffn_router_bias; among equals the lower index), weights p / max(sum of the chosen
/// p, 2^-14).
void choose_experts(Pass& pass, std::int32_t il);

/// Runs the experts that choose_experts picked on x(), which may have changed since. Writing an
/// answer touches only the chosen experts' weights; reading a prompt, each expert runs once on all
/// tokens that chose it. Either way a token's experts are added in the order of their index, and
/// each output value by one thread.
void apply_experts(Pass& pass, std::int32_t il, Activation activation);

} // namespace alcove::model
