#include "engine/model/blocks/attention.h"

#include "engine/model/blocks/residual.h"

#include <array>
#include <cmath>

namespace alcove::model {

namespace {

/// The attention of one layer as one thread of the pass sees it.
class LayerAttention {
public:
    LayerAttention(Pass& pass, std::int32_t il)
        : pass_(pass), ws_(pass.workspace()), kernels_(pass.kernels()), kv_(pass.shared().kv),
          layer_(pass.layer(il)), weights_(pass.layer_weights(il)), il_(il),
          group_(layer_.n_head / layer_.n_head_kv), head_dim_(pass.hp().head_dim) {}

    /// One token: threads own KV heads. A head's context is shared among threads only where whole
    /// heads would leave some idle. The sums are the same either way: blocks, merged in order.
    void decode() {
        const std::int32_t position = pass_.batch().first_pos;
        const AttentionBlocks blocks = attention_blocks(position, layer_.window);
        const std::int32_t n_blocks = blocks.end - blocks.begin;
        const auto [first, last] = pass_.part_of(layer_.n_head_kv);
        const bool whole_heads = n_blocks == 1 || layer_.n_head_kv % pass_.n_threads() == 0;
        if (!pass_.stopped()) {
            for (std::int32_t head = first; head < last; ++head) {
                store(0, head);
                if (!whole_heads)
                    continue;
                kernels_.attention_partial(args(0, 1, head), blocks.begin, blocks.end, parts(head));
                merge(head, n_blocks);
            }
        }
        pass_.barrier();
        if (whole_heads)
            return;
        const auto [begin, end] = pass_.part_of(layer_.n_head_kv * n_blocks);
        for (std::int32_t i = begin; i < end && !pass_.stopped(); ++i) {
            const std::int32_t head = i / n_blocks;
            const std::int32_t block = i % n_blocks;
            kernels_.attention_partial(
                args(0, 1, head), blocks.begin + block, blocks.begin + block + 1,
                parts(head) + static_cast<std::size_t>(block) * part_floats());
        }
        pass_.barrier();
        for (std::int32_t head = first; head < last; ++head)
            merge(head, n_blocks);
        pass_.barrier();
    }

    /// Several tokens: pieces of work are tiles of queries of one KV head, the longest first.
    void prefill() {
        pass_.for_rows([&](std::int32_t row) {
            for (std::int32_t head = 0; head < layer_.n_head_kv; ++head)
                store(row, head);
        });
        pass_.barrier();
        const std::int32_t n_rows = pass_.n_rows();
        const std::int32_t tile_rows = prefill_rows();
        const std::int32_t n_tiles = (n_rows + tile_rows - 1) / tile_rows;
        pass_.for_pieces(std::int64_t{n_tiles} * layer_.n_head_kv, [&](std::int64_t i) {
            const auto tile = n_tiles - 1 - static_cast<std::int32_t>(i / layer_.n_head_kv);
            const auto head = static_cast<std::int32_t>(i % layer_.n_head_kv);
            const std::int32_t row = tile * tile_rows;
            kernels_.attention(args(row, std::min(tile_rows, n_rows - row), head));
        });
        pass_.barrier();
    }

private:
    /// Rows of a piece: as many as fill the kernel's lanes, whatever the group; fewer where that
    /// would leave threads idle.
    std::int32_t prefill_rows() const {
        std::int32_t rows = 64;
        const auto n_pieces = [&] {
            return std::int64_t{(pass_.n_rows() + rows - 1) / rows} * layer_.n_head_kv;
        };
        while (rows > 16 && n_pieces() < 2 * std::int64_t{pass_.n_threads()})
            rows /= 2;
        return rows;
    }
    std::size_t q_offset(std::int32_t row, std::int32_t head) const {
        return static_cast<std::size_t>(row) * ws_.q_width +
               static_cast<std::size_t>(head) * static_cast<std::size_t>(group_ * head_dim_);
    }
    std::size_t kv_offset(std::int32_t row, std::int32_t head) const {
        return static_cast<std::size_t>(row) * ws_.kv_width +
               static_cast<std::size_t>(head) * static_cast<std::size_t>(head_dim_);
    }
    std::size_t part_floats() const { return attention_part_floats(group_, head_dim_); }
    float* parts(std::int32_t head) const {
        return ws_.buffers.parts + static_cast<std::size_t>(head) *
                                       static_cast<std::size_t>(ws_.n_blocks) * ws_.part_floats;
    }
    void merge(std::int32_t head, std::int32_t n_blocks) const {
        kernels_.attention_merge(group_, head_dim_, n_blocks, parts(head),
                                 ws_.buffers.attn + q_offset(0, head));
    }

    void norm_heads(const Vector& norm, std::int32_t n_head, float* heads) const {
        if (!norm || pass_.hp().norm_whole_heads)
            return;
        for (std::int32_t i = 0; i < n_head; ++i) {
            float* head = heads + static_cast<std::size_t>(i) * static_cast<std::size_t>(head_dim_);
            kernels_.rms_norm(static_cast<std::size_t>(head_dim_), head, norm.data,
                              pass_.hp().rms_eps, head);
        }
    }

    void rotate(std::int32_t row, std::int32_t n_head, float* heads) const {
        if (layer_.rope == RopeUse::None)
            return;
        kernels_.rope(n_head, head_dim_, pass_.hp().rope_dims,
                      pass_.shared().model.architecture->rope_interleaved,
                      pass_.cos_sin(layer_.rope, row), heads);
    }

    /// Queries far out may count for more, see HParams::query_scale.
    void scale_query(std::int32_t row, float* heads) const {
        const HParams& hp = pass_.hp();
        if (hp.query_scale == 0.0F)
            return;
        const auto position = static_cast<float>(pass_.batch().first_pos + row);
        const float scale =
            1.0F + hp.query_scale * std::log(1.0F + std::floor(position / hp.query_scale_length));
        for (std::int32_t i = 0; i < group_ * head_dim_; ++i)
            heads[i] *= scale;
    }

    /// Norms and turns the heads of `row` that belong to KV head `head`; key and value to the
    /// cache.
    void store(std::int32_t row, std::int32_t head) const {
        float* q = ws_.buffers.q + q_offset(row, head);
        float* k = ws_.buffers.k + kv_offset(row, head);
        norm_heads(weights_.attn_q_norm, group_, q);
        norm_heads(weights_.attn_k_norm, 1, k);
        rotate(row, group_, q);
        rotate(row, 1, k);
        scale_query(row, q);
        const std::ptrdiff_t at = cache_offset(head, pass_.batch().first_pos + row);
        const auto n = static_cast<std::size_t>(head_dim_);
        const auto il = static_cast<std::size_t>(il_);
        kernels_.store_kv(kv_.kv_type, n, k, kv_.keys[il] + at);
        kernels_.store_kv(kv_.kv_type, n, ws_.buffers.v + kv_offset(row, head),
                          kv_.values[il] + at);
    }

    /// Bytes from the layer's begin; less than 0 for positions that are forgotten, which nobody
    /// reads.
    std::ptrdiff_t cache_offset(std::int32_t head, std::int32_t position) const {
        const KvRows& rows = kv_.rows[static_cast<std::size_t>(il_)];
        return (static_cast<std::ptrdiff_t>(head) * rows.n_rows + position - rows.first) *
               static_cast<std::ptrdiff_t>(kv_.row_bytes);
    }

    AttentionArgs args(std::int32_t row, std::int32_t n_q, std::int32_t head) const {
        const auto il = static_cast<std::size_t>(il_);
        AttentionArgs a;
        a.q = ws_.buffers.q + q_offset(row, head);
        a.q_stride = ws_.q_width;
        a.n_q = n_q;
        a.group = group_;
        a.head_dim = head_dim_;
        a.k = kv_.keys[il] + cache_offset(head, 0);
        a.v = kv_.values[il] + cache_offset(head, 0);
        a.kv_stride = kv_.row_bytes;
        a.kv_type = kv_.kv_type;
        a.first_pos = pass_.batch().first_pos + row;
        a.window = layer_.window;
        a.scale = pass_.hp().attn_scale;
        a.softcap = pass_.hp().attn_softcap;
        a.out = ws_.buffers.attn + q_offset(row, head);
        a.out_stride = ws_.q_width;
        a.scratch = ws_.threads[static_cast<std::size_t>(pass_.thread())].attention_scratch;
        return a;
    }

    Pass& pass_;
    const Workspace& ws_;
    const KernelTable& kernels_;
    const KvView& kv_;
    const LayerParams& layer_;
    const LayerWeights& weights_;
    const std::int32_t il_, group_, head_dim_;
};

/// Norms over all heads of q and of k at once. A barrier with one token, whose row is shared.
void norm_whole_rows(Pass& pass, std::int32_t il) {
    const LayerWeights& w = pass.layer_weights(il);
    const Workspace& ws = pass.workspace();
    const auto norm = [&](const Vector& weights, float* row) {
        pass.kernels().rms_norm(static_cast<std::size_t>(weights.size), row, weights.data,
                                pass.hp().rms_eps, row);
    };
    if (!pass.single() || pass.thread() == 0) {
        pass.for_rows([&](std::int32_t row) {
            norm(w.attn_q_norm, ws.buffers.q + static_cast<std::size_t>(row) * ws.q_width);
            norm(w.attn_k_norm, ws.buffers.k + static_cast<std::size_t>(row) * ws.kv_width);
        });
    }
    if (pass.single())
        pass.barrier();
}

} // namespace

void attention(Pass& pass, std::int32_t il, const Vector& norm) {
    const HParams& hp = pass.hp();
    const LayerWeights& w = pass.layer_weights(il);
    const Workspace& ws = pass.workspace();
    const auto n_embd = static_cast<std::size_t>(hp.n_embd);

    norm_rows(pass, norm);
    const std::array qkv = {Product{w.attn_q, w.attn_q_bias, ws.buffers.q, ws.q_width},
                            Product{w.attn_k, w.attn_k_bias, ws.buffers.k, ws.kv_width},
                            Product{w.attn_v, w.attn_v_bias, ws.buffers.v, ws.kv_width}};
    pass.multiply({.n_cols = hp.n_embd}, qkv);

    if (hp.norm_whole_heads)
        norm_whole_rows(pass, il);
    LayerAttention layer(pass, il);
    if (pass.single())
        layer.decode();
    else
        layer.prefill();

    const std::array output = {
        Product{w.attn_output, w.attn_output_bias, ws.buffers.branch, n_embd}};
    pass.multiply({ws.buffers.attn, ws.q_width, w.attn_output.n_cols}, output);
}

} // namespace alcove::model
