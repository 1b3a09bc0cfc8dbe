#pragma once

#include "engine/format/gguf_file.h"
#include "engine/model/architecture.h"
#include "engine/model/hparams.h"
#include "engine/model/weights.h"
#include "engine/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alcove::model {

/// A model whose file was found sound: numbers read, every tensor present with the right shape and
/// a type that runs. Immutable. The weights are views into the file, which is kept alive.
struct LoadedModel {
    std::shared_ptr<const GgufFile> file;
    const Architecture* architecture = nullptr;
    HParams hparams;
    Weights weights;
    std::vector<std::string> warnings; ///< tensors and keys that take no part
};

/// Checks `file` against the tables of its architecture. Allocates in proportion to what the file
/// really holds. Each refusal names the tensor or key, what was found and what was expected:
/// Errc::Model for contradictions, Errc::Unsupported for what is sound but does not run here.
Result<LoadedModel> load_model(std::shared_ptr<const GgufFile> file);

} // namespace alcove::model
