#pragma once

#include "engine/adapter/adapter_set.h"
#include "engine/kernels/kernel_table.h"
#include "engine/model/loaded_model.h"
#include "engine/model/workspace.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>

namespace alcove::model {

/// The positions that a layer's part of the cache has rows for: [first, first + n_rows). A layer
/// with a window forgets what it cannot see any more; all others have first = 0.
struct KvRows {
    std::int32_t first = 0, n_rows = 0;
};

/// Where a session keeps keys and values. Row of layer l, KV head h, position p:
/// `keys[l] + (h * rows[l].n_rows + p - rows[l].first) * row_bytes`, head_dim values of kv_type;
/// values likewise. Rows of one head are neighbours, so that attention streams.
struct KvView {
    std::span<std::byte*const> keys, values; ///< per layer
    std::span<const KvRows> rows;            ///< per layer
    std::size_t row_bytes = 0;
    std::uint8_t kv_type = 0;
};

/// The recurrent state of layers that have one (LayerParams::state_floats): where each layer's is
/// before the batch, and where the batch leaves it. Never the same memory, so that a batch which is
/// stopped has changed nothing. Null for other layers.
struct RecurrentView {
    std::span<const float* const> before;
    std::span<float* const> after;
};

/// Intermediate results to keep, for checks. Null pointers are not written.
struct NodeSink {
    float* embd = nullptr;         ///< [n_tokens, n_embd]
    std::span<float* const> l_out; ///< per layer, or none: [n_tokens, n_embd] after the layer
    float* result_norm = nullptr;  ///< [n_tokens, n_embd]
};

/// Told between layers, on the thread that called forward().
class LayerObserver {
public:
    virtual ~LayerObserver() = default;
    virtual void layer_done(std::int32_t il) noexcept = 0;
};

/// One forward pass: tokens at positions first_pos, first_pos + 1, …, whose keys and values are
/// written to the cache.
struct Batch {
    std::span<const std::int32_t> tokens; ///< 1 to n_batch
    std::int32_t first_pos = 0;
    std::int32_t logits_from = 0;    ///< rows from here on get logits; tokens.size(): none
    float* logits = nullptr;         ///< [tokens.size() − logits_from, n_vocab]
    float* hidden_last = nullptr;    ///< [n_embd] after the final norm, last token; may be null
    const NodeSink* nodes = nullptr; ///< may be null
    const RecurrentView* recurrent = nullptr; ///< null only where no layer has a state
    LayerObserver* observer = nullptr;        ///< may be null
    adapter::AdapterSet* adapters = nullptr;  ///< what is added to the products; may be null
    std::stop_token stop;
};

/// What all threads of a pass share.
struct PassShared {
    const LoadedModel& model;
    const KernelTable& kernels;
    Workspace& workspace;
    const KvView& kv;
    const Batch& batch;
    std::atomic<bool> stopped{false}; ///< somebody left work out; the batch is worthless
};

/// A matrix product among several of the same input: y rows of y_stride floats, one per token.
struct Product {
    const Matrix& w;
    const Vector& bias; ///< may be empty
    float* y;
    std::size_t y_stride;
};

/// One thread's part in a forward pass. All threads run the same steps; a step either
///  * works on rows (tokens): each thread owns some, and keeps them from step to step, so that row
///    steps follow each other without a barrier; with one token every thread computes that row for
///    itself, in its own buffers, which costs less than a barrier, or
///  * works on matrix rows or heads, shared out among the threads, between two barriers.
/// Every thread meets every barrier whatever happens; after a stop request the work is left out.
class Pass {
public:
    Pass(PassShared& shared, std::int32_t thread);

    // --- what is computed
    const HParams& hp() const { return shared_.model.hparams; }
    const LayerParams& layer(std::int32_t il) const {
        return hp().layers[static_cast<std::size_t>(il)];
    }
    const LayerWeights& layer_weights(std::int32_t il) const {
        return shared_.model.weights.layers[static_cast<std::size_t>(il)];
    }
    const KernelTable& kernels() const { return shared_.kernels; }
    const PassShared& shared() const { return shared_; }
    Workspace& workspace() const { return ws_; }
    const Batch& batch() const { return shared_.batch; }

    // --- threads
    std::int32_t thread() const { return thread_; }
    std::int32_t n_threads() const { return ws_.team.size(); }
    void barrier() {
        ws_.team.barrier();
        ++phase_;
    }
    /// Heard by every thread on its own, between pieces of work.
    bool stopped() const;

    // --- rows
    /// True: one row, which every thread has for itself.
    bool single() const { return single_; }
    std::int32_t row_begin() const { return row_begin_; }
    std::int32_t n_rows() const { return n_rows_; }
    float* h(std::int32_t row) const;
    float* x(std::int32_t row) const;
    std::byte* act(std::int32_t row) const;
    float* cos_sin(RopeUse use, std::int32_t row) const;
    /// step(row) for the rows of this thread.
    template <typename Step> void for_rows(Step&& step) const {
        if (single_) {
            step(row_begin_);
            return;
        }
        const std::int32_t share = (n_rows_ + n_threads() - 1) / n_threads();
        const std::int32_t begin = row_begin_ + std::min(n_rows_, thread_ * share);
        const std::int32_t end = row_begin_ + std::min(n_rows_, (thread_ + 1) * share);
        for (std::int32_t row = begin; row < end && !stopped(); ++row)
            step(row);
    }
    /// Goes on with the rows [begin, begin + count) only, count > 0. A barrier.
    void narrow(std::int32_t begin, std::int32_t count);

    // --- products
    /// Input of the products that follow: rows of `stride` floats from `first` for row_begin() on,
    /// or null for x(). Quantises own rows where a product will want that.
    struct Input {
        const float* first = nullptr;
        std::size_t stride = 0;
        std::int32_t n_cols = 0;
    };
    /// y = W x + b for all products, whose matrix rows are shared out as one sequence. A barrier
    /// before (with several rows) and one after.
    void multiply(const Input& input, std::span<const Product> products);
    /// The same for products of equal shape: rows [a, b) of all of them are one piece of work, then
    /// `after(a, b)` finishes the piece.
    template <typename After>
    void multiply_together(const Input& input, std::span<const Product> products, After&& after) {
        prepare(input, products);
        std::size_t row_bytes = 0;
        for (const Product& product : products)
            row_bytes += product.w.row_bytes;
        share_out(products.front().w.n_rows, row_bytes, input.n_cols,
                  [&](std::int64_t begin, std::int64_t end) {
                      for (const Product& product : products)
                          run(input, product, begin, end);
                      after(begin, end);
                  });
        barrier();
    }

    /// piece(i) for i in [0, n), shared out as threads become free. At most once between barriers.
    template <typename Piece> void for_pieces(std::int64_t n, Piece&& piece) {
        for (std::int64_t i = ws_.team.next(phase_); i < n; i = ws_.team.next(phase_)) {
            if (!stopped())
                piece(i);
        }
    }
    /// [begin, end) of n equal things for this thread, the same in every pass.
    std::pair<std::int32_t, std::int32_t> part_of(std::int32_t n) const {
        return {static_cast<std::int32_t>(std::int64_t{n} * thread_ / n_threads()),
                static_cast<std::int32_t>(std::int64_t{n} * (thread_ + 1) / n_threads())};
    }

    /// fn(begin, end) over n_rows matrix rows of row_bytes: with one token in equal parts, as many
    /// as the bytes are worth; else in tiles, as threads become free.
    template <typename Fn>
    void share_out(std::int64_t n_rows, std::size_t row_bytes, std::int32_t n_cols, Fn&& fn) {
        if (!single_) {
            const std::int64_t tile = tile_rows(n_cols);
            for_pieces((n_rows + tile - 1) / tile,
                       [&](std::int64_t i) { fn(i * tile, std::min(n_rows, (i + 1) * tile)); });
            return;
        }
        if (stopped())
            return;
        // Below this, a part is not worth waking another core's caches for.
        constexpr std::int64_t kMinBytes = 16 * 1024;
        constexpr std::int64_t kUnit = 16; // rows; what the kernels like best
        const std::int64_t n_units = (n_rows + kUnit - 1) / kUnit;
        const std::int64_t worth = std::clamp<std::int64_t>(
            n_rows * static_cast<std::int64_t>(row_bytes) / kMinBytes, 1, n_threads());
        if (thread_ >= worth)
            return;
        const std::int64_t begin = n_units * thread_ / worth * kUnit;
        const std::int64_t end = std::min(n_rows, n_units * (thread_ + 1) / worth * kUnit);
        if (begin < end)
            fn(begin, end);
    }

private:
    void prepare(const Input& input, std::span<const Product> products);
    // With adapters (pass_adapters.cpp): the input in the space of the ranks, shared out, with a
    // barrier after it; then, for matrix rows [begin, end), what the adapters add to the product.
    void reduce_input(const Input& input, std::span<const Product> products);
    void add_adapters(const Product& product, std::int64_t begin, std::int64_t end);
    void run(const Input& input, const Product& product, std::int64_t begin, std::int64_t end);

    std::int64_t tile_rows(std::int32_t n_cols) const;

    PassShared& shared_;
    Workspace& ws_;
    const std::int32_t thread_;
    std::uint32_t phase_ = 0;
    bool single_;
    std::int32_t row_begin_ = 0;
    std::int32_t n_rows_;
    std::span<const Product> reduced_; // the products that reduce_input() prepared
};

} // namespace alcove::model
