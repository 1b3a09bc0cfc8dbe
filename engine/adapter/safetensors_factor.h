#pragma once

#include "engine/adapter/adapter_file.h"
#include "engine/format/safetensors_file.h"

namespace alcove::adapter {

/// A matrix of a safetensors file as a factor; refuses another number of dimensions ("shape") and
/// other types ("dtype") than F32, F16 and, where `bf16`, BF16.
Result<Factor> safetensors_factor(const SafetensorsTensor& tensor, bool bf16,
                                  const Refusal& refuse);

} // namespace alcove::adapter
