#include "engine/model/arch/arch.h"
#include "engine/model/arch/layers.h"
#include "engine/model/arch/rows.h"

/// LLaMA 1 to 3, Mistral, SmolLM, TinyLlama and every other file that names itself "llama": grouped
/// queries, SwiGLU, two norms per layer. rope_freqs.weight is Llama 3's long-context scaling.
namespace alcove::model::arch {

constinit const Architecture kLlama = {.name = "llama",
                                       .rope_interleaved = true,
                                       .tensors = rows::kModel,
                                       .layer_tensors = rows::kLayer,
                                       .layer = &llama_layer};

} // namespace alcove::model::arch
