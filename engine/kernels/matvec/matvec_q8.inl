// Integer matrix-vector product for one vector width. Included after a simd header; tile.inl reads
// the weights.
//
// One row per lane: a tile's 16 bytes per row are multiplied as they lie, and the four partial sums
// of each row are brought to its lane, so block sums are exact integers and each row adds up its
// blocks in order.

#include "engine/kernels/matvec/matvec.h"
#include "engine/kernels/quantize/quantize.h"
#include "engine/kernels/tile/tile_types.inl"

namespace alcove {
namespace {

/// Bytes ahead of the rows being read that are fetched early, beyond the tile itself.
constexpr std::size_t kPrefetchAhead = 2048;

struct MatvecSink {
    const std::int8_t *high, *low;
    const float *scale, *sum32, *sum16;
    const std::int32_t *corr32, *corr16;
    Vf acc;

    /// Integer sum per row of 16 or 32 codes.
    template <typename Type> ALCOVE_INLINE Vi dot(Vi acc4, const Vi& code, const Vi& x) const {
        return Type::kWide ? dot_wide(acc4, code, x) : dot_narrow(acc4, code, x);
    }
    /// The planes of the activations joined: 128 times the first one's sum, plus the second's.
    template <typename Type> ALCOVE_INLINE Vi dot_planes(const Vi& code, const Vi (&x)[2]) const {
        return dot<Type>(i_shl32<7>(dot<Type>(i_zero(), code, x[0])), code, x[1]);
    }
    template <typename Type> ALCOVE_INLINE Vi corrected(Vi sum, std::int32_t corr) const {
        if constexpr (Type::kOffset || (Type::kWide && !kWideIsOffset))
            return sum;
        else
            return i_add(sum, i_sar32<Type::kCorrShift>(i_set1(corr)));
    }

    template <typename Type>
    ALCOVE_INLINE void group(std::size_t g, const Codes& lo, const Codes& hi, const Vf* s,
                             const Vf* offset) {
        const Vi first[2] = {i_broadcast16(high + 32 * g), i_broadcast16(low + 32 * g)};
        const Vi second[2] = {i_broadcast16(high + 32 * g + 16), i_broadcast16(low + 32 * g + 16)};
        Vf value;
        if constexpr (Type::kHalves == 1) {
            Vi part[4];
            for (int j = 0; j < 4; ++j) {
                part[j] = dot<Type>(dot<Type>(i_zero(), lo.v[j], first[0]), hi.v[j], second[0]);
                part[j] = dot<Type>(i_shl32<7>(part[j]), lo.v[j], first[1]);
                part[j] = dot<Type>(part[j], hi.v[j], second[1]);
            }
            const Vf sum = i_to_f(corrected<Type>(i_sum_lanes4(part), corr32[g]));
            if constexpr (Type::kOffset)
                value = f_fma(s[0], sum, f_mul(offset[0], f_set1(sum32[g])));
            else
                value = f_mul(s[0], sum);
        } else {
            Vi part_lo[4], part_hi[4];
            for (int j = 0; j < 4; ++j) {
                part_lo[j] = dot_planes<Type>(lo.v[j], first);
                part_hi[j] = dot_planes<Type>(hi.v[j], second);
            }
            const Vf sum_lo = i_to_f(corrected<Type>(i_sum_lanes4(part_lo), corr16[2 * g]));
            const Vf sum_hi = i_to_f(corrected<Type>(i_sum_lanes4(part_hi), corr16[2 * g + 1]));
            if constexpr (Type::kOffset) {
                value = f_fma(s[0], sum_lo, f_mul(offset[0], f_set1(sum16[2 * g])));
                value = f_fma(offset[1], f_set1(sum16[2 * g + 1]), value);
            } else {
                value = f_mul(s[0], sum_lo);
            }
            value = f_fma(s[1], sum_hi, value);
        }
        acc = f_fma(value, f_set1(scale[g]), acc);
    }
};

struct MatvecQ8 {
    std::size_t n_cols;
    const std::uint8_t* w;
    std::size_t stride;
    std::int64_t row_begin, row_end;
    const std::uint8_t* x;
    float* y;

    MatvecSink sink() const {
        const ActLayout layout = act_layout(n_cols);
        return {reinterpret_cast<const std::int8_t*>(x),
                reinterpret_cast<const std::int8_t*>(x + layout.low),
                reinterpret_cast<const float*>(x + layout.scale),
                reinterpret_cast<const float*>(x + layout.sum32),
                reinterpret_cast<const float*>(x + layout.sum16),
                reinterpret_cast<const std::int32_t*>(x + layout.corr32),
                reinterpret_cast<const std::int32_t*>(x + layout.corr16),
                f_zero()};
    }

    template <typename Type> void run() const {
        std::int64_t r = row_begin;
        for (; r + kWidth <= row_end; r += kWidth) {
            MatvecSink s = sink();
            read_tile<Type>(w + static_cast<std::size_t>(r) * stride, stride, n_cols, 0,
                            kWidth * stride + kPrefetchAhead, s);
            f_store(y + (r - row_begin), s.acc);
        }
        if (r < row_end)
            run_short<Type>(r);
    }

    /// The last rows, fewer than a tile.
    template <typename Type> __attribute__((noinline)) void run_short(std::int64_t r) const {
        ShortTile<Type> tile;
        MatvecSink s = sink();
        const auto n_rows = static_cast<std::size_t>(row_end - r);
        for (std::size_t c = 0; c < n_cols; c += kTileWeights) {
            const std::size_t n = n_cols - c < kTileWeights ? n_cols - c : kTileWeights;
            tile.fill(w + static_cast<std::size_t>(r) * stride + c / Type::kBlock * Type::kBytes,
                      stride, n_rows, n);
            read_tile<Type>(tile.bytes, tile.kStride, n, c / 32, 0, s);
        }
        f_store_n(y + (r - row_begin), s.acc, n_rows);
    }
};

} // namespace
} // namespace alcove
