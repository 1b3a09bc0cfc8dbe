#include "engine/model/blocks/residual.h"

#include <cstring>

namespace alcove::model {

void norm_rows(const Pass& pass, const Vector& norm) {
    const HParams& hp = pass.hp();
    const auto n_embd = static_cast<std::size_t>(hp.n_embd);
    pass.for_rows([&](std::int32_t row) {
        if (norm)
            pass.kernels().rms_norm(n_embd, pass.h(row), norm.data, hp.rms_eps, pass.x(row));
        else
            std::memcpy(pass.x(row), pass.h(row), n_embd * sizeof(float));
    });
}

void add_branch(Pass& pass, const Vector& post_norm) {
    const HParams& hp = pass.hp();
    const auto n_embd = static_cast<std::size_t>(hp.n_embd);
    pass.for_rows([&](std::int32_t row) {
        const float* branch =
            pass.workspace().buffers.branch + static_cast<std::size_t>(row) * n_embd;
        if (post_norm) {
            pass.kernels().rms_norm(n_embd, branch, post_norm.data, hp.rms_eps, pass.x(row));
            branch = pass.x(row);
        }
        pass.kernels().add_scaled(n_embd, branch, hp.residual_scale, pass.h(row));
    });
}

} // namespace alcove::model
