#include "engine/kernels/kernel_table.h"

#include "engine/kernels/attention/attention.h"
#include "engine/kernels/elementwise/elementwise.h"
#include "engine/kernels/kv/kv.h"
#include "engine/kernels/low_rank/low_rank.h"
#include "engine/kernels/matmul/matmul.h"
#include "engine/kernels/matvec/matvec.h"
#include "engine/kernels/norm/norm.h"
#include "engine/kernels/quantize/quantize.h"
#include "engine/kernels/rope/rope.h"
#include "engine/quant/decode.h"
#include "engine/result.h"

#include <array>
#include <cstring>

namespace alcove {
namespace {

using QuantizeFn = void (*)(std::size_t, const float*, void*);

template <QuantizeFn quantize_q8>
void quantize_row(ActType act, std::size_t n, const float* x, void* out) {
    if (act == ActType::F32)
        std::memcpy(out, x, n * sizeof(float));
    else
        quantize_q8(n, x, out);
}

template <auto q8, auto f32>
void matvec(QuantType type, ActType act, std::size_t n_cols, const void* w, std::size_t w_row_bytes,
            std::int64_t row_begin, std::int64_t row_end, const void* x, float* y) {
    if (act == ActType::F32)
        f32(type, n_cols, w, w_row_bytes, row_begin, row_end, static_cast<const float*>(x), y);
    else
        q8(type, n_cols, w, w_row_bytes, row_begin, row_end, x, y);
}

using MatmulFn = void (*)(const MatmulArgs&);

template <MatmulFn q8, MatmulFn f32>
void matmul(QuantType type, ActType act, std::size_t n_cols, const void* w, std::size_t w_row_bytes,
            std::int64_t row_begin, std::int64_t row_end, const void* x, std::size_t x_row_bytes,
            std::int32_t n_tokens, float* y, std::size_t y_stride, void* scratch) {
    const MatmulArgs args{type, n_cols,      w,        w_row_bytes, row_begin, row_end,
                          x,    x_row_bytes, n_tokens, y,           y_stride,  scratch};
    if (act == ActType::F32)
        f32(args);
    else
        q8(args);
}

constexpr std::array kTables = {
#define KERNELS(isa_, products, floats)                                                            \
    KernelTable{                                                                                   \
        .isa = Isa::isa_,                                                                          \
        .quantize_row = &quantize_row<&quantize_q8_##floats>,                                      \
        .matvec = &matvec<&matvec_q8_##products, &matvec_f32_##floats>,                            \
        .matmul = &matmul<&matmul_q8_##products, &matmul_f32_##floats>,                            \
        .matmul_scratch_bytes = &matmul_scratch_bytes_##floats,                                    \
        .dequantize_row = &decode_row,                                                             \
        .rms_norm = &rms_norm_##floats,                                                            \
        .add_scaled = &add_scaled_##floats,                                                        \
        .silu_mul = &silu_mul_##floats,                                                            \
        .gelu_mul = &gelu_mul_##floats,                                                            \
        .low_rank_add = &low_rank_add_##floats,                                                    \
        .rope = &rope_##floats,                                                                    \
        .store_kv = &store_kv_##floats,                                                            \
        .attention = &attention_##floats,                                                          \
        .attention_scratch_bytes = &attention_scratch_bytes_##floats,                              \
        .attention_partial = &attention_partial_##floats,                                          \
        .attention_merge = &attention_merge_##floats,                                              \
    },
#include "engine/kernels/kernels.inc"
#undef KERNELS
};

} // namespace

ActType act_type(QuantType type, bool float_activations) noexcept {
    return float_activations || block_codec(type) == nullptr ? ActType::F32 : ActType::Q15_32;
}

std::size_t act_row_bytes(ActType act, std::size_t n) noexcept {
    return act == ActType::F32 ? (n * sizeof(float) + 63) / 64 * 64 : act_layout(n).bytes;
}

const KernelTable& kernel_table(Isa isa) {
    for (const KernelTable& table : kTables)
        if (table.isa == isa)
            return table;
    ALCOVE_CHECK(false, "kernel_table is asked for runnable sets only");
    return kTables.back();
}

} // namespace alcove
