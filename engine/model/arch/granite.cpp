#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

#include <fmt/format.h>

/// IBM Granite 3 and later dense models: LLaMA's layer with four scalars of its own. The logits are
/// divided by logit_scale.
namespace alcove::model::arch {

namespace {

Status configure(const KeyReader& keys, HParams& hp) {
    ALCOVE_ASSIGN_OR_RETURN(hp.embedding_scale, keys.number_or("embedding_scale", 1.0F));
    ALCOVE_ASSIGN_OR_RETURN(hp.residual_scale, keys.number_or("residual_scale", 1.0F));
    ALCOVE_ASSIGN_OR_RETURN(const float scale, keys.number_or("attention.scale", 0.0F));
    if (scale != 0.0F) // 0 counts as absent
        hp.attn_scale = scale;
    ALCOVE_ASSIGN_OR_RETURN(hp.logit_divisor, keys.number("logit_scale"));
    if (hp.logit_divisor == 0.0F)
        return Error{Errc::Model,
                     fmt::format("{} is 0, expected another number", keys.full("logit_scale"))};
    return ok();
}

} // namespace

constinit const Architecture kGranite = {.name = "granite",
                                         .rope_interleaved = true,
                                         .tensors = rows::kModel,
                                         .layer_tensors = rows::kLayer,
                                         .configure = &configure};

} // namespace alcove::model::arch
