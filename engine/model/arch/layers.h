#pragma once

#include "engine/model/pass.h"

#include <cstdint>

/// Layers that several architectures have.
namespace alcove::model::arch {

/// LLaMA's: attention and a SiLU feed-forward part, dense or a mixture, a norm before each and,
/// where the layer has one, a norm after each.
void llama_layer(Pass& pass, std::int32_t il);

} // namespace alcove::model::arch
