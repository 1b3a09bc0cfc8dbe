#include "engine/model/blocks/head.h"

#include <array>
#include <cmath>
#include <cstring>

namespace alcove::model {

namespace {

void finish_logits(const HParams& hp, float* logits, std::int64_t n) {
    if (hp.logit_divisor != 1.0F) {
        for (std::int64_t i = 0; i < n; ++i)
            logits[i] /= hp.logit_divisor;
    }
    if (hp.logit_softcap > 0.0F) {
        for (std::int64_t i = 0; i < n; ++i)
            logits[i] = hp.logit_softcap * std::tanh(logits[i] / hp.logit_softcap);
    }
}

} // namespace

void head(Pass& pass) {
    const Batch& batch = pass.batch();
    const HParams& hp = pass.hp();
    const Weights& weights = pass.shared().model.weights;
    const auto n_embd = static_cast<std::size_t>(hp.n_embd);
    const auto n_tokens = static_cast<std::int32_t>(batch.tokens.size());
    const auto norm = [&](std::int32_t row, float* out) {
        pass.kernels().rms_norm(n_embd, pass.h(row), weights.output_norm.data, hp.rms_eps, out);
    };
    if (batch.nodes != nullptr && batch.nodes->result_norm != nullptr &&
        (!pass.single() || pass.thread() == 0)) {
        pass.for_rows([&](std::int32_t row) {
            norm(row, batch.nodes->result_norm + static_cast<std::size_t>(row) * n_embd);
        });
    }
    if (batch.logits_from >= n_tokens)
        return;
    pass.narrow(batch.logits_from, n_tokens - batch.logits_from);
    pass.for_rows([&](std::int32_t row) {
        norm(row, pass.x(row));
        const bool mine = !pass.single() || pass.thread() == 0;
        if (row == n_tokens - 1 && mine && batch.hidden_last != nullptr)
            std::memcpy(batch.hidden_last, pass.x(row), n_embd * sizeof(float));
    });
    const auto n_vocab = static_cast<std::size_t>(hp.n_vocab);
    const Vector no_bias;
    const std::array products = {Product{weights.output, no_bias, batch.logits, n_vocab}};
    pass.multiply_together(
        {.n_cols = hp.n_embd}, products, [&](std::int64_t begin, std::int64_t end) {
            for (std::int32_t row = 0; row < pass.n_rows(); ++row)
                finish_logits(hp,
                              batch.logits + static_cast<std::size_t>(row) * n_vocab +
                                  static_cast<std::size_t>(begin),
                              end - begin);
        });
}

} // namespace alcove::model
