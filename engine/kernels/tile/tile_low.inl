// Tile types of four bits and fewer that have no codebook of points: Q2_K, Q3_K, TQ2_0, IQ4_NL,
// IQ4_XS, MXFP4. Included by tile_types.inl.

#include "engine/quant/unpack.h"

namespace alcove {
namespace {

/// Bits 2k, 2k+1 of each byte.
template <int k> ALCOVE_INLINE Codes two_bit_plane(const Codes& c) {
    Codes out;
    for (int j = 0; j < 4; ++j)
        out.v[j] = i_and(i_shr16<2 * k>(c.v[j]), i_set1_8(3));
    return out;
}
/// Code + bit `bit` of each byte of `high`, as 4.
template <int bit> ALCOVE_INLINE Codes with_third_bit(const Codes& code, const Codes& high) {
    Codes out;
    for (int j = 0; j < 4; ++j) {
        Vi moved = high.v[j];
        if constexpr (bit < 2)
            moved = i_shl16<2 - bit>(moved);
        else if constexpr (bit > 2)
            moved = i_shr16<bit - 2>(moved);
        out.v[j] = i_or(code.v[j], i_and(moved, i_set1_8(4)));
    }
    return out;
}

struct TileQ2_K {
    static constexpr std::size_t kBlock = 256, kBytes = 84;
    static constexpr int kHalves = 2, kCorrShift = 0;
    static constexpr bool kOffset = true, kWide = false;

    template <int byte>
    static ALCOVE_INLINE void scale_of(Vi dword, Vf d, Vf minus_dmin, Vf& scale, Vf& offset) {
        scale = f_mul(d, i_to_f(i_and(i_shr32<8 * byte>(dword), i_set1(15))));
        offset = f_mul(minus_dmin, i_to_f(i_and(i_shr32<8 * byte + 4>(dword), i_set1(15))));
    }
    template <int half, int k, typename Sink>
    static ALCOVE_INLINE void read_plane(const TileRows& rows, std::size_t at, std::size_t g, Vf d,
                                         Vf minus_dmin, const Codes& first, const Codes& second,
                                         Sink& sink) {
        const Vi dword = gather(rows, at + 8 * half + 4 * (k / 2));
        Vf scale[2], offset[2];
        scale_of<2 * (k % 2)>(dword, d, minus_dmin, scale[0], offset[0]);
        scale_of<2 * (k % 2) + 1>(dword, d, minus_dmin, scale[1], offset[1]);
        sink.template group<TileQ2_K>(g + 4 * half + k, two_bit_plane<k>(first),
                                      two_bit_plane<k>(second), scale, offset);
    }
    template <int half, typename Sink>
    static ALCOVE_INLINE void read_half(const TileRows& rows, std::size_t at, std::size_t g, Vf d,
                                        Vf minus_dmin, Sink& sink) {
        const Codes first = load_codes(rows, at + 16 + 32 * half);
        const Codes second = load_codes(rows, at + 32 + 32 * half);
        read_plane<half, 0>(rows, at, g, d, minus_dmin, first, second, sink);
        read_plane<half, 1>(rows, at, g, d, minus_dmin, first, second, sink);
        read_plane<half, 2>(rows, at, g, d, minus_dmin, first, second, sink);
        read_plane<half, 3>(rows, at, g, d, minus_dmin, first, second, sink);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vi halves = gather(rows, at + 80);
        const Vf d = f16_low(halves), minus_dmin = f_sub(f_zero(), f16_high(halves));
        read_half<0>(rows, at, g, d, minus_dmin, sink);
        read_half<1>(rows, at, g, d, minus_dmin, sink);
    }
};

struct TileQ3_K {
    static constexpr std::size_t kBlock = 256, kBytes = 110;
    static constexpr int kHalves = 2, kCorrShift = 5;
    static constexpr bool kOffset = false, kWide = false;

    struct Scales {
        Vi dword[3];
        Vf d;
    };
    template <int j> static ALCOVE_INLINE Vf scale_of(const Scales& s) {
        const Vi low = i_and(i_shr32<8 * (j % 4) + 4 * (j / 8)>(s.dword[j / 4 % 2]), i_set1(15));
        const Vi high = i_and(i_shr32<8 * (j % 4) + 2 * (j / 4)>(s.dword[2]), i_set1(3));
        return f_mul(s.d, i_to_f(i_add(i_or(low, i_shl32<4>(high)), i_set1(-32))));
    }
    template <int half, int k, typename Sink>
    static ALCOVE_INLINE void read_plane(const TileRows& rows, std::size_t at, std::size_t g,
                                         const Scales& s, const Codes& first, const Codes& second,
                                         Sink& sink) {
        const Codes high1 = load_codes(rows, at), high2 = load_codes(rows, at + 16);
        const Vf scale[2] = {scale_of<8 * half + 2 * k>(s), scale_of<8 * half + 2 * k + 1>(s)};
        sink.template group<TileQ3_K>(
            g + 4 * half + k, with_third_bit<4 * half + k>(two_bit_plane<k>(first), high1),
            with_third_bit<4 * half + k>(two_bit_plane<k>(second), high2), scale, nullptr);
    }
    template <int half, typename Sink>
    static ALCOVE_INLINE void read_half(const TileRows& rows, std::size_t at, std::size_t g,
                                        const Scales& s, Sink& sink) {
        const Codes first = load_codes(rows, at + 32 + 32 * half);
        const Codes second = load_codes(rows, at + 48 + 32 * half);
        read_plane<half, 0>(rows, at, g, s, first, second, sink);
        read_plane<half, 1>(rows, at, g, s, first, second, sink);
        read_plane<half, 2>(rows, at, g, s, first, second, sink);
        read_plane<half, 3>(rows, at, g, s, first, second, sink);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Scales s = {{gather(rows, at + 96), gather(rows, at + 100), gather(rows, at + 104)},
                          f16_high(gather(rows, at + 106))};
        read_half<0>(rows, at, g, s, sink);
        read_half<1>(rows, at, g, s, sink);
    }
};

struct TileTQ2_0 {
    static constexpr std::size_t kBlock = 256, kBytes = 66;
    static constexpr int kHalves = 1, kCorrShift = 7;
    static constexpr bool kOffset = false, kWide = false;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vf d[1] = {f16_high(gather(rows, at + 62))};
        for (std::size_t half = 0; half < 2; ++half) {
            const Codes first = load_codes(rows, at + 32 * half);
            const Codes second = load_codes(rows, at + 32 * half + 16);
            const std::size_t at_group = g + 4 * half;
            sink.template group<TileTQ2_0>(at_group, two_bit_plane<0>(first),
                                           two_bit_plane<0>(second), d, nullptr);
            sink.template group<TileTQ2_0>(at_group + 1, two_bit_plane<1>(first),
                                           two_bit_plane<1>(second), d, nullptr);
            sink.template group<TileTQ2_0>(at_group + 2, two_bit_plane<2>(first),
                                           two_bit_plane<2>(second), d, nullptr);
            sink.template group<TileTQ2_0>(at_group + 3, two_bit_plane<3>(first),
                                           two_bit_plane<3>(second), d, nullptr);
        }
    }
};

/// Nibbles to the int8 values of a table, as wide codes.
ALCOVE_INLINE Codes look_up(const Codes& nibbles, const std::int8_t* values) {
    const Vi table = wide_code(i_broadcast16(values));
    Codes out;
    for (int j = 0; j < 4; ++j)
        out.v[j] = i_pick(table, nibbles.v[j]);
    return out;
}

struct TileIQ4_NL {
    static constexpr std::size_t kBlock = 32, kBytes = 18;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = false, kWide = true;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Codes packed = load_codes(rows, at + 2);
        const Vf scale[1] = {f16_low(gather(rows, at))};
        sink.template group<TileIQ4_NL>(g, look_up(low_nibbles(packed), kIq4Values),
                                        look_up(high_nibbles(packed), kIq4Values), scale, nullptr);
    }
};

struct TileIQ4_XS {
    static constexpr std::size_t kBlock = 256, kBytes = 136;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = false, kWide = true;
    template <int j, typename Sink>
    static ALCOVE_INLINE void read_group(const TileRows& rows, std::size_t at, std::size_t g,
                                         Vi head, Vi low, Vf d, Sink& sink) {
        const Vi sc = i_or(i_and(i_shr32<4 * j>(low), i_set1(15)),
                           i_shl32<4>(i_and(i_shr32<16 + 2 * j>(head), i_set1(3))));
        const Vf scale[1] = {f_mul(d, i_to_f(i_add(sc, i_set1(-32))))};
        const Codes packed = load_codes(rows, at + 8 + 16 * j);
        sink.template group<TileIQ4_XS>(g + j, look_up(low_nibbles(packed), kIq4Values),
                                        look_up(high_nibbles(packed), kIq4Values), scale, nullptr);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vi head = gather(rows, at), low = gather(rows, at + 4);
        const Vf d = f16_low(head);
        read_group<0>(rows, at, g, head, low, d, sink);
        read_group<1>(rows, at, g, head, low, d, sink);
        read_group<2>(rows, at, g, head, low, d, sink);
        read_group<3>(rows, at, g, head, low, d, sink);
        read_group<4>(rows, at, g, head, low, d, sink);
        read_group<5>(rows, at, g, head, low, d, sink);
        read_group<6>(rows, at, g, head, low, d, sink);
        read_group<7>(rows, at, g, head, low, d, sink);
    }
};

struct TileMXFP4 {
    static constexpr std::size_t kBlock = 32, kBytes = 17;
    static constexpr int kHalves = 1, kCorrShift = 0;
    static constexpr bool kOffset = false, kWide = true;
    /// 2^(e - 128): a normal number from e = 2 on.
    static ALCOVE_INLINE Vf scale_of(Vi e) {
        const Vf normal = i_as_f(i_shl32<23>(i_add(e, i_set1(-1))));
        const Vf subnormal = i_as_f(i_mul(i_add(e, i_set1(1)), i_set1(0x00200000)));
        return f_select_ge(e, i_set1(2), normal, subnormal);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Codes packed = load_codes(rows, at + 1);
        const Vf scale[1] = {scale_of(i_and(gather(rows, at), i_set1(255)))};
        sink.template group<TileMXFP4>(g, look_up(low_nibbles(packed), kFp4Values),
                                       look_up(high_nibbles(packed), kFp4Values), scale, nullptr);
    }
};

} // namespace
} // namespace alcove
