#include "engine/model/blocks/short_conv.h"

#include "engine/model/blocks/residual.h"

#include <algorithm>
#include <array>

namespace alcove::model {

namespace {

/// One layer's convolution as one thread of the pass sees it. Times are rows of the batch; negative
/// ones are in the state.
class LayerConv {
public:
    LayerConv(Pass& pass, std::int32_t il)
        : kernel_(pass.layer_weights(il).conv),
          before_(pass.batch().recurrent->before[static_cast<std::size_t>(il)]),
          after_(pass.batch().recurrent->after[static_cast<std::size_t>(il)]),
          in_(pass.workspace().buffers.conv), n_embd_(pass.hp().n_embd),
          n_kept_(pass.hp().n_conv_taps - 1) {}

    /// C * conv(B * X) of `time` to `y`, tap by tap.
    void run(std::int32_t time, float* y) const {
        std::fill_n(y, n_embd_, 0.0F);
        for (std::int32_t tap = 0; tap <= n_kept_; ++tap)
            add_tap(time - n_kept_ + tap, tap, y);
        const float* gate = in_ + at(time) + n_embd_;
        for (std::int32_t c = 0; c < n_embd_; ++c)
            y[c] *= gate[c];
    }

    /// The last values of a batch of `n` rows, channels [begin, end).
    void keep(std::int32_t n, std::int32_t begin, std::int32_t end) const {
        for (std::int32_t i = 0; i < n_kept_; ++i) {
            for (std::int32_t c = begin; c < end; ++c)
                after_[static_cast<std::size_t>(i) * static_cast<std::size_t>(n_embd_) +
                       static_cast<std::size_t>(c)] = value(n - n_kept_ + i, c);
        }
    }

private:
    std::size_t at(std::int32_t time) const {
        return static_cast<std::size_t>(time) * 3 * static_cast<std::size_t>(n_embd_);
    }
    void add_tap(std::int32_t time, std::int32_t tap, float* y) const {
        const float* taps = kernel_.data + tap;
        const std::int32_t n_taps = n_kept_ + 1;
        if (time < 0) {
            const float* kept = before_ + static_cast<std::size_t>(time + n_kept_) *
                                              static_cast<std::size_t>(n_embd_);
            for (std::int32_t c = 0; c < n_embd_; ++c)
                y[c] += taps[c * n_taps] * kept[c];
            return;
        }
        const float* b = in_ + at(time);
        const float* x = b + 2 * n_embd_;
        for (std::int32_t c = 0; c < n_embd_; ++c)
            y[c] += taps[c * n_taps] * (b[c] * x[c]);
    }
    float value(std::int32_t time, std::int32_t c) const {
        if (time < 0)
            return before_[static_cast<std::size_t>(time + n_kept_) *
                               static_cast<std::size_t>(n_embd_) +
                           static_cast<std::size_t>(c)];
        const float* row = in_ + at(time);
        return row[c] * row[2 * n_embd_ + c];
    }

    const Table& kernel_;
    const float* const before_;
    float* const after_;
    const float* const in_;
    const std::int32_t n_embd_, n_kept_;
};

} // namespace

void short_conv(Pass& pass, std::int32_t il, const Vector& norm) {
    const HParams& hp = pass.hp();
    const LayerWeights& w = pass.layer_weights(il);
    const Workspace& ws = pass.workspace();
    const auto n_embd = static_cast<std::size_t>(hp.n_embd);
    const Vector no_bias;
    norm_rows(pass, norm);
    const std::array in = {Product{w.conv_in, no_bias, ws.buffers.conv, 3 * n_embd}};
    pass.multiply({.n_cols = hp.n_embd}, in);

    const LayerConv conv(pass, il);
    pass.for_rows([&](std::int32_t row) { conv.run(row, pass.x(row)); });
    const auto [begin, end] = pass.part_of(hp.n_embd);
    conv.keep(pass.n_rows(), begin, end);

    const std::array out = {Product{w.conv_out, no_bias, ws.buffers.branch, n_embd}};
    pass.multiply({.n_cols = hp.n_embd}, out);
}

} // namespace alcove::model
