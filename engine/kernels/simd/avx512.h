#pragma once

// Vectors of 512 bits for the files of the AVX-512 sets (F, BW, DQ, VL; with VNNI where the file is
// compiled for it). simd/avx2.h has the same names: the *.inl files are written once for both.
// Everything is in an anonymous namespace and always inlined, so that nothing compiled here can be
// linked into code that runs on other processors. For the same reason these files use no std::
// function templates.

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

#define ALCOVE_INLINE inline __attribute__((always_inline))
#define ALCOVE_LAMBDA_INLINE __attribute__((always_inline))
/// Before a loop with few, constant steps over registers: an array that is indexed by a variable
/// lives in memory.
#if defined(__clang__)
#define ALCOVE_UNROLL _Pragma("unroll")
#else
#define ALCOVE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace alcove {
namespace {

using Vf = __m512;  ///< floats
using Vi = __m512i; ///< integers of any width

constexpr int kWidth = 16;         ///< floats per vector
constexpr int kQuads = kWidth / 4; ///< 128-bit lanes

// Tiling of the inner loops, by the 32 registers.
constexpr int kProductRowVectors = 2, kProductTokens = 6; ///< integer matrix product
constexpr int kFloatRows = 4, kFloatTokens = 6;           ///< float matrix product
constexpr int kLaneVectors = 4;   ///< attention: vectors of query lanes, at most
constexpr int kDecodeVectors = 4; ///< attention of one row: vectors of a value summed at once
constexpr int kLaneTile = 6;      ///< attention: positions or dimensions per inner loop

// ---- floats

ALCOVE_INLINE Vf f_zero() {
    return _mm512_setzero_ps();
}
ALCOVE_INLINE Vf f_set1(float x) {
    return _mm512_set1_ps(x);
}
ALCOVE_INLINE Vf f_load(const float* p) {
    return _mm512_loadu_ps(p);
}
ALCOVE_INLINE void f_store(float* p, Vf v) {
    _mm512_storeu_ps(p, v);
}
ALCOVE_INLINE __mmask16 first_lanes(std::size_t n) {
    return static_cast<__mmask16>((1U << n) - 1U);
}
/// The first n < kWidth floats, zeros after them; nothing else is touched.
ALCOVE_INLINE Vf f_load_n(const float* p, std::size_t n) {
    return _mm512_maskz_loadu_ps(first_lanes(n), p);
}
ALCOVE_INLINE void f_store_n(float* p, Vf v, std::size_t n) {
    _mm512_mask_storeu_ps(p, first_lanes(n), v);
}
ALCOVE_INLINE Vf f_add(Vf a, Vf b) {
    return _mm512_add_ps(a, b);
}
ALCOVE_INLINE Vf f_sub(Vf a, Vf b) {
    return _mm512_sub_ps(a, b);
}
ALCOVE_INLINE Vf f_mul(Vf a, Vf b) {
    return _mm512_mul_ps(a, b);
}
ALCOVE_INLINE Vf f_div(Vf a, Vf b) {
    return _mm512_div_ps(a, b);
}
ALCOVE_INLINE Vf f_fma(Vf a, Vf b, Vf c) {
    return _mm512_fmadd_ps(a, b, c);
} ///< a * b + c
ALCOVE_INLINE Vf f_fnma(Vf a, Vf b, Vf c) {
    return _mm512_fnmadd_ps(a, b, c);
} ///< c - a * b
/// The larger; b where one of them is not a number.
ALCOVE_INLINE Vf f_max(Vf a, Vf b) {
    return _mm512_max_ps(a, b);
}
ALCOVE_INLINE Vf f_min(Vf a, Vf b) {
    return _mm512_min_ps(a, b);
}
ALCOVE_INLINE Vf f_abs(Vf a) {
    return _mm512_abs_ps(a);
}
ALCOVE_INLINE Vf f_round(Vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/// a * 2^n for whole n in [-150, 129].
ALCOVE_INLINE Vf f_scale_pow2(Vf a, Vf n) {
    return _mm512_scalef_ps(a, n);
}
ALCOVE_INLINE float f_reduce_add(Vf v) {
    return _mm512_reduce_add_ps(v);
}
ALCOVE_INLINE float f_reduce_max(Vf v) {
    return _mm512_reduce_max_ps(v);
}
ALCOVE_INLINE bool f_any_nan(Vf v) {
    return _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q) != 0;
}

/// Lane i: the sum of v[i]'s lanes.
ALCOVE_INLINE Vf f_reduce_each(const Vf v[kWidth]) {
    Vf quad[4]; // quad[k]: 128-bit lane L holds the sums of v[4k + 0..3] over their lane L
    for (int k = 0; k < 4; ++k) {
        const Vf* in = v + 4 * k;
        const Vf a =
            _mm512_add_ps(_mm512_unpacklo_ps(in[0], in[1]), _mm512_unpackhi_ps(in[0], in[1]));
        const Vf b =
            _mm512_add_ps(_mm512_unpacklo_ps(in[2], in[3]), _mm512_unpackhi_ps(in[2], in[3]));
        quad[k] = _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xEE));
    }
    const auto halves = [](Vf a, Vf b) ALCOVE_LAMBDA_INLINE {
        return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xDD));
    };
    return halves(halves(quad[0], quad[1]), halves(quad[2], quad[3]));
}
/// The binary16 at p in every lane.
ALCOVE_INLINE Vf f_set1_f16(const void* p) {
    std::uint16_t half;
    __builtin_memcpy(&half, p, 2);
    return _mm512_cvtph_ps(_mm256_set1_epi16(static_cast<short>(half)));
}
ALCOVE_INLINE Vf f_load_f16(const void* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
}
ALCOVE_INLINE void f_store_f16(void* p, Vf v) {
    _mm256_storeu_si256(static_cast<__m256i*>(p),
                        _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
ALCOVE_INLINE Vf f_load_bf16(const void* p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(
        _mm512_cvtepu16_epi32(_mm256_loadu_si256(static_cast<const __m256i*>(p))), 16));
}
ALCOVE_INLINE Vf f_load_i8(const void* p) {
    return _mm512_cvtepi32_ps(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))));
}
/// Where limit[lane] >= value: a, else b.
ALCOVE_INLINE Vf f_select_ge(Vi limit, Vi value, Vf a, Vf b) {
    return _mm512_mask_blend_ps(_mm512_cmpge_epi32_mask(limit, value), b, a);
}
/// Pairs (even, odd) swapped.
ALCOVE_INLINE Vf f_swap_pairs(Vf v) {
    return _mm512_permute_ps(v, 0xB1);
}
ALCOVE_INLINE Vf f_even(Vf v) {
    return _mm512_moveldup_ps(v);
}
ALCOVE_INLINE Vf f_odd(Vf v) {
    return _mm512_movehdup_ps(v);
}
/// a * b - c in even lanes, a * b + c in odd ones.
ALCOVE_INLINE Vf f_fmaddsub(Vf a, Vf b, Vf c) {
    return _mm512_fmaddsub_ps(a, b, c);
}

/// (c0 s0 c1 s1 …) in two vectors to (c0 c1 …) and (s0 s1 …).
ALCOVE_INLINE void f_split_pairs(Vf a, Vf b, Vf& even, Vf& odd) {
    const Vi index = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    even = _mm512_permutex2var_ps(a, index, b);
    odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(index, _mm512_set1_epi32(1)), b);
}

// ---- integers

ALCOVE_INLINE Vi i_zero() {
    return _mm512_setzero_si512();
}
ALCOVE_INLINE Vi i_set1(std::int32_t x) {
    return _mm512_set1_epi32(x);
}
ALCOVE_INLINE Vi i_set1_8(int x) {
    return _mm512_set1_epi8(static_cast<char>(x));
}
ALCOVE_INLINE Vi i_load(const void* p) {
    return _mm512_loadu_si512(p);
}
ALCOVE_INLINE void i_store(void* p, Vi v) {
    _mm512_storeu_si512(p, v);
}
/// The 16 bytes at p in every 128-bit lane.
ALCOVE_INLINE Vi i_broadcast16(const void* p) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}
/// 16 bytes in every 128-bit lane.
template <typename... Bytes> ALCOVE_INLINE Vi i_bytes16(Bytes... bytes) {
    return _mm512_broadcast_i32x4(_mm_setr_epi8(static_cast<char>(bytes)...));
}
ALCOVE_INLINE Vi i_and(Vi a, Vi b) {
    return _mm512_and_si512(a, b);
}
ALCOVE_INLINE Vi i_or(Vi a, Vi b) {
    return _mm512_or_si512(a, b);
}
ALCOVE_INLINE Vi i_xor(Vi a, Vi b) {
    return _mm512_xor_si512(a, b);
}
ALCOVE_INLINE Vi i_add(Vi a, Vi b) {
    return _mm512_add_epi32(a, b);
}
ALCOVE_INLINE Vi i_add_8(Vi a, Vi b) {
    return _mm512_add_epi8(a, b);
}
template <int n> ALCOVE_INLINE Vi i_shr16(Vi a) {
    return _mm512_srli_epi16(a, n);
}
template <int n> ALCOVE_INLINE Vi i_shl16(Vi a) {
    return _mm512_slli_epi16(a, n);
}
template <int n> ALCOVE_INLINE Vi i_shr32(Vi a) {
    return _mm512_srli_epi32(a, n);
}
template <int n> ALCOVE_INLINE Vi i_shl32(Vi a) {
    return _mm512_slli_epi32(a, n);
}
template <int n> ALCOVE_INLINE Vi i_sar32(Vi a) {
    return _mm512_srai_epi32(a, n);
}
ALCOVE_INLINE Vi i_sar32_by(Vi a, Vi n) {
    return _mm512_srav_epi32(a, n);
}
ALCOVE_INLINE Vi i_unpack_lo32(Vi a, Vi b) {
    return _mm512_unpacklo_epi32(a, b);
}
ALCOVE_INLINE Vi i_unpack_hi32(Vi a, Vi b) {
    return _mm512_unpackhi_epi32(a, b);
}
ALCOVE_INLINE Vi i_unpack_lo64(Vi a, Vi b) {
    return _mm512_unpacklo_epi64(a, b);
}
ALCOVE_INLINE Vi i_unpack_hi64(Vi a, Vi b) {
    return _mm512_unpackhi_epi64(a, b);
}
/// Bytes picked within each 128-bit lane.
ALCOVE_INLINE Vi i_pick(Vi v, Vi index) {
    return _mm512_shuffle_epi8(v, index);
}
/// `value` in the bytes whose bits `bit` are set in v, else 0.
ALCOVE_INLINE Vi i_where_bit(Vi v, Vi bit, Vi value) {
    return _mm512_maskz_mov_epi8(_mm512_test_epi8_mask(v, bit), value);
}
/// `value` in the bytes of v that are at least `limit`, both unsigned, else 0.
ALCOVE_INLINE Vi i_where_ge_u8(Vi v, Vi limit, Vi value) {
    return _mm512_maskz_mov_epi8(_mm512_cmpge_epu8_mask(v, limit), value);
}
ALCOVE_INLINE Vf i_to_f(Vi v) {
    return _mm512_cvtepi32_ps(v);
}
ALCOVE_INLINE Vf i_as_f(Vi bits) {
    return _mm512_castsi512_ps(bits);
}
ALCOVE_INLINE Vi f_to_i(Vf v) {
    return _mm512_cvtps_epi32(v);
}
/// Lanes to int8, saturating, to kWidth bytes at p.
ALCOVE_INLINE void i_store_8(void* p, Vi v) {
    _mm_storeu_si128(static_cast<__m128i*>(p), _mm512_cvtsepi32_epi8(v));
}
ALCOVE_INLINE std::int32_t i_reduce_add(Vi v) {
    return _mm512_reduce_add_epi32(v);
}
ALCOVE_INLINE Vi i_lane_numbers() {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
ALCOVE_INLINE Vi i_mul(Vi a, Vi b) {
    return _mm512_mullo_epi32(a, b);
}
/// The dwords at p + byte_offset[lane].
ALCOVE_INLINE Vi i_gather(const void* p, Vi byte_offset) {
    return _mm512_i32gather_epi32(byte_offset, p, 1);
}
/// binary16 in the low or high half of each dword to float.
ALCOVE_INLINE Vf f16_low(Vi v) {
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v));
}
ALCOVE_INLINE Vf f16_high(Vi v) {
    return f16_low(i_shr32<16>(v));
}
/// The 16 bytes at each of kQuads addresses, one per 128-bit lane.
ALCOVE_INLINE Vi i_load_lanes(const std::uint8_t* const* p, std::size_t offset) {
    const auto at = [&](int lane) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p[lane] + offset));
    };
    Vi v = _mm512_castsi128_si512(at(0));
    v = _mm512_inserti32x4(v, at(1), 1);
    v = _mm512_inserti32x4(v, at(2), 2);
    return _mm512_inserti32x4(v, at(3), 3);
}

// ---- dot products of bytes: acc[lane] += sum over the lane's four bytes of code * q. Exact.
// Narrow codes are 0..127. Wide codes stand for int8 weights: with VNNI they are stored as weight +
// 128 and the caller adds corr (-128 * sum q); without, they are the int8 itself and corr is zero.

#if defined(__AVX512VNNI__)
constexpr bool kWideIsOffset = true;
ALCOVE_INLINE Vi wide_code(Vi int8) {
    return i_xor(int8, i_set1_8(-128));
}
ALCOVE_INLINE Vi dot_narrow(Vi acc, Vi code, Vi q) {
    return _mm512_dpbusd_epi32(acc, code, q);
}
ALCOVE_INLINE Vi dot_wide(Vi acc, Vi code, Vi q) {
    return _mm512_dpbusd_epi32(acc, code, q);
}
#else
constexpr bool kWideIsOffset = false;
ALCOVE_INLINE Vi wide_code(Vi int8) {
    return int8;
}
// Pair sums stay within int16: 2 * 127 * 127, and 2 * 128 * 127 for |-128|, as q is never -128.
ALCOVE_INLINE Vi dot_narrow(Vi acc, Vi code, Vi q) {
    const Vi pairs = _mm512_maddubs_epi16(code, q);
    return i_add(acc, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
}
ALCOVE_INLINE Vi dot_wide(Vi acc, Vi code, Vi q) {
    const Vi signed_q =
        _mm512_mask_sub_epi8(q, _mm512_movepi8_mask(code), _mm512_setzero_si512(), q);
    return dot_narrow(acc, _mm512_abs_epi8(code), signed_q);
}
#endif

ALCOVE_INLINE void prefetch(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}

} // namespace
} // namespace alcove

#include "engine/kernels/simd/common.inl"
