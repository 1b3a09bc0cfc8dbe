// What both vector widths share. Included by simd/avx2.h and simd/avx512.h only.

namespace alcove {
namespace {

/// exp(x), within 2e-7 relative; 0 below -104, infinity from 88.73 on, not-a-number stays.
/// x = n ln 2 + r with |r| <= ln 2 / 2; exp(r) by a minimax polynomial (Cephes, expf).
ALCOVE_INLINE Vf f_exp(Vf x) {
    x = f_min(f_set1(89.0F), f_max(f_set1(-104.0F), x)); // this order keeps not-a-number
    const Vf n = f_round(f_mul(x, f_set1(1.44269504088896341F)));
    Vf r = f_fnma(n, f_set1(0.693359375F), x); // ln 2 in two parts, the first exact in 10 bits
    r = f_fnma(n, f_set1(-2.12194440e-4F), r);
    Vf p = f_set1(1.9875691500e-4F);
    p = f_fma(p, r, f_set1(1.3981999507e-3F));
    p = f_fma(p, r, f_set1(8.3334519073e-3F));
    p = f_fma(p, r, f_set1(4.1665795894e-2F));
    p = f_fma(p, r, f_set1(1.6666665459e-1F));
    p = f_fma(p, r, f_set1(5.0000001201e-1F));
    p = f_fma(f_mul(p, r), r, r);
    return f_scale_pow2(f_add(p, f_set1(1.0F)), n);
}

/// Four vectors of dwords, 4x4 within each 128-bit lane, transposed.
ALCOVE_INLINE void i_transpose4(Vi v[4]) {
    const Vi a = i_unpack_lo32(v[0], v[1]), b = i_unpack_lo32(v[2], v[3]);
    const Vi c = i_unpack_hi32(v[0], v[1]), d = i_unpack_hi32(v[2], v[3]);
    v[0] = i_unpack_lo64(a, b);
    v[1] = i_unpack_hi64(a, b);
    v[2] = i_unpack_lo64(c, d);
    v[3] = i_unpack_hi64(c, d);
}

/// Dword j of each 128-bit lane: the sum of that lane's four dwords of v[j].
ALCOVE_INLINE Vi i_sum_lanes4(const Vi v[4]) {
    const Vi a = i_add(i_unpack_lo32(v[0], v[1]), i_unpack_hi32(v[0], v[1]));
    const Vi b = i_add(i_unpack_lo32(v[2], v[3]), i_unpack_hi32(v[2], v[3]));
    return i_add(i_unpack_lo64(a, b), i_unpack_hi64(a, b));
}

} // namespace
} // namespace alcove
