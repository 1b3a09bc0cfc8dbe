// Float matrix-matrix product: kFloatRows weight rows as floats once, then kFloatTokens tokens at a
// time. Lanes run along the row and every sum has the order of matvec_f32.inl. Included after a
// simd header.

#include "engine/kernels/matmul/matmul.h"
#include "engine/quant/decode.h"

namespace alcove {
namespace {

ALCOVE_INLINE std::size_t padded(std::size_t n) {
    return (n + kWidth - 1) / kWidth * kWidth;
}

/// `n` weights as floats, zeros up to a whole vector.
void widen_row(QuantType type, std::size_t n, const std::uint8_t* w, float* out) {
    const std::size_t whole = n / kWidth * kWidth;
    if (type == QuantType::F16 || type == QuantType::BF16) {
        for (std::size_t i = 0; i < whole; i += kWidth)
            f_store(out + i,
                    type == QuantType::F16 ? f_load_f16(w + 2 * i) : f_load_bf16(w + 2 * i));
        decode_row(type, n - whole, w + 2 * whole, out + whole);
    } else {
        decode_row(type, n, w, out);
    }
    for (std::size_t i = n; i < padded(n); ++i)
        out[i] = 0;
}

struct FloatRun {
    const float* rows; ///< widened, `stride` floats apart
    std::size_t stride, n_cols;
    const float* x[kFloatTokens];
    float* y;
    std::size_t y_stride;
};

template <int rows, int tokens> __attribute__((noinline)) void run_float(const FloatRun& run) {
    Vf acc[rows][tokens];
    for (int r = 0; r < rows; ++r)
        for (int t = 0; t < tokens; ++t)
            acc[r][t] = f_zero();
    const auto step = [&](std::size_t i, auto load_x) {
        Vf x[tokens];
        ALCOVE_UNROLL
        for (int t = 0; t < tokens; ++t)
            x[t] = load_x(run.x[t] + i);
        ALCOVE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const Vf w = f_load(run.rows + static_cast<std::size_t>(r) * run.stride + i);
            ALCOVE_UNROLL
            for (int t = 0; t < tokens; ++t)
                acc[r][t] = f_fma(w, x[t], acc[r][t]);
        }
    };
    std::size_t i = 0;
    for (; i + kWidth <= run.n_cols; i += kWidth)
        step(i, [](const float* p) ALCOVE_LAMBDA_INLINE { return f_load(p); });
    if (i < run.n_cols)
        step(i, [&](const float* p) ALCOVE_LAMBDA_INLINE { return f_load_n(p, run.n_cols - i); });
    for (int r = 0; r < rows; ++r)
        for (int t = 0; t < tokens; ++t)
            run.y[static_cast<std::size_t>(t) * run.y_stride + static_cast<std::size_t>(r)] =
                f_reduce_add(acc[r][t]);
}

template <int rows, int tokens = kFloatTokens>
void run_float_tokens(FloatRun run, const MatmulArgs& args, std::int32_t t) {
    for (; t + tokens <= args.n_tokens; t += tokens) {
        for (int i = 0; i < tokens; ++i)
            run.x[i] =
                reinterpret_cast<const float*>(static_cast<const std::uint8_t*>(args.x) +
                                               static_cast<std::size_t>(t + i) * args.x_row_bytes);
        run_float<rows, tokens>(run);
        run.y += tokens * run.y_stride;
    }
    if constexpr (tokens > 1)
        if (t < args.n_tokens)
            run_float_tokens<rows, tokens - 1>(run, args, t);
}

void matmul_f32(const MatmulArgs& args) {
    auto* rows = static_cast<float*>(args.scratch);
    const std::size_t stride = padded(args.n_cols);
    const auto* w = static_cast<const std::uint8_t*>(args.w);
    for (std::int64_t r = args.row_begin; r < args.row_end; r += kFloatRows) {
        const std::int64_t n_rows = args.row_end - r < kFloatRows ? args.row_end - r : kFloatRows;
        for (std::int64_t i = 0; i < n_rows; ++i)
            widen_row(args.type, args.n_cols,
                      w + static_cast<std::size_t>(r + i) * args.w_row_bytes,
                      rows + static_cast<std::size_t>(i) * stride);
        FloatRun run{rows, stride, args.n_cols, {}, args.y + r, args.y_stride};
        if (n_rows == kFloatRows) {
            run_float_tokens<kFloatRows>(run, args, 0);
            continue;
        }
        for (std::int64_t i = 0; i < n_rows; ++i, run.rows += stride, ++run.y)
            run_float_tokens<1>(run, args, 0);
    }
}

std::size_t float_scratch_bytes(std::size_t n_cols) {
    return kFloatRows * padded(n_cols) * sizeof(float);
}

} // namespace
} // namespace alcove
