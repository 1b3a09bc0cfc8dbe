#include "engine/model/pass.h"

#include <cstring>

namespace alcove::model {

Pass::Pass(PassShared& shared, std::int32_t thread)
    : shared_(shared), ws_(shared.workspace), thread_(thread),
      single_(shared.batch.tokens.size() == 1),
      n_rows_(static_cast<std::int32_t>(shared.batch.tokens.size())) {}

bool Pass::stopped() const {
    if (shared_.stopped.load(std::memory_order_relaxed))
        return true;
    if (!shared_.batch.stop.stop_requested())
        return false;
    shared_.stopped.store(true, std::memory_order_relaxed);
    return true;
}

float* Pass::h(std::int32_t row) const {
    if (single_)
        return ws_.threads[static_cast<std::size_t>(thread_)].h;
    return ws_.buffers.h + static_cast<std::size_t>(row) * static_cast<std::size_t>(hp().n_embd);
}

float* Pass::x(std::int32_t row) const {
    if (single_)
        return ws_.threads[static_cast<std::size_t>(thread_)].x;
    return ws_.buffers.x + static_cast<std::size_t>(row) * static_cast<std::size_t>(hp().n_embd);
}

std::byte* Pass::act(std::int32_t row) const {
    if (single_)
        return ws_.threads[static_cast<std::size_t>(thread_)].act;
    return ws_.buffers.act + static_cast<std::size_t>(row) * ws_.act_stride;
}

float* Pass::cos_sin(RopeUse use, std::int32_t row) const {
    const std::size_t i = use == RopeUse::Local ? 1 : 0;
    if (single_)
        return ws_.threads[static_cast<std::size_t>(thread_)].cos_sin[i];
    return ws_.buffers.cos_sin[i] +
           static_cast<std::size_t>(row) * static_cast<std::size_t>(hp().rope_dims);
}

void Pass::narrow(std::int32_t begin, std::int32_t count) {
    barrier();
    if (single_)
        return; // the one row stays
    row_begin_ = begin;
    n_rows_ = count;
    if (count > 1)
        return;
    const float* row = h(begin);
    single_ = true;
    std::memcpy(h(begin), row, static_cast<std::size_t>(hp().n_embd) * sizeof(float));
}

void Pass::prepare(const Input& input, std::span<const Product> products) {
    bool quantised = false;
    for (const Product& product : products)
        quantised =
            quantised || act_type(product.w.type, ws_.shape().float_activations) == ActType::Q15_32;
    if (quantised) {
        for_rows([&](std::int32_t row) {
            const float* source =
                input.first == nullptr
                    ? x(row)
                    : input.first + static_cast<std::size_t>(row - row_begin_) * input.stride;
            kernels().quantize_row(ActType::Q15_32, static_cast<std::size_t>(input.n_cols), source,
                                   act(row));
        });
    }
    if (!single_)
        barrier();
    if (batch().adapters != nullptr)
        reduce_input(input, products);
}

void Pass::multiply(const Input& input, std::span<const Product> products) {
    prepare(input, products);
    std::int64_t n_rows = 0;
    std::size_t row_bytes = 0;
    for (const Product& product : products) {
        n_rows += product.w.n_rows;
        row_bytes = std::max(row_bytes, product.w.row_bytes);
    }
    share_out(n_rows, row_bytes, input.n_cols, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t offset = 0;
        for (const Product& product : products) {
            const std::int64_t first = std::max<std::int64_t>(begin - offset, 0);
            const std::int64_t last = std::min<std::int64_t>(end - offset, product.w.n_rows);
            if (first < last)
                run(input, product, first, last);
            offset += product.w.n_rows;
        }
    });
    barrier();
}

void Pass::run(const Input& input, const Product& product, std::int64_t begin, std::int64_t end) {
    const Matrix& w = product.w;
    const ActType act_kind = act_type(w.type, ws_.shape().float_activations);
    const void* source = act(row_begin_);
    std::size_t source_stride = ws_.act_stride;
    if (act_kind == ActType::F32) {
        source = input.first == nullptr ? x(row_begin_) : input.first;
        source_stride =
            (input.first == nullptr ? static_cast<std::size_t>(hp().n_embd) : input.stride) *
            sizeof(float);
    }
    const auto n_cols = static_cast<std::size_t>(w.n_cols);
    if (single_) {
        kernels().matvec(w.type, act_kind, n_cols, w.data, w.row_bytes, begin, end, source,
                         product.y + begin);
    } else {
        kernels().matmul(w.type, act_kind, n_cols, w.data, w.row_bytes, begin, end, source,
                         source_stride, n_rows_, product.y, product.y_stride,
                         ws_.threads[static_cast<std::size_t>(thread_)].matmul_scratch);
    }
    if (batch().adapters != nullptr)
        add_adapters(product, begin, end);
    if (!product.bias)
        return;
    for (std::int32_t row = 0; row < n_rows_; ++row)
        kernels().add_scaled(static_cast<std::size_t>(end - begin), product.bias.data + begin, 1.0F,
                             product.y + static_cast<std::size_t>(row) * product.y_stride + begin);
}

std::int64_t Pass::tile_rows(std::int32_t n_cols) const {
    // A tile is some milliseconds of work on one core: fine enough to balance and to stop, and a
    // multiple of what the kernels expand at once.
    constexpr std::int64_t kMultiplications = std::int64_t{1} << 25;
    constexpr std::int64_t kUnit = 32;
    const std::int64_t rows = kMultiplications / (std::int64_t{n_cols} * n_rows_);
    return std::clamp<std::int64_t>(rows / kUnit * kUnit, kUnit, 512);
}

} // namespace alcove::model
