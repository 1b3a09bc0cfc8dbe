// Integer matrix-matrix product for one vector width. Included after a simd header.
//
// kProductRowVectors tiles of weight rows are expanded once into a panel that stays in the
// first-level cache: per 32 weights eight vectors, one row per lane, four consecutive weights in a
// lane. Every token then runs over the panel with four of its activations in all lanes, one plane
// of them after the other. Panels hold kTileWeights columns; the sums of a token wait in y between
// two panels.

#include "engine/kernels/matmul/matmul.h"
#include "engine/kernels/matmul/panel.inl"
#include "engine/kernels/quantize/quantize.h"
#include "engine/kernels/tile/tile_types.inl"

namespace alcove {
namespace {

struct PanelSink {
    Panel* panel;

    template <typename Type>
    ALCOVE_INLINE void group(std::size_t g, const Codes& lo, const Codes& hi, const Vf* s,
                             const Vf* o) {
        Codes parts[2] = {lo, hi};
        for (int half = 0; half < 2; ++half) {
            i_transpose4(parts[half].v);
            for (int j = 0; j < 4; ++j)
                i_store(panel->codes[g][4 * half + j], parts[half].v[j]);
        }
        for (int half = 0; half < Type::kHalves; ++half) {
            f_store(panel->scale[g][half], s[half]);
            if constexpr (Type::kOffset)
                f_store(panel->offset[g][half], o[half]);
        }
    }
};

/// What the inner loop needs of a run of tokens over one panel.
struct PanelRun {
    const Panel* panels;
    const std::uint8_t* x; ///< activation row of the first token
    std::size_t x_row_bytes;
    ActLayout layout;
    std::size_t group_begin, n_groups; ///< of 32 columns
    float* y;                          ///< first token, first row of the panels
    std::size_t y_stride;
    std::size_t n_rows; ///< rows of y that exist
    bool first;         ///< sums begin at zero, else in y
    int corr_shift;
};

/// Where a token's activations for the panel begin.
struct TokenRow {
    const std::uint8_t* x;
    ALCOVE_INLINE TokenRow(const PanelRun& run, int t)
        : x(run.x + static_cast<std::size_t>(t) * run.x_row_bytes) {}
    /// Four activations of plane `plane` per element.
    ALCOVE_INLINE const std::int32_t* quads(std::size_t plane, std::size_t g) const {
        return reinterpret_cast<const std::int32_t*>(x + plane + 32 * g);
    }
    ALCOVE_INLINE float floats(std::size_t array, std::size_t i) const {
        return reinterpret_cast<const float*>(x + array)[i];
    }
    ALCOVE_INLINE std::int32_t ints(std::size_t array, std::size_t i) const {
        return reinterpret_cast<const std::int32_t*>(x + array)[i];
    }
};

template <bool offset, bool wide> constexpr bool kCorrected = !offset && (!wide || kWideIsOffset);

ALCOVE_INLINE std::size_t lanes_of(const PanelRun& run, int row_vector) {
    const std::size_t before = static_cast<std::size_t>(row_vector) * kWidth;
    if (run.n_rows <= before)
        return 0;
    return run.n_rows - before < kWidth ? run.n_rows - before : kWidth;
}
ALCOVE_INLINE Vf load_sum(const PanelRun& run, int row_vector, int t) {
    const float* y = run.y + static_cast<std::size_t>(t) * run.y_stride + row_vector * kWidth;
    const std::size_t lanes = lanes_of(run, row_vector);
    return lanes == kWidth ? f_load(y) : f_load_n(y, lanes);
}
ALCOVE_INLINE void store_sum(const PanelRun& run, int row_vector, int t, Vf sum) {
    float* y = run.y + static_cast<std::size_t>(t) * run.y_stride + row_vector * kWidth;
    const std::size_t lanes = lanes_of(run, row_vector);
    if (lanes == kWidth)
        f_store(y, sum);
    else
        f_store_n(y, sum, lanes);
}

/// What the integer sums of a group have too little: the correction of codes that carry an offset.
template <int halves, bool offset, bool wide>
ALCOVE_INLINE Vi start_of(const PanelRun& run, int t, std::size_t at, Vi shift) {
    if constexpr (!kCorrected<offset, wide>)
        return i_zero();
    const Vi corr =
        i_set1(TokenRow(run, t).ints(halves == 1 ? run.layout.corr32 : run.layout.corr16, at));
    return wide ? corr : i_sar32_by(corr, shift);
}

/// dot += the codes of 32 / halves columns times one plane of the activations.
template <int halves, int half, bool wide, int tokens>
ALCOVE_INLINE void add_plane(const PanelRun& run, std::size_t plane, std::size_t g,
                             Vi (&dot)[kProductRowVectors][tokens]) {
    constexpr int kVectors = kProductRowVectors, kSteps = 8 / halves;
    ALCOVE_UNROLL
    for (int k = half * kSteps; k < (half + 1) * kSteps; ++k) {
        Vi code[kVectors];
        ALCOVE_UNROLL
        for (int v = 0; v < kVectors; ++v)
            code[v] = i_load(run.panels[v].codes[g][k]);
        ALCOVE_UNROLL
        for (int t = 0; t < tokens; ++t) {
            const Vi q = i_set1(TokenRow(run, t).quads(plane, run.group_begin + g)[k]);
            ALCOVE_UNROLL
            for (int v = 0; v < kVectors; ++v)
                dot[v][t] =
                    wide ? dot_wide(dot[v][t], code[v], q) : dot_narrow(dot[v][t], code[v], q);
        }
    }
}

/// value += the product of one group of 32 / halves columns, before the activations' scale.
template <int halves, int half, bool offset, bool wide, int tokens>
ALCOVE_INLINE void add_group(const PanelRun& run, std::size_t g, Vi shift,
                             Vf (&value)[kProductRowVectors][tokens]) {
    constexpr int kVectors = kProductRowVectors;
    const std::size_t at = halves * (run.group_begin + g) + half;
    Vi dot[kVectors][tokens];
    ALCOVE_UNROLL
    for (int t = 0; t < tokens; ++t)
        ALCOVE_UNROLL
    for (int v = 0; v < kVectors; ++v)
        dot[v][t] = i_zero();
    add_plane<halves, half, wide>(run, 0, g, dot);
    ALCOVE_UNROLL
    for (int t = 0; t < tokens; ++t) {
        const Vi start = start_of<halves, offset, wide>(run, t, at, shift);
        ALCOVE_UNROLL
        for (int v = 0; v < kVectors; ++v)
            dot[v][t] = i_add(i_shl32<7>(dot[v][t]), start);
    }
    add_plane<halves, half, wide>(run, run.layout.low, g, dot);
    ALCOVE_UNROLL
    for (int t = 0; t < tokens; ++t) {
        ALCOVE_UNROLL
        for (int v = 0; v < kVectors; ++v) {
            if constexpr (offset)
                value[v][t] = f_fma(f_load(run.panels[v].offset[g][half]),
                                    f_set1(TokenRow(run, t).floats(
                                        halves == 1 ? run.layout.sum32 : run.layout.sum16, at)),
                                    value[v][t]);
            value[v][t] =
                f_fma(f_load(run.panels[v].scale[g][half]), i_to_f(dot[v][t]), value[v][t]);
        }
    }
}

/// `tokens` tokens over the panels. Each sum: blocks in order, with the roundings of matvec_q8.inl.
template <int halves, bool offset, bool wide, int tokens>
__attribute__((noinline)) void run_tokens(const PanelRun& run) {
    constexpr int kVectors = kProductRowVectors;
    const Vi shift = i_set1(run.corr_shift);
    Vf sum[kVectors][tokens];
    for (int v = 0; v < kVectors; ++v)
        for (int t = 0; t < tokens; ++t)
            sum[v][t] = run.first ? f_zero() : load_sum(run, v, t);
    for (std::size_t g = 0; g < run.n_groups; ++g) {
        Vf value[kVectors][tokens];
        ALCOVE_UNROLL
        for (int v = 0; v < kVectors; ++v)
            ALCOVE_UNROLL
        for (int t = 0; t < tokens; ++t)
            value[v][t] = f_zero();
        add_group<halves, 0, offset, wide, tokens>(run, g, shift, value);
        if constexpr (halves == 2)
            add_group<halves, 1, offset, wide, tokens>(run, g, shift, value);
        ALCOVE_UNROLL
        for (int t = 0; t < tokens; ++t) {
            const Vf scale = f_set1(TokenRow(run, t).floats(run.layout.scale, run.group_begin + g));
            ALCOVE_UNROLL
            for (int v = 0; v < kVectors; ++v)
                sum[v][t] = f_fma(value[v][t], scale, sum[v][t]);
        }
    }
    for (int v = 0; v < kVectors; ++v)
        for (int t = 0; t < tokens; ++t)
            store_sum(run, v, t, sum[v][t]);
}

/// All tokens, kProductTokens at a time, the rest in one shorter run.
template <int halves, bool offset, bool wide, int tokens = kProductTokens>
void run_all(PanelRun run, std::int32_t n_tokens) {
    while (n_tokens >= tokens) {
        run_tokens<halves, offset, wide, tokens>(run);
        run.x += tokens * run.x_row_bytes;
        run.y += tokens * run.y_stride;
        n_tokens -= tokens;
    }
    if constexpr (tokens > 1)
        if (n_tokens > 0)
            run_all<halves, offset, wide, tokens - 1>(run, n_tokens);
}

struct MatmulQ8 {
    const MatmulArgs& args;

    template <typename Type> void run() const {
        auto* panels = static_cast<Panel*>(args.scratch);
        constexpr std::int64_t kRows = std::int64_t{kProductRowVectors} * kWidth;
        for (std::int64_t r = args.row_begin; r < args.row_end; r += kRows) {
            const std::int64_t n_rows = args.row_end - r < kRows ? args.row_end - r : kRows;
            for (std::size_t c = 0; c < args.n_cols; c += kTileWeights)
                run_panel<Type>(panels, r, static_cast<std::size_t>(n_rows), c);
        }
    }

    template <typename Type>
    void run_panel(Panel* panels, std::int64_t r, std::size_t n_rows, std::size_t c) const {
        const std::size_t n = args.n_cols - c < kTileWeights ? args.n_cols - c : kTileWeights;
        for (std::size_t v = 0; v < kProductRowVectors; ++v) {
            // A tile without rows is computed with the first one's weights and not stored.
            const std::size_t skip = v * kWidth < n_rows ? v * kWidth : 0;
            expand<Type>(panels[v], r + static_cast<std::int64_t>(skip), n_rows - skip, c, n);
        }
        run_all<Type::kHalves, Type::kOffset, Type::kWide>(
            {panels, static_cast<const std::uint8_t*>(args.x), args.x_row_bytes,
             act_layout(args.n_cols), c / 32, n / 32, args.y + r, args.y_stride, n_rows, c == 0,
             Type::kCorrShift},
            args.n_tokens);
    }

    template <typename Type>
    __attribute__((noinline)) void expand(Panel& panel, std::int64_t r, std::size_t n_rows,
                                          std::size_t c, std::size_t n) const {
        const std::uint8_t* first = static_cast<const std::uint8_t*>(args.w) +
                                    static_cast<std::size_t>(r) * args.w_row_bytes +
                                    c / Type::kBlock * Type::kBytes;
        PanelSink sink{&panel};
        if (n_rows >= kWidth) {
            read_tile<Type>(first, args.w_row_bytes, n, 0, 0, sink);
            return;
        }
        ShortTile<Type> tile;
        tile.fill(first, args.w_row_bytes, n_rows, n);
        read_tile<Type>(tile.bytes, tile.kStride, n, 0, 0, sink);
    }
};

} // namespace
} // namespace alcove
