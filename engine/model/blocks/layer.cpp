#include "engine/model/blocks/layer.h"

#include "engine/model/blocks/attention.h"
#include "engine/model/blocks/experts.h"
#include "engine/model/blocks/ffn.h"
#include "engine/model/blocks/residual.h"
#include "engine/model/blocks/short_conv.h"

namespace alcove::model {

void layer(Pass& pass, std::int32_t il) {
    const LayerParams& params = pass.layer(il);
    const LayerWeights& w = pass.layer_weights(il);
    const Activation activation = pass.shared().model.architecture->activation;
    switch (params.mixer) {
    case Mixer::Attention:
        attention(pass, il, w.attn_norm);
        break;
    case Mixer::ShortConv:
        short_conv(pass, il, w.attn_norm);
        break;
    }
    add_branch(pass, w.attn_post_norm);
    if (params.has_experts)
        mixture(pass, il, w.ffn_norm, activation);
    else
        feed_forward(pass, il, w.ffn_norm, activation);
    add_branch(pass, w.ffn_post_norm);
}

} // namespace alcove::model
