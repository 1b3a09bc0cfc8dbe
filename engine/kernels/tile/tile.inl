// Weight tiles: kWidth consecutive rows of a quantised matrix, read in the file's own layout and
// handed on as unsigned byte codes with scales per row. Included by the integer product files after
// a simd header.
//
// Sixteen weights of all rows of a tile are four vectors (Codes): 128-bit lane L of vector j holds
// row 4 L + j. So a row's 16 bytes are loaded as they lie, and i_sum_lanes4 and i_transpose4 bring
// rows to lanes in their order. Scales are vectors with one row per lane.
//
// A tile type says: kBlock, kBytes (weights and bytes per block), kHalves (scales per 32 weights: 1
// or 2), kOffset (weights have an offset besides a scale), kWide (codes as of dot_wide), kCorrShift
// (the codes are weight + 128 >> kCorrShift). Its read() calls, for each 32 weights g of the block,
//   sink.template group<Type>(g, lo, hi, scale, offset)   lo, hi: weights 0-15 and 16-31; scale and
//   offset:
// arrays of kHalves vectors.

#include "engine/kernels/tile/tile_size.h"
#include "engine/quant/quant_type.h"

namespace alcove {
namespace {

/// Where the rows of a tile are.
struct TileRows {
    const std::uint8_t* lane[kQuads]; ///< rows 0, 4, 8, 12
    std::size_t stride;               ///< bytes between rows
    Vi row_offset;                    ///< row * stride per lane, for gathers
};

ALCOVE_INLINE TileRows tile_rows(const std::uint8_t* first, std::size_t stride) {
    TileRows rows;
    for (int lane = 0; lane < kQuads; ++lane)
        rows.lane[lane] = first + static_cast<std::size_t>(4 * lane) * stride;
    rows.stride = stride;
    rows.row_offset = i_mul(i_lane_numbers(), i_set1(static_cast<std::int32_t>(stride)));
    return rows;
}

struct Codes {
    Vi v[4];
};

ALCOVE_INLINE Codes load_codes(const TileRows& rows, std::size_t at) {
    Codes c;
    for (std::size_t j = 0; j < 4; ++j)
        c.v[j] = i_load_lanes(rows.lane, at + j * rows.stride);
    return c;
}
ALCOVE_INLINE Vi gather(const TileRows& rows, std::size_t at) {
    return i_gather(rows.lane[0] + at, rows.row_offset);
}
ALCOVE_INLINE Codes low_nibbles(const Codes& c) {
    Codes out;
    for (int j = 0; j < 4; ++j)
        out.v[j] = i_and(c.v[j], i_set1_8(15));
    return out;
}
ALCOVE_INLINE Codes high_nibbles(const Codes& c) {
    Codes out;
    for (int j = 0; j < 4; ++j)
        out.v[j] = i_and(i_shr16<4>(c.v[j]), i_set1_8(15));
    return out;
}

/// Adds bit i of each row's dword of `bits` as 16 to code i of its 32.
ALCOVE_INLINE void add_fifth_bits(Vi bits, Codes& lo, Codes& hi) {
    const Vi bit = i_bytes16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    const Vi pick = i_bytes16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    for (int j = 0; j < 4; ++j) {
        const Vi low = i_pick(bits, i_add_8(pick, i_set1_8(4 * j)));
        const Vi high = i_pick(bits, i_add_8(pick, i_set1_8(4 * j + 2)));
        lo.v[j] = i_or(lo.v[j], i_where_bit(low, bit, i_set1_8(16)));
        hi.v[j] = i_or(hi.v[j], i_where_bit(high, bit, i_set1_8(16)));
    }
}

struct TileQ4_0 {
    static constexpr std::size_t kBlock = 32, kBytes = 18;
    static constexpr int kHalves = 1, kCorrShift = 4;
    static constexpr bool kOffset = false, kWide = false;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Codes packed = load_codes(rows, at + 2);
        const Vf scale[1] = {f16_low(gather(rows, at))};
        sink.template group<TileQ4_0>(g, low_nibbles(packed), high_nibbles(packed), scale, nullptr);
    }
};

struct TileQ4_1 {
    static constexpr std::size_t kBlock = 32, kBytes = 20;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = true, kWide = false;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Codes packed = load_codes(rows, at + 4);
        const Vi halves = gather(rows, at);
        const Vf scale[1] = {f16_low(halves)}, offset[1] = {f16_high(halves)};
        sink.template group<TileQ4_1>(g, low_nibbles(packed), high_nibbles(packed), scale, offset);
    }
};

struct TileQ5_0 {
    static constexpr std::size_t kBlock = 32, kBytes = 22;
    static constexpr int kHalves = 1, kCorrShift = 3;
    static constexpr bool kOffset = false, kWide = false;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Codes packed = load_codes(rows, at + 6);
        Codes lo = low_nibbles(packed), hi = high_nibbles(packed);
        add_fifth_bits(gather(rows, at + 2), lo, hi);
        const Vf scale[1] = {f16_low(gather(rows, at))};
        sink.template group<TileQ5_0>(g, lo, hi, scale, nullptr);
    }
};

struct TileQ5_1 {
    static constexpr std::size_t kBlock = 32, kBytes = 24;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = true, kWide = false;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Codes packed = load_codes(rows, at + 8);
        Codes lo = low_nibbles(packed), hi = high_nibbles(packed);
        add_fifth_bits(gather(rows, at + 4), lo, hi);
        const Vi halves = gather(rows, at);
        const Vf scale[1] = {f16_low(halves)}, offset[1] = {f16_high(halves)};
        sink.template group<TileQ5_1>(g, lo, hi, scale, offset);
    }
};

struct TileQ8_0 {
    static constexpr std::size_t kBlock = 32, kBytes = 34;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = false, kWide = true;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        Codes lo = load_codes(rows, at + 2), hi = load_codes(rows, at + 18);
        for (int j = 0; j < 4; ++j) {
            lo.v[j] = wide_code(lo.v[j]);
            hi.v[j] = wide_code(hi.v[j]);
        }
        const Vf scale[1] = {f16_low(gather(rows, at))};
        sink.template group<TileQ8_0>(g, lo, hi, scale, nullptr);
    }
};

/// The six-bit scales and minima of Q4_K and Q5_K, 12 bytes per row in three dwords.
struct KScales {
    Vi dword[3];
    Vf d, minus_dmin;
};
ALCOVE_INLINE KScales load_k_scales(const TileRows& rows, std::size_t at) {
    const Vi halves = gather(rows, at);
    return {{gather(rows, at + 4), gather(rows, at + 8), gather(rows, at + 12)},
            f16_low(halves),
            f_sub(f_zero(), f16_high(halves))};
}
template <int j> ALCOVE_INLINE void k_scale(const KScales& s, Vf& scale, Vf& offset) {
    Vi sc, mn;
    if constexpr (j < 4) {
        sc = i_and(i_shr32<8 * j>(s.dword[0]), i_set1(63));
        mn = i_and(i_shr32<8 * j>(s.dword[1]), i_set1(63));
    } else {
        constexpr int k = j - 4;
        sc = i_or(i_and(i_shr32<8 * k>(s.dword[2]), i_set1(15)),
                  i_and(i_shr32<8 * k + 2>(s.dword[0]), i_set1(48)));
        mn = i_or(i_and(i_shr32<8 * k + 4>(s.dword[2]), i_set1(15)),
                  i_and(i_shr32<8 * k + 2>(s.dword[1]), i_set1(48)));
    }
    scale = f_mul(s.d, i_to_f(sc));
    offset = f_mul(s.minus_dmin, i_to_f(mn));
}

struct TileQ4_K {
    static constexpr std::size_t kBlock = 256, kBytes = 144;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = true, kWide = false;
    template <int c, typename Sink>
    static ALCOVE_INLINE void read_pair(const TileRows& rows, std::size_t at, std::size_t g,
                                        const KScales& scales, Sink& sink) {
        const Codes first = load_codes(rows, at + 16 + 32 * c);
        const Codes second = load_codes(rows, at + 32 + 32 * c);
        Vf scale[1], offset[1];
        k_scale<2 * c>(scales, scale[0], offset[0]);
        sink.template group<TileQ4_K>(g + 2 * c, low_nibbles(first), low_nibbles(second), scale,
                                      offset);
        k_scale<2 * c + 1>(scales, scale[0], offset[0]);
        sink.template group<TileQ4_K>(g + 2 * c + 1, high_nibbles(first), high_nibbles(second),
                                      scale, offset);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const KScales scales = load_k_scales(rows, at);
        read_pair<0>(rows, at, g, scales, sink);
        read_pair<1>(rows, at, g, scales, sink);
        read_pair<2>(rows, at, g, scales, sink);
        read_pair<3>(rows, at, g, scales, sink);
    }
};

/// code | bit `bit` of each byte of `high`, as 16.
template <int bit> ALCOVE_INLINE Codes with_fifth_bit(const Codes& code, const Codes& high) {
    Codes out;
    for (int j = 0; j < 4; ++j) {
        Vi moved = high.v[j];
        if constexpr (bit < 4)
            moved = i_shl16<4 - bit>(moved);
        else if constexpr (bit > 4)
            moved = i_shr16<bit - 4>(moved);
        out.v[j] = i_or(code.v[j], i_and(moved, i_set1_8(16)));
    }
    return out;
}

struct TileQ5_K {
    static constexpr std::size_t kBlock = 256, kBytes = 176;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = true, kWide = false;
    template <int c, typename Sink>
    static ALCOVE_INLINE void read_pair(const TileRows& rows, std::size_t at, std::size_t g,
                                        const KScales& scales, Sink& sink) {
        const Codes first = load_codes(rows, at + 48 + 32 * c);
        const Codes second = load_codes(rows, at + 64 + 32 * c);
        const Codes high1 = load_codes(rows, at + 16), high2 = load_codes(rows, at + 32);
        Vf scale[1], offset[1];
        k_scale<2 * c>(scales, scale[0], offset[0]);
        sink.template group<TileQ5_K>(g + 2 * c, with_fifth_bit<2 * c>(low_nibbles(first), high1),
                                      with_fifth_bit<2 * c>(low_nibbles(second), high2), scale,
                                      offset);
        k_scale<2 * c + 1>(scales, scale[0], offset[0]);
        sink.template group<TileQ5_K>(
            g + 2 * c + 1, with_fifth_bit<2 * c + 1>(high_nibbles(first), high1),
            with_fifth_bit<2 * c + 1>(high_nibbles(second), high2), scale, offset);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const KScales scales = load_k_scales(rows, at);
        read_pair<0>(rows, at, g, scales, sink);
        read_pair<1>(rows, at, g, scales, sink);
        read_pair<2>(rows, at, g, scales, sink);
        read_pair<3>(rows, at, g, scales, sink);
    }
};

struct TileQ6_K {
    static constexpr std::size_t kBlock = 256, kBytes = 210;
    static constexpr int kHalves = 2, kCorrShift = 2;
    static constexpr bool kOffset = false, kWide = false;

    /// nibble | bits 2k, 2k+1 of high << 4.
    template <int k> static ALCOVE_INLINE Codes join(const Codes& low, const Codes& high) {
        Codes out = k < 2 ? low_nibbles(low) : high_nibbles(low);
        for (int j = 0; j < 4; ++j) {
            Vi moved = high.v[j];
            if constexpr (k < 2)
                moved = i_shl16<4 - 2 * k>(moved);
            else if constexpr (k > 2)
                moved = i_shr16<2 * k - 4>(moved);
            out.v[j] = i_or(out.v[j], i_and(moved, i_set1_8(48)));
        }
        return out;
    }
    /// Scale byte `b` of the dword, times d.
    template <int b> static ALCOVE_INLINE Vf scale_of(Vi dword, Vf d) {
        return f_mul(d, i_to_f(i_sar32<24>(i_shl32<24 - 8 * b>(dword))));
    }
    template <int half, int k, typename Sink>
    static ALCOVE_INLINE void read_group(const TileRows& rows, std::size_t at, std::size_t g, Vf d,
                                         const Codes& low1, const Codes& low2, Sink& sink) {
        const Codes high1 = load_codes(rows, at + 128 + 32 * half);
        const Codes high2 = load_codes(rows, at + 144 + 32 * half);
        // scales 8 half + 2 k and the one after it
        const Vi dword = gather(rows, at + 192 + 8 * half + 4 * (k / 2));
        const Vf scale[2] = {scale_of<2 * (k % 2)>(dword, d), scale_of<2 * (k % 2) + 1>(dword, d)};
        sink.template group<TileQ6_K>(g + 4 * half + k, join<k>(low1, high1), join<k>(low2, high2),
                                      scale, nullptr);
    }
    template <int half, typename Sink>
    static ALCOVE_INLINE void read_half(const TileRows& rows, std::size_t at, std::size_t g, Vf d,
                                        Sink& sink) {
        Codes low1 = load_codes(rows, at + 64 * half), low2 = load_codes(rows, at + 64 * half + 16);
        read_group<half, 0>(rows, at, g, d, low1, low2, sink);
        read_group<half, 2>(rows, at, g, d, low1, low2, sink);
        low1 = load_codes(rows, at + 64 * half + 32);
        low2 = load_codes(rows, at + 64 * half + 48);
        read_group<half, 1>(rows, at, g, d, low1, low2, sink);
        read_group<half, 3>(rows, at, g, d, low1, low2, sink);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vf d = f16_high(gather(rows, at + 206)); // the dword that ends with the block
        read_half<0>(rows, at, g, d, sink);
        read_half<1>(rows, at, g, d, sink);
    }
};

/// Hands `n` weights of each row of a tile to the sink, groups numbered from g0. `ahead`: bytes
/// from a place in the tile to what is read after the tile, fetched early; 0 for nothing.
template <typename Type, typename Sink>
ALCOVE_INLINE void read_tile(const std::uint8_t* first, std::size_t stride, std::size_t n,
                             std::size_t g0, std::size_t ahead, Sink& sink) {
    const TileRows rows = tile_rows(first, stride);
    constexpr std::size_t kBytesPerStep = Type::kBytes * kWidth;
    const std::uint8_t* next = first + ahead;
    for (std::size_t b = 0; b < n / Type::kBlock; ++b) {
        if (ahead != 0)
            for (std::size_t line = 0; line < kBytesPerStep; line += 64)
                prefetch(next + b * kBytesPerStep + line);
        Type::read(rows, b * Type::kBytes, g0 + b * (Type::kBlock / 32), sink);
    }
}

/// Rows that do not fill a tile, copied into one; the missing ones are zero bytes.
template <typename Type> struct ShortTile {
    static constexpr std::size_t kStride =
        kTileWeights / Type::kBlock * Type::kBytes + 16; // + 16: no power of two
    alignas(64) std::uint8_t bytes[kWidth * kStride];

    void fill(const std::uint8_t* first, std::size_t stride, std::size_t n_rows, std::size_t n) {
        const std::size_t count = n / Type::kBlock * Type::kBytes;
        for (std::size_t r = 0; r < kWidth; ++r) {
            if (r < n_rows)
                __builtin_memcpy(bytes + r * kStride, first + r * stride, count);
            else
                __builtin_memset(bytes + r * kStride, 0, count);
        }
    }
};

} // namespace
} // namespace alcove
