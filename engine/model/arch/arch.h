#pragma once

#include "engine/model/architecture.h"

/// One constant per architecture, each defined in the file of its name.
namespace alcove::model::arch {

extern const Architecture kLlama;
extern const Architecture kGranite;
extern const Architecture kQwen2;
extern const Architecture kQwen3;
extern const Architecture kSmolLm3;
extern const Architecture kGemma2;
extern const Architecture kGemma3;
extern const Architecture kLfm2;
extern const Architecture kLfm2Moe;
extern const Architecture kMistral3;
extern const Architecture kOlmo2;
extern const Architecture kPhi3;
extern const Architecture kQwen3Moe;

} // namespace alcove::model::arch
