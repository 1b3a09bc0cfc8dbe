#include "engine/model/workspace.h"

#include <algorithm>
#include <new>

namespace alcove::model {

namespace {

constexpr std::size_t kAlign = 64;

std::size_t positive(std::int32_t n) {
    return static_cast<std::size_t>(std::max(n, 0));
}

/// Bytes of a row of `n` activations; quantised rows come in blocks of 32.
std::size_t quantised_bytes(std::size_t n) {
    return act_row_bytes(ActType::Q15_32, (n + 31) / 32 * 32);
}

/// Of the feed-forward parts that are no mixtures.
std::int32_t widest_dense(const HParams& hp) {
    std::int32_t widest = 0;
    for (const LayerParams& layer : hp.layers)
        widest = std::max(widest, layer.has_experts ? 0 : layer.n_ff);
    return widest;
}

/// Query heads per KV head.
std::int32_t widest_group(const HParams& hp) {
    std::int32_t widest = 1;
    for (const LayerParams& layer : hp.layers)
        widest = std::max(widest, layer.n_head_kv == 0 ? 0 : layer.n_head / layer.n_head_kv);
    return widest;
}

/// LongRoPE has other factors for contexts longer than what the model was first trained with.
const Vector& rope_factors(const Weights& weights, const RopeParams& rope, std::int32_t n_ctx) {
    if (weights.rope_freqs || !weights.rope_long)
        return weights.rope_freqs;
    return n_ctx > rope.n_ctx_original ? weights.rope_long : weights.rope_short;
}

} // namespace

/// Walks over all buffers twice: to add up their sizes, then to place them.
struct Workspace::Layout {
    std::byte* base = nullptr;
    std::size_t offset = 0;

    template <typename T> void place(T*& pointer, std::size_t n_bytes) {
        if (base != nullptr)
            pointer = reinterpret_cast<T*>(base + offset);
        offset += (n_bytes + kAlign - 1) / kAlign * kAlign;
    }
    void place(void*& pointer, std::size_t n_bytes) {
        if (base != nullptr)
            pointer = base + offset;
        offset += (n_bytes + kAlign - 1) / kAlign * kAlign;
    }

    void place_experts(Workspace& ws, const ExpertParams& experts, std::size_t n_batch) {
        if (experts.n == 0)
            return;
        ExpertBuffers& b = ws.experts;
        const std::size_t n_slots = n_batch * positive(experts.n_used);
        const std::size_t n_ff = positive(experts.n_ff);
        b.act_stride = quantised_bytes(n_ff);
        place(b.scores, n_batch * positive(experts.n) * sizeof(float));
        place(b.chosen, n_slots * sizeof(std::int32_t));
        place(b.weights, n_slots * sizeof(float));
        place(b.slot_begin, (positive(experts.n) + 1) * sizeof(std::int32_t));
        place(b.slot_row, n_slots * sizeof(std::int32_t));
        place(b.slot_weight, n_slots * sizeof(float));
        place(b.gate, n_slots * n_ff * sizeof(float));
        place(b.up, n_slots * n_ff * sizeof(float));
        place(b.act, n_slots * b.act_stride);
    }

    void place_experts(const Workspace& ws, ThreadBuffers& t, const HParams& hp) {
        const ExpertParams& experts = hp.experts;
        if (experts.n == 0)
            return;
        const std::size_t n_used = positive(experts.n_used);
        place(t.expert_scores, positive(experts.n) * sizeof(float));
        place(t.expert_order, positive(experts.n) * sizeof(std::int32_t));
        place(t.expert_chosen, n_used * sizeof(std::int32_t));
        place(t.expert_weights, n_used * sizeof(float));
        place(t.expert_act, n_used * ws.experts.act_stride);
        const std::size_t n_embd = positive(hp.n_embd);
        place(t.expert_in, std::size_t{kExpertBlock} *
                               std::max(quantised_bytes(n_embd), n_embd * sizeof(float)));
        place(t.expert_out, std::size_t{kExpertBlock} * kExpertTile * sizeof(float));
    }

    void walk(Workspace& ws, const HParams& hp, const Shape& shape, const KernelTable& kernels) {
        const std::size_t n_batch = positive(shape.n_batch);
        const std::size_t n_embd = positive(hp.n_embd);
        const std::size_t head_dim = positive(hp.head_dim);
        const std::size_t rope_dims = positive(hp.rope_dims);
        const std::size_t f = sizeof(float);
        ws.q_width = positive(hp.max_n_head()) * head_dim;
        ws.kv_width = positive(hp.max_n_head_kv()) * head_dim;
        ws.ff_width = positive(widest_dense(hp));
        const std::size_t widest = std::max({n_embd, ws.q_width, ws.ff_width});
        ws.act_stride = quantised_bytes(widest);
        ws.n_blocks = shape.n_ctx / kAttentionBlock + 1;
        const std::int32_t group = widest_group(hp);
        ws.part_floats = attention_part_floats(group, hp.head_dim);

        Buffers& b = ws.buffers;
        place(b.h, n_batch * n_embd * f);
        place(b.x, n_batch * n_embd * f);
        place(b.act, n_batch * ws.act_stride);
        place(b.q, n_batch * ws.q_width * f);
        place(b.k, n_batch * ws.kv_width * f);
        place(b.v, n_batch * ws.kv_width * f);
        place(b.attn, n_batch * ws.q_width * f);
        place(b.branch, n_batch * n_embd * f);
        place(b.gate, n_batch * ws.ff_width * f);
        place(b.up, n_batch * ws.ff_width * f);
        place(b.conv, hp.n_conv_taps > 0 ? n_batch * 3 * n_embd * f : 0);
        place(b.cos_sin[0], n_batch * rope_dims * f);
        place(b.cos_sin[1], hp.uses_local_rope() ? n_batch * rope_dims * f : 0);
        place(b.parts, positive(hp.max_n_head_kv()) * positive(ws.n_blocks) * ws.part_floats * f);

        place_experts(ws, hp.experts, n_batch);

        const std::size_t matmul_scratch = kernels.matmul_scratch_bytes(
            (std::max(widest, positive(hp.experts.n_ff)) + 31) / 32 * 32);
        const std::size_t attention_scratch = kernels.attention_scratch_bytes(group, hp.head_dim);
        for (std::size_t i = 0; i < positive(shape.n_threads); ++i) {
            ThreadBuffers unused;
            ThreadBuffers& t = base != nullptr ? ws.threads[i] : unused;
            place(t.h, n_embd * f);
            place(t.x, n_embd * f);
            place(t.act, ws.act_stride);
            place(t.cos_sin[0], rope_dims * f);
            place(t.cos_sin[1], rope_dims * f);
            place_experts(ws, t, hp);
            place(t.matmul_scratch, matmul_scratch);
            place(t.attention_scratch, attention_scratch);
        }
    }
};

void Workspace::Free::operator()(std::byte* memory) const noexcept {
    ::operator delete (memory, std::align_val_t{kAlign});
}

Workspace::Workspace(const LoadedModel& model, const Shape& shape, const KernelTable& kernels)
    : shape_(shape) {
    const HParams& hp = model.hparams;
    Layout sizes;
    sizes.walk(*this, hp, shape, kernels);
    n_bytes_ = sizes.offset;
    memory_.reset(static_cast<std::byte*>(::operator new (n_bytes_, std::align_val_t{kAlign})));
    threads.resize(positive(shape.n_threads));
    Layout places{.base = memory_.get()};
    places.walk(*this, hp, shape, kernels);
    ropes[0] = RopeTable(hp.rope, hp.rope_dims, rope_factors(model.weights, hp.rope, shape.n_ctx));
    ropes[1] = RopeTable(hp.rope_local, hp.rope_dims, Vector{});
}

std::size_t Workspace::bytes(const HParams& hparams, const Shape& shape,
                             const KernelTable& kernels) {
    Workspace probe;
    Layout sizes;
    sizes.walk(probe, hparams, shape, kernels);
    return sizes.offset;
}

} // namespace alcove::model
