// Tile types of two values or three (four can be stored): Q1_0, Q2_0, PQ2, PTQ1, TQ1_0. Their codes
// are weight + 1. Included by tile_types.inl.

namespace alcove {
namespace {

/// Sixteen two-bit codes of each row, whose dword of `packed` holds them, the first in its lowest
/// bits.
ALCOVE_INLINE Codes expand_quarters(Vi packed) {
    const Vi byte = i_bytes16(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    // A code stays where it lies in its nibble, as c or 4 c, and a table tells which.
    const Vi low = i_bytes16(3, 12, 0, 0, 3, 12, 0, 0, 3, 12, 0, 0, 3, 12, 0, 0);
    const Vi high = i_bytes16(0, 0, 3, 12, 0, 0, 3, 12, 0, 0, 3, 12, 0, 0, 3, 12);
    const Vi code = i_bytes16(0, 1, 2, 3, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0);
    Codes out;
    for (int j = 0; j < 4; ++j) {
        const Vi four = i_pick(packed, i_add_8(byte, i_set1_8(4 * j)));
        out.v[j] = i_pick(code, i_or(i_and(four, low), i_and(i_shr16<4>(four), high)));
    }
    return out;
}

/// Two-bit codes in their order behind the scale.
template <std::size_t n_weights> struct TileQuarters {
    static constexpr std::size_t kBlock = n_weights, kBytes = 2 + n_weights / 4;
    static constexpr int kHalves = 1, kCorrShift = 7;
    static constexpr bool kOffset = false, kWide = false;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vf d[1] = {f16_low(gather(rows, at))};
        for (std::size_t i = 0; i < kBlock / 32; ++i)
            sink.template group<TileQuarters>(g + i, expand_quarters(gather(rows, at + 2 + 8 * i)),
                                              expand_quarters(gather(rows, at + 6 + 8 * i)), d,
                                              nullptr);
    }
};
using TileQ2_0 = TileQuarters<64>;
using TilePQ2 = TileQuarters<128>;

struct TileQ1_0 {
    static constexpr std::size_t kBlock = 128, kBytes = 18;
    static constexpr int kHalves = 1, kCorrShift = 7;
    static constexpr bool kOffset = false, kWide = false;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vf d[1] = {f16_low(gather(rows, at))};
        const Vi bit = i_bytes16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
        const Vi byte = i_bytes16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
        for (std::size_t i = 0; i < 4; ++i) {
            const Vi bits = gather(rows, at + 2 + 4 * i);
            Codes lo, hi;
            for (int j = 0; j < 4; ++j) {
                const Vi low = i_pick(bits, i_add_8(byte, i_set1_8(4 * j)));
                const Vi high = i_pick(bits, i_add_8(byte, i_set1_8(4 * j + 2)));
                lo.v[j] = i_where_bit(low, bit, i_set1_8(2));
                hi.v[j] = i_where_bit(high, bit, i_set1_8(2));
            }
            sink.template group<TileQ1_0>(g + i, lo, hi, d, nullptr);
        }
    }
};

// Base-3 bytes: a byte is a fraction of 256, its first digit says in which third it lies, and three
// times the byte (modulo 256) begins with the next digit.

ALCOVE_INLINE Vi times3(Vi v) {
    return i_add_8(i_add_8(v, v), v);
}
ALCOVE_INLINE Codes times3(const Codes& c) {
    Codes out;
    for (int j = 0; j < 4; ++j)
        out.v[j] = times3(c.v[j]);
    return out;
}
ALCOVE_INLINE Codes first_digits(const Codes& c) {
    Codes out;
    for (int j = 0; j < 4; ++j)
        out.v[j] = i_add_8(i_where_ge_u8(c.v[j], i_set1_8(86), i_set1_8(1)),
                           i_where_ge_u8(c.v[j], i_set1_8(171), i_set1_8(1)));
    return out;
}

struct TileTQ1_0 {
    static constexpr std::size_t kBlock = 256, kBytes = 54;
    static constexpr int kHalves = 1, kCorrShift = 7;
    static constexpr bool kOffset = false, kWide = false;

    /// Weights 240-255: the four digits of each row's four bytes.
    static ALCOVE_INLINE Codes last_digits(Vi bytes) {
        const Vi each = i_bytes16(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
        const Vi upper = i_bytes16(0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1);
        const Vi odd = i_bytes16(0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1);
        Codes out;
        for (int j = 0; j < 4; ++j) {
            // v + 2 v and v + 8 v only where the mask lets them in
            Vi v = i_pick(bytes, i_add_8(each, i_set1_8(4 * j)));
            v = i_add_8(v, i_and(i_add_8(v, v), odd));
            const Vi twice = i_add_8(v, v), four = i_add_8(twice, twice);
            out.v[j] = i_add_8(v, i_and(i_add_8(four, four), upper));
        }
        return first_digits(out);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vf d[1] = {f16_high(gather(rows, at + 50))};
        Codes a = load_codes(rows, at), b = load_codes(rows, at + 16);
        for (std::size_t n = 0; n < 5; ++n) {
            sink.template group<TileTQ1_0>(g + n, first_digits(a), first_digits(b), d, nullptr);
            a = times3(a);
            b = times3(b);
        }
        Codes c = load_codes(rows, at + 32);
        for (std::size_t n = 0; n < 2; ++n) {
            const Codes next = times3(c);
            sink.template group<TileTQ1_0>(g + 5 + n, first_digits(c), first_digits(next), d,
                                           nullptr);
            c = times3(next);
        }
        sink.template group<TileTQ1_0>(g + 7, first_digits(c), last_digits(gather(rows, at + 48)),
                                       d, nullptr);
    }
};

struct TilePTQ1 {
    static constexpr std::size_t kBlock = 128, kBytes = 28;
    static constexpr int kHalves = 1, kCorrShift = 7;
    static constexpr bool kOffset = false, kWide = false;

    /// Of the block's last 16 bytes (the eight bytes at 4 hold five digits): their digits n and
    /// n + 1 lie ahead.
    static ALCOVE_INLINE Codes middle(const Codes& tail) {
        const Vi each = i_bytes16(4, 5, 6, 7, 8, 9, 10, 11, 4, 5, 6, 7, 8, 9, 10, 11);
        const Vi upper = i_bytes16(0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1);
        Codes out;
        for (int j = 0; j < 4; ++j) {
            const Vi v = i_pick(tail.v[j], each);
            out.v[j] = i_add_8(v, i_and(i_add_8(v, v), upper));
        }
        return out;
    }
    /// Weights 112-127: the last digit of those eight bytes, and the four of the two after them.
    static ALCOVE_INLINE Codes last(const Codes& tail) {
        const Vi each = i_bytes16(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 12, 13, 12, 13, 12, 13);
        const Vi by3 = i_bytes16(-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1);
        const Vi by9 = i_bytes16(-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1);
        const Vi by3_more = i_bytes16(-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0);
        Codes out;
        for (int j = 0; j < 4; ++j) {
            Vi v = i_pick(tail.v[j], each);
            v = i_add_8(v, i_and(i_add_8(v, v), by3));
            const Vi twice = i_add_8(v, v), four = i_add_8(twice, twice);
            v = i_add_8(v, i_and(i_add_8(four, four), by9));
            out.v[j] = i_add_8(v, i_and(i_add_8(v, v), by3_more));
        }
        return first_digits(out);
    }
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        const Vf d[1] = {f16_high(gather(rows, at + 24))};
        Codes a = load_codes(rows, at);
        const Codes tail = load_codes(rows, at + 12);
        for (std::size_t n = 0; n < 2; ++n) {
            const Codes next = times3(a);
            sink.template group<TilePTQ1>(g + n, first_digits(a), first_digits(next), d, nullptr);
            a = times3(next);
        }
        const Codes b = middle(tail);
        sink.template group<TilePTQ1>(g + 2, first_digits(a), first_digits(b), d, nullptr);
        sink.template group<TilePTQ1>(g + 3, first_digits(times3(times3(b))), last(tail), d,
                                      nullptr);
    }
};

} // namespace
} // namespace alcove
