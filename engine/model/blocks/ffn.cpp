#include "engine/model/blocks/ffn.h"

#include "engine/model/blocks/residual.h"

#include <array>

namespace alcove::model {

void feed_forward(Pass& pass, std::int32_t il, const Vector& norm, Activation activation) {
    const HParams& hp = pass.hp();
    const LayerWeights& w = pass.layer_weights(il);
    const Workspace& ws = pass.workspace();
    const KernelTable& kernels = pass.kernels();
    const auto n_embd = static_cast<std::size_t>(hp.n_embd);

    norm_rows(pass, norm);
    float* const gate = ws.buffers.gate;
    float* const up = ws.buffers.up;
    const std::array inputs = {Product{w.ffn_gate, w.ffn_gate_bias, gate, ws.ff_width},
                               Product{w.ffn_up, w.ffn_up_bias, up, ws.ff_width}};
    const auto combine = activation == Activation::Silu ? kernels.silu_mul : kernels.gelu_mul;
    pass.multiply_together(
        {.n_cols = hp.n_embd}, inputs, [&](std::int64_t begin, std::int64_t end) {
            for (std::int32_t row = 0; row < pass.n_rows(); ++row) {
                const std::size_t at =
                    static_cast<std::size_t>(row) * ws.ff_width + static_cast<std::size_t>(begin);
                combine(static_cast<std::size_t>(end - begin), gate + at, up + at, gate + at);
            }
        });

    const std::array down = {Product{w.ffn_down, w.ffn_down_bias, ws.buffers.branch, n_embd}};
    pass.multiply({gate, ws.ff_width, w.ffn_down.n_cols}, down);
}

} // namespace alcove::model
