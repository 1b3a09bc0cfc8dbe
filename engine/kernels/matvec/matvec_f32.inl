// Float matrix-vector product: weights converted (F16, BF16) or decoded, lanes along the row, one
// accumulator per row, so that a row's sum has one order. Included after a simd header.

#include "engine/kernels/matvec/matvec.h"
#include "engine/quant/decode.h"

namespace alcove {
namespace {

/// How weights become vectors of floats: whole vectors at p + bytes * i.
struct WeightF32 {
    static constexpr std::size_t kBytes = 4;
    static ALCOVE_INLINE Vf load(const std::uint8_t* p) {
        return f_load(reinterpret_cast<const float*>(p));
    }
};
struct WeightF16 {
    static constexpr std::size_t kBytes = 2;
    static ALCOVE_INLINE Vf load(const std::uint8_t* p) { return f_load_f16(p); }
};
struct WeightBF16 {
    static constexpr std::size_t kBytes = 2;
    static ALCOVE_INLINE Vf load(const std::uint8_t* p) { return f_load_bf16(p); }
};

/// The last n < kWidth weights of a row.
template <typename Weight> ALCOVE_INLINE Vf load_tail(const std::uint8_t* p, std::size_t n) {
    alignas(64) std::uint8_t bytes[kWidth * 4] = {};
    __builtin_memcpy(bytes, p, n * Weight::kBytes);
    return Weight::load(bytes);
}

/// acc[i] += row i of `rows` times x, n weights; rows are `stride` bytes apart.
template <typename Weight, int rows>
ALCOVE_INLINE void add_dots(Vf acc[rows], const std::uint8_t* w, std::size_t stride, std::size_t n,
                            const float* x) {
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
        const Vf v = f_load(x + i);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint8_t* at = w + r * stride + i * Weight::kBytes;
            prefetch(at + 1024);
            acc[r] = f_fma(Weight::load(at), v, acc[r]);
        }
    }
    if (i < n) {
        const Vf v = f_load_n(x + i, n - i);
        for (std::size_t r = 0; r < rows; ++r)
            acc[r] =
                f_fma(load_tail<Weight>(w + r * stride + i * Weight::kBytes, n - i), v, acc[r]);
    }
}

template <typename Weight, int rows>
ALCOVE_INLINE void matvec_rows(const std::uint8_t* w, std::size_t stride, std::size_t n,
                               const float* x, float* y) {
    Vf acc[rows];
    for (int r = 0; r < rows; ++r)
        acc[r] = f_zero();
    add_dots<Weight, rows>(acc, w, stride, n, x);
    for (int r = 0; r < rows; ++r)
        y[r] = f_reduce_add(acc[r]);
}

template <typename Weight>
void matvec_float(std::size_t n_cols, const std::uint8_t* w, std::size_t stride,
                  std::int64_t n_rows, const float* x, float* y) {
    std::int64_t r = 0;
    for (; r + 4 <= n_rows; r += 4)
        matvec_rows<Weight, 4>(w + static_cast<std::size_t>(r) * stride, stride, n_cols, x, y + r);
    for (; r < n_rows; ++r)
        matvec_rows<Weight, 1>(w + static_cast<std::size_t>(r) * stride, stride, n_cols, x, y + r);
}

/// Quantised weights decoded 256 at a time: whole blocks of every type, whole vectors but at the
/// end.
void matvec_decoded(QuantType type, std::size_t n_cols, const std::uint8_t* w, std::size_t stride,
                    std::int64_t n_rows, const float* x, float* y) {
    const QuantTraits& traits = *quant_traits(type);
    alignas(64) float decoded[256];
    for (std::int64_t r = 0; r < n_rows; ++r) {
        Vf acc[1] = {f_zero()};
        for (std::size_t c = 0; c < n_cols; c += 256) {
            const std::size_t n = n_cols - c < 256 ? n_cols - c : 256;
            decode_row(type, n, w + static_cast<std::size_t>(r) * stride + row_bytes(traits, c),
                       decoded);
            add_dots<WeightF32, 1>(acc, reinterpret_cast<const std::uint8_t*>(decoded), 0, n,
                                   x + c);
        }
        y[r] = f_reduce_add(acc[0]);
    }
}

void matvec_f32(QuantType type, std::size_t n_cols, const void* w, std::size_t w_row_bytes,
                std::int64_t row_begin, std::int64_t row_end, const float* x, float* y) {
    const auto* first =
        static_cast<const std::uint8_t*>(w) + static_cast<std::size_t>(row_begin) * w_row_bytes;
    const std::int64_t n_rows = row_end - row_begin;
    if (type == QuantType::F32)
        matvec_float<WeightF32>(n_cols, first, w_row_bytes, n_rows, x, y);
    else if (type == QuantType::F16)
        matvec_float<WeightF16>(n_cols, first, w_row_bytes, n_rows, x, y);
    else if (type == QuantType::BF16)
        matvec_float<WeightBF16>(n_cols, first, w_row_bytes, n_rows, x, y);
    else
        matvec_decoded(type, n_cols, first, w_row_bytes, n_rows, x, y);
}

} // namespace
} // namespace alcove
