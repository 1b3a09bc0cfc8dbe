#pragma once

#include "engine/kernels/kernel_table.h"
#include "engine/model/loaded_model.h"
#include "engine/model/rope_table.h"
#include "engine/model/team.h"
#include "engine/model/workers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace alcove::model {

/// What a forward pass of up to n_batch tokens on up to n_threads threads writes to, apart from the
/// cache. One block of memory, laid out once: the pass itself allocates nothing.
class Workspace {
public:
    struct Shape {
        std::int32_t n_batch = 1, n_threads = 1, n_ctx = 1;
        bool float_activations = false;
    };

    /// Bytes that a workspace of this shape takes.
    static std::size_t bytes(const HParams& hparams, const Shape& shape,
                             const KernelTable& kernels);

    /// Throws std::bad_alloc.
    Workspace(const LoadedModel& model, const Shape& shape, const KernelTable& kernels);

    const Shape& shape() const { return shape_; }
    std::size_t allocated_bytes() const { return n_bytes_; }

    /// Buffers of the whole team, a row per token of the batch, and those of each thread.
    struct Buffers {
        float* h = nullptr;              ///< [n_batch, n_embd] the residual stream
        float* x = nullptr;              ///< [n_batch, n_embd] normalised input of a product
        std::byte* act = nullptr;        ///< [n_batch, act_stride] the input quantised
        float* q = nullptr;              ///< [n_batch, q_width]
        float* k = nullptr;              ///< [n_batch, kv_width]
        float* v = nullptr;              ///< [n_batch, kv_width]
        float* attn = nullptr;           ///< [n_batch, q_width]
        float* branch = nullptr;         ///< [n_batch, n_embd] a branch before it is added to h
        float* gate = nullptr;           ///< [n_batch, ff_width]
        float* up = nullptr;             ///< [n_batch, ff_width]
        float* conv = nullptr;           ///< [n_batch, 3 * n_embd] where layers convolve
        std::array<float*, 2> cos_sin{}; ///< [n_batch, rope_dims] by global and local angles
        float* parts = nullptr;          ///< [n_head_kv, n_blocks, part_floats] decode attention
    };
    struct ThreadBuffers {
        float* h = nullptr;              ///< [n_embd] with one token every thread keeps its own row
        float* x = nullptr;              ///< [n_embd]
        std::byte* act = nullptr;        ///< [act_stride]
        std::array<float*, 2> cos_sin{}; ///< [rope_dims]
        float* expert_scores = nullptr;  ///< [n_expert] of the row at hand
        std::int32_t* expert_order = nullptr;  ///< [n_expert] best first, as far as sorted
        std::int32_t* expert_chosen = nullptr; ///< [n_used] with one token, as ExpertBuffers
        float* expert_weights = nullptr;       ///< [n_used]
        std::byte* expert_act = nullptr;       ///< [n_used, ExpertBuffers::act_stride]
        std::byte* expert_in = nullptr;        ///< kExpertBlock rows of x, quantised or as floats
        float* expert_out = nullptr;           ///< [kExpertBlock, kExpertTile]
        void* matmul_scratch = nullptr;
        void* attention_scratch = nullptr;
    };

    /// Of mixtures of experts; empty where the model has none. A slot is a token with one of its
    /// experts.
    struct ExpertBuffers {
        float* scores = nullptr;        ///< [n_batch, n_expert]
        std::int32_t* chosen = nullptr; ///< [n_batch, n_used] ascending
        float* weights = nullptr;       ///< [n_batch, n_used]
        std::int32_t* slot_begin =
            nullptr;                      ///< [n_expert + 1] slots of expert e: from [e] to [e + 1]
        std::int32_t* slot_row = nullptr; ///< [n_batch * n_used] token of a slot
        float* slot_weight = nullptr;     ///< [n_batch * n_used]
        float* gate = nullptr;            ///< [n_batch * n_used, n_ff]
        float* up = nullptr;              ///< [n_batch * n_used, n_ff]
        std::byte* act = nullptr;         ///< [n_batch * n_used, act_stride] gate quantised
        std::size_t act_stride = 0;       ///< bytes
    };
    static constexpr std::int32_t kExpertBlock = 64; ///< tokens of one product
    static constexpr std::int32_t kExpertTile = 128; ///< matrix rows of one piece of work

    Buffers buffers;
    ExpertBuffers experts;
    std::vector<ThreadBuffers> threads;
    std::size_t q_width = 0, kv_width = 0; ///< floats
    std::size_t ff_width = 0;              ///< floats; of dense layers, 0 where there are none
    std::size_t act_stride = 0;            ///< bytes of the widest input of a dense product
    std::int32_t n_blocks = 0;
    std::size_t part_floats = 0;
    std::array<RopeTable, 2> ropes; ///< global, local
    Team team;
    Workers workers;

private:
    struct Layout;
    Workspace() = default; // without memory, to add up sizes
    Shape shape_;
    std::size_t n_bytes_ = 0;
    struct Free {
        void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, Free> memory_;
};

} // namespace alcove::model
