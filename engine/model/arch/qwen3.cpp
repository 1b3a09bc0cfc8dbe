#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

/// Qwen 3 (dense): each head of q and k passes an RMS norm before it is rotated.
namespace alcove::model::arch {

namespace {

constexpr std::array kLayerTensors = rows::join(rows::kLayer, rows::kHeadNorms);

} // namespace

constinit const Architecture kQwen3 = {.name = "qwen3",
                                       .rope_interleaved = false,
                                       .tensors = rows::kModel,
                                       .layer_tensors = kLayerTensors};

} // namespace alcove::model::arch
