#include "engine/model/arch/layers.h"

#include "engine/model/blocks/attention.h"
#include "engine/model/blocks/experts.h"
#include "engine/model/blocks/ffn.h"
#include "engine/model/blocks/residual.h"

namespace alcove::model::arch {

void llama_layer(Pass& pass, std::int32_t il) {
    const LayerWeights& w = pass.layer_weights(il);
    attention(pass, il, w.attn_norm);
    add_branch(pass, w.attn_post_norm);
    if (pass.layer(il).has_experts)
        mixture(pass, il, w.ffn_norm, Activation::Silu);
    else
        feed_forward(pass, il, w.ffn_norm, Activation::Silu);
    add_branch(pass, w.ffn_post_norm);
}

} // namespace alcove::model::arch
