#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

/// SmolLM 3: LLaMA's layer; every fourth layer has no rotary embedding (there is no key for it).
namespace alcove::model::arch {

namespace {

Status configure(const KeyReader& /*keys*/, HParams& hp) {
    for (std::size_t il = 3; il < hp.layers.size(); il += 4)
        hp.layers[il].rope = RopeUse::None;
    return ok();
}

} // namespace

constinit const Architecture kSmolLm3 = {.name = "smollm3",
                                         .rope_interleaved = true,
                                         .tensors = rows::kModel,
                                         .layer_tensors = rows::kLayer,
                                         .configure = &configure};

} // namespace alcove::model::arch
