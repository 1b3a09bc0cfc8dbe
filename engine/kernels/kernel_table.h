#pragma once

#include "engine/kernels/isa.h"
#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>

namespace alcove {

/// How a row of activations is laid out for a matrix product.
enum class ActType : std::uint8_t {
    F32,    ///< floats as they are: against float weights, and for checks
    Q15_32, ///< integers of 15 bits in blocks of 32 with a float scale each, as two planes of int8,
            ///< and the sums that offset weights need (engine/kernels/quantize/quantize.h); against
            ///< every quantised type
};

/// Activations that kernels want for weights of `type`: F32 for F32, F16 and BF16 weights and when
/// `float_activations`, else Q15_32. Rows for Q15_32 are a multiple of 32 long, as those weights
/// are.
ActType act_type(QuantType type, bool float_activations) noexcept;
/// Bytes of one row of `n` activations, a multiple of 64.
std::size_t act_row_bytes(ActType act, std::size_t n) noexcept;
/// Bytes that `n` values take in a cache of `kv_type` (KvType). Q8_0 wants n as a multiple of 32.
std::size_t kv_row_bytes(std::uint8_t kv_type, std::size_t n) noexcept;

/// Positions per block of decode attention. Blocks begin at multiples of it, whatever the window.
inline constexpr std::int32_t kAttentionBlock = 256;

/// Outputs of a panel of KernelTable::low_rank_add.
inline constexpr std::size_t kLowRankPanel = 16;

/// One chunk of attention work: the queries of one KV head's group over a range of cached
/// positions.
struct AttentionArgs {
    const float* q =
        nullptr; ///< [n_q, q_stride]; each row holds `group` heads of head_dim, rotated
    std::size_t q_stride = 0; ///< floats between rows
    std::int32_t n_q = 0;     ///< rows: tokens of the chunk
    std::int32_t group = 0;   ///< query heads per KV head
    std::int32_t head_dim = 0;
    /// Row of position p: k + p * kv_stride bytes, head_dim values of kv_type. Positions that no
    /// query row sees are not read.
    const void* k = nullptr;
    const void* v = nullptr;
    std::size_t kv_stride = 0;  ///< bytes between positions
    std::uint8_t kv_type = 0;   ///< KvType
    std::int32_t first_pos = 0; ///< position of query row 0; row i sees positions <= first_pos + i
    std::int32_t window = 0;    ///< > 0: only the last `window` positions, the own one included
    float scale = 0;
    float softcap = 0;          ///< > 0: scores become softcap * tanh(score / softcap)
    float* out = nullptr;       ///< [n_q, out_stride], `group` heads of head_dim per row
    std::size_t out_stride = 0; ///< floats between rows
    void* scratch = nullptr;    ///< attention_scratch_bytes(), 64-byte aligned, one per thread
};

/// The blocks [begin, end) of kAttentionBlock positions that a query at `pos` sees.
struct AttentionBlocks {
    std::int32_t begin = 0, end = 0;
};
AttentionBlocks attention_blocks(std::int32_t pos, std::int32_t window) noexcept;
/// Floats of one block's partial result, see attention_partial.
std::size_t attention_part_floats(std::int32_t group, std::int32_t head_dim) noexcept;

/// The kernels of one instruction set. Every function: thread-safe, allocates nothing, cannot fail;
/// results do not depend on how rows are split between calls. Pointers need no alignment beyond
/// their type's unless said. Not-a-number and infinity come out as not-a-number, never as a crash.
struct KernelTable {
    Isa isa;
    /// x[n] to one activation row at `out` (act_row_bytes; 64-byte aligned).
    void (*quantize_row)(ActType act, std::size_t n, const float* x, void* out);
    /// y[r − row_begin] = sum_i W[r][i] * x[i] for rows [row_begin, row_end). One activation row.
    /// `type` must be runnable. Within (n_blocks + 8) * 2^-24 * sum |w * x| of the exact sum over
    /// the quantised activations. Fastest where row_begin is a multiple of 16.
    void (*matvec)(QuantType type, ActType act, std::size_t n_cols, const void* w,
                   std::size_t w_row_bytes, std::int64_t row_begin, std::int64_t row_end,
                   const void* x, float* y);
    /// y[t * y_stride + r] for rows [row_begin, row_end) and n_tokens activation rows (x_row_bytes
    /// apart); y counts rows from 0 of the whole matrix. `scratch`: matmul_scratch_bytes(n_cols),
    /// 64-byte aligned, one per thread. Fastest where row_begin is a multiple of 32. Same bound.
    void (*matmul)(QuantType type, ActType act, std::size_t n_cols, const void* w,
                   std::size_t w_row_bytes, std::int64_t row_begin, std::int64_t row_end,
                   const void* x, std::size_t x_row_bytes, std::int32_t n_tokens, float* y,
                   std::size_t y_stride, void* scratch);
    std::size_t (*matmul_scratch_bytes)(std::size_t n_cols);
    /// One row of weights to floats; the truth of `dequantize`.
    void (*dequantize_row)(QuantType type, std::size_t n, const void* w, float* out);
    /// y = x / sqrt(mean(x²) + eps) * w; w may be null (ones). x and y may be the same.
    void (*rms_norm)(std::size_t n, const float* x, const float* w, float eps, float* y);
    /// y[i] += x[i] * scale
    void (*add_scaled)(std::size_t n, const float* x, float scale, float* y);
    /// out[i] = silu(gate[i]) * up[i]; out may be gate or up.
    void (*silu_mul)(std::size_t n, const float* gate, const float* up, float* out);
    /// out[i] = gelu_tanh(gate[i]) * up[i], the exact tanh formula in float; out may be gate or up.
    void (*gelu_mul)(std::size_t n, const float* gate, const float* up, float* out);
    /// y[t * y_stride + i] += scale * sum_k u[t * u_stride + k] * B[i][k] for i in [begin, end), k
    /// in [0, rank), t in [0, n_tokens): the second product of a low-rank correction. `type`: F32
    /// or F16. B lies in panels of kLowRankPanel outputs, each [rank, kLowRankPanel], the last one
    /// filled up; y counts from output 0. Fastest where begin is a multiple of a panel.
    void (*low_rank_add)(QuantType type, std::size_t rank, const void* b, std::int64_t begin,
                         std::int64_t end, const float* u, std::size_t u_stride,
                         std::int32_t n_tokens, float scale, float* y, std::size_t y_stride);
    /// Rotates n_head heads (head_dim floats each, consecutive) in place. cos_sin:
    /// [rope_dims / 2][2] for this position; interleaved: pairs (2i, 2i+1), else
    /// (i, i + rope_dims / 2). Values past rope_dims stay.
    void (*rope)(std::int32_t n_head, std::int32_t head_dim, std::int32_t rope_dims,
                 bool interleaved, const float* cos_sin, float* x);
    /// n floats to kv_type (KvType) at `out`: kv_row_bytes(kv_type, n).
    void (*store_kv)(std::uint8_t kv_type, std::size_t n, const float* x, void* out);
    /// Softmax attention of any number of query rows (reading a prompt), float accumulation, flash
    /// style in blocks of fixed size: equal to the plain form within rounding. A row's result does
    /// not depend on the rows that come with it, so rows may be split among threads anyhow.
    void (*attention)(const AttentionArgs& args);
    std::size_t (*attention_scratch_bytes)(std::int32_t group, std::int32_t head_dim);
    /// The same for one query row (n_q = 1; `out` unused), cut along the context so that threads
    /// can share a head while writing an answer: the blocks [block_begin, block_end) of
    /// attention_blocks(first_pos, window), each to its own attention_part_floats(group, head_dim)
    /// floats, consecutive from `parts` for block_begin on.
    void (*attention_partial)(const AttentionArgs& args, std::int32_t block_begin,
                              std::int32_t block_end, float* parts);
    /// Merges the parts of n_blocks consecutive blocks, in block order, to out[group * head_dim].
    void (*attention_merge)(std::int32_t group, std::int32_t head_dim, std::int32_t n_blocks,
                            const float* parts, float* out);
};

/// The table of a set that runnable_isas() lists.
const KernelTable& kernel_table(Isa isa);

} // namespace alcove
