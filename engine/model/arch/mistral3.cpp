#include "engine/model/arch/arch.h"
#include "engine/model/arch/rows.h"

#include <fmt/format.h>

/// Ministral 3 and other files of Mistral's third generation: LLaMA's layer with YaRN scaling, and
/// queries that grow with the logarithm of their position beyond the original context.
namespace alcove::model::arch {

namespace {

Status configure(const KeyReader& keys, HParams& hp) {
    ALCOVE_ASSIGN_OR_RETURN(hp.query_scale, keys.number_or("attention.temperature_scale", 0.0F));
    hp.query_scale_length = static_cast<float>(hp.rope.n_ctx_original);
    if (hp.query_scale != 0.0F && hp.query_scale_length <= 0.0F)
        return Error{Errc::Model, fmt::format("{} is missing, {} needs it",
                                              keys.full("rope.scaling.original_context_length"),
                                              keys.full("attention.temperature_scale"))};
    return ok();
}

} // namespace

constinit const Architecture kMistral3 = {.name = "mistral3",
                                          .rope_interleaved = true,
                                          .tensors = rows::kModel,
                                          .layer_tensors = rows::kLayer,
                                          .configure = &configure};

} // namespace alcove::model::arch
