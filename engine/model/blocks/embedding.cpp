#include "engine/model/blocks/embedding.h"

namespace alcove::model {

void embed(Pass& pass) {
    const HParams& hp = pass.hp();
    const Matrix& table = pass.shared().model.weights.token_embd;
    const bool local = hp.uses_local_rope();
    pass.for_rows([&](std::int32_t row) {
        const std::int32_t token = pass.batch().tokens[static_cast<std::size_t>(row)];
        float* h = pass.h(row);
        pass.kernels().dequantize_row(table.type, static_cast<std::size_t>(table.n_cols),
                                      table.row(token), h);
        adapter::AdapterSet* adapters = pass.batch().adapters;
        if (adapters != nullptr)
            adapters->embed(pass.kernels(), token, /*after_scale=*/false, h);
        if (hp.embedding_scale != 1.0F) {
            for (std::int32_t i = 0; i < hp.n_embd; ++i)
                h[i] *= hp.embedding_scale;
        }
        if (adapters != nullptr)
            adapters->embed(pass.kernels(), token, /*after_scale=*/true, h);
        const std::int32_t position = pass.batch().first_pos + row;
        pass.workspace().ropes[0].fill(position, pass.cos_sin(RopeUse::Global, row));
        if (local)
            pass.workspace().ropes[1].fill(position, pass.cos_sin(RopeUse::Local, row));
    });
}

} // namespace alcove::model
