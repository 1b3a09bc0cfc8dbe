#include "engine/adapter/rank_one.h"
#include "engine/model/pass.h"

namespace alcove::model {

namespace {

using adapter::Delta;
using adapter::Slot;

std::size_t width_of(std::span<const Delta> deltas) {
    std::size_t width = 0;
    for (const Delta& delta : deltas)
        width += static_cast<std::size_t>(delta.slot->rank);
    return width;
}

/// Products may be parts of one tensor: what its adapters make of the input is made once.
bool repeats(std::span<const Product> products, const Product& product) {
    for (const Product& other : products) {
        if (&other == &product)
            return false;
        if (other.w.tensor_data() == product.w.tensor_data())
            return true;
    }
    return false;
}

} // namespace

void Pass::reduce_input(const Input& input, std::span<const Product> products) {
    const adapter::AdapterSet& set = *batch().adapters;
    std::size_t width = 0;
    for (const Product& product : products) {
        if (!repeats(products, product))
            width += width_of(set.find(product.w.tensor_data()));
    }
    reduced_ = products;
    if (width == 0)
        return;
    const float* const first = input.first == nullptr ? x(row_begin_) : input.first;
    const std::size_t stride =
        input.first == nullptr ? static_cast<std::size_t>(hp().n_embd) : input.stride;

    /// Rows [begin, end) of the A of all deltas, taken as one matrix, for `n` tokens from `row` on.
    const auto reduce = [&](std::size_t begin, std::size_t end, std::int32_t row, std::int32_t n) {
        const auto token = static_cast<std::size_t>(row);
        const float* x_rows = first + token * stride;
        float* const u = set.u() + token * set.u_width();
        std::size_t offset = 0;
        for (const Product& product : products) {
            if (repeats(products, product))
                continue;
            for (const Delta& delta : set.find(product.w.tensor_data())) {
                const Slot& slot = *delta.slot;
                const auto rank = static_cast<std::size_t>(slot.rank);
                const std::size_t from = std::max(begin, offset);
                const std::size_t to = std::min(end, offset + rank);
                const auto n_in = static_cast<std::size_t>(slot.n_in);
                const auto r_from = static_cast<std::int64_t>(from - offset);
                const auto r_to = static_cast<std::int64_t>(to - offset);
                if (from < to && slot.rank_one) {
                    for (std::int32_t i = 0; i < n; ++i)
                        u[static_cast<std::size_t>(i) * set.u_width() + offset] =
                            adapter::rank_one_dot(n_in,
                                                  reinterpret_cast<const float*>(slot.a.data()),
                                                  x_rows + static_cast<std::size_t>(i) * stride);
                } else if (from < to && single_) {
                    kernels().matvec(delta.a_type(), ActType::F32, n_in, delta.a(),
                                     delta.a_row_bytes(), r_from, r_to, x_rows, u + from);
                } else if (from < to) {
                    kernels().matmul(delta.a_type(), ActType::F32, n_in, delta.a(),
                                     delta.a_row_bytes(), r_from, r_to, x_rows,
                                     stride * sizeof(float), n, u + offset, set.u_width(),
                                     ws_.threads[static_cast<std::size_t>(thread_)].matmul_scratch);
                }
                offset += rank;
            }
        }
    };

    if (single_) {
        const auto [begin, end] = part_of(static_cast<std::int32_t>(width));
        if (begin < end && !stopped())
            reduce(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), 0, 1);
    } else {
        constexpr std::int32_t kTile = 32; // tokens
        for_pieces((n_rows_ + kTile - 1) / kTile, [&](std::int64_t i) {
            const auto row = static_cast<std::int32_t>(i) * kTile;
            reduce(0, width, row, std::min(kTile, n_rows_ - row));
        });
    }
    barrier();
}

void Pass::add_adapters(const Product& product, std::int64_t begin, std::int64_t end) {
    adapter::AdapterSet& set = *batch().adapters;
    const std::span<const Delta> deltas = set.find(product.w.tensor_data());
    if (deltas.empty())
        return;
    std::size_t offset = 0;
    for (const Product& other : reduced_) {
        if (other.w.tensor_data() == product.w.tensor_data())
            break;
        if (!repeats(reduced_, other))
            offset += width_of(set.find(other.w.tensor_data()));
    }
    const auto n = static_cast<std::size_t>(end - begin);
    const std::int64_t first = product.w.first_row; // rows of B are those of the whole tensor
    for (const Delta& delta : deltas) {
        const Slot& slot = *delta.slot;
        const auto rank = static_cast<std::size_t>(slot.rank);
        const float* const b = slot.b_values() + first + begin;
        const float* const u = set.u() + offset;
        if (!slot.rank_one) {
            kernels().low_rank_add(delta.b_type(), rank, delta.b(), first + begin, first + end, u,
                                   set.u_width(), n_rows_, delta.scale, product.y - first,
                                   product.y_stride);
        } else {
            for (std::int32_t row = 0; row < n_rows_; ++row) {
                const auto at = static_cast<std::size_t>(row);
                if (!adapter::rank_one_add(n, b, u[at * set.u_width()], delta.scale,
                                           product.y + at * product.y_stride + begin))
                    set.fail();
            }
        }
        offset += rank;
    }
}

} // namespace alcove::model
