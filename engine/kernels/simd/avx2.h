#pragma once

// Vectors of 256 bits for the files of the AVX2 sets (AVX2, FMA, F16C; with AVX-VNNI where the file
// is compiled for it). The names are those of simd/avx512.h, and so are the rules: anonymous
// namespace, always inlined, no std:: function templates.

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

using Vf = __m256;  ///< floats
using Vi = __m256i; ///< integers of any width

constexpr int kWidth = 8;          ///< floats per vector
constexpr int kQuads = kWidth / 4; ///< 128-bit lanes

// Tiling of the inner loops, by the 16 registers.
constexpr int kProductRowVectors = 1, kProductTokens = 4; ///< integer matrix product
constexpr int kFloatRows = 3, kFloatTokens = 4;           ///< float matrix product
constexpr int kLaneVectors = 3;   ///< attention: vectors of query lanes, at most
constexpr int kDecodeVectors = 2; ///< attention of one row: vectors of a value summed at once
constexpr int kLaneTile = 4;      ///< attention: positions or dimensions per inner loop

// ---- floats

ALCOVE_INLINE Vf f_zero() {
    return _mm256_setzero_ps();
}
ALCOVE_INLINE Vf f_set1(float x) {
    return _mm256_set1_ps(x);
}
ALCOVE_INLINE Vf f_load(const float* p) {
    return _mm256_loadu_ps(p);
}
ALCOVE_INLINE void f_store(float* p, Vf v) {
    _mm256_storeu_ps(p, v);
}
ALCOVE_INLINE Vi first_lanes(std::size_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
/// The first n < kWidth floats, zeros after them; nothing else is touched.
ALCOVE_INLINE Vf f_load_n(const float* p, std::size_t n) {
    return _mm256_maskload_ps(p, first_lanes(n));
}
ALCOVE_INLINE void f_store_n(float* p, Vf v, std::size_t n) {
    _mm256_maskstore_ps(p, first_lanes(n), v);
}
ALCOVE_INLINE Vf f_add(Vf a, Vf b) {
    return _mm256_add_ps(a, b);
}
ALCOVE_INLINE Vf f_sub(Vf a, Vf b) {
    return _mm256_sub_ps(a, b);
}
ALCOVE_INLINE Vf f_mul(Vf a, Vf b) {
    return _mm256_mul_ps(a, b);
}
ALCOVE_INLINE Vf f_div(Vf a, Vf b) {
    return _mm256_div_ps(a, b);
}
ALCOVE_INLINE Vf f_fma(Vf a, Vf b, Vf c) {
    return _mm256_fmadd_ps(a, b, c);
} ///< a * b + c
ALCOVE_INLINE Vf f_fnma(Vf a, Vf b, Vf c) {
    return _mm256_fnmadd_ps(a, b, c);
} ///< c - a * b
/// The larger; b where one of them is not a number.
ALCOVE_INLINE Vf f_max(Vf a, Vf b) {
    return _mm256_max_ps(a, b);
}
ALCOVE_INLINE Vf f_min(Vf a, Vf b) {
    return _mm256_min_ps(a, b);
}
ALCOVE_INLINE Vf f_abs(Vf a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a);
}
ALCOVE_INLINE Vf f_round(Vf a) {
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/// a * 2^n for whole n in [-150, 129]: in two steps, so that each power is a normal number.
ALCOVE_INLINE Vf f_scale_pow2(Vf a, Vf n) {
    const Vi whole = _mm256_cvtps_epi32(n);
    const Vi first = _mm256_srai_epi32(whole, 1);
    const Vi second = _mm256_sub_epi32(whole, first);
    const auto power = [](Vi e) ALCOVE_LAMBDA_INLINE {
        return _mm256_castsi256_ps(
            _mm256_slli_epi32(_mm256_add_epi32(e, _mm256_set1_epi32(127)), 23));
    };
    return _mm256_mul_ps(_mm256_mul_ps(a, power(first)), power(second));
}
ALCOVE_INLINE float f_reduce_add(Vf v) {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_shuffle_ps(sum, sum, 1)));
}
ALCOVE_INLINE float f_reduce_max(Vf v) {
    __m128 max = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    max = _mm_max_ps(max, _mm_movehl_ps(max, max));
    return _mm_cvtss_f32(_mm_max_ss(max, _mm_shuffle_ps(max, max, 1)));
}
ALCOVE_INLINE bool f_any_nan(Vf v) {
    return _mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)) != 0;
}
/// Lane i: the sum of v[i]'s lanes.
ALCOVE_INLINE Vf f_reduce_each(const Vf v[kWidth]) {
    const auto quad = [](const Vf* in) ALCOVE_LAMBDA_INLINE {
        const Vf a =
            _mm256_add_ps(_mm256_unpacklo_ps(in[0], in[1]), _mm256_unpackhi_ps(in[0], in[1]));
        const Vf b =
            _mm256_add_ps(_mm256_unpacklo_ps(in[2], in[3]), _mm256_unpackhi_ps(in[2], in[3]));
        return _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xEE));
    };
    const Vf low = quad(v), high = quad(v + 4);
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20),
                         _mm256_permute2f128_ps(low, high, 0x31));
}
/// The binary16 at p in every lane.
ALCOVE_INLINE Vf f_set1_f16(const void* p) {
    std::uint16_t half;
    __builtin_memcpy(&half, p, 2);
    return _mm256_cvtph_ps(_mm_set1_epi16(static_cast<short>(half)));
}
ALCOVE_INLINE Vf f_load_f16(const void* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}
ALCOVE_INLINE void f_store_f16(void* p, Vf v) {
    _mm_storeu_si128(static_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
ALCOVE_INLINE Vf f_load_bf16(const void* p) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(
        _mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))), 16));
}
ALCOVE_INLINE Vf f_load_i8(const void* p) {
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))));
}
/// Where limit[lane] >= value: a, else b.
ALCOVE_INLINE Vf f_select_ge(Vi limit, Vi value, Vf a, Vf b) {
    return _mm256_blendv_ps(a, b, _mm256_castsi256_ps(_mm256_cmpgt_epi32(value, limit)));
}
/// Pairs (even, odd) swapped.
ALCOVE_INLINE Vf f_swap_pairs(Vf v) {
    return _mm256_permute_ps(v, 0xB1);
}
ALCOVE_INLINE Vf f_even(Vf v) {
    return _mm256_moveldup_ps(v);
}
ALCOVE_INLINE Vf f_odd(Vf v) {
    return _mm256_movehdup_ps(v);
}
/// a * b - c in even lanes, a * b + c in odd ones.
ALCOVE_INLINE Vf f_fmaddsub(Vf a, Vf b, Vf c) {
    return _mm256_fmaddsub_ps(a, b, c);
}
/// (c0 s0 c1 s1 …) in two vectors to (c0 c1 …) and (s0 s1 …).
ALCOVE_INLINE void f_split_pairs(Vf a, Vf b, Vf& even, Vf& odd) {
    const Vf low = _mm256_permute2f128_ps(a, b, 0x20), high = _mm256_permute2f128_ps(a, b, 0x31);
    even = _mm256_shuffle_ps(low, high, 0x88);
    odd = _mm256_shuffle_ps(low, high, 0xDD);
}

// ---- integers

ALCOVE_INLINE Vi i_zero() {
    return _mm256_setzero_si256();
}
ALCOVE_INLINE Vi i_set1(std::int32_t x) {
    return _mm256_set1_epi32(x);
}
ALCOVE_INLINE Vi i_set1_8(int x) {
    return _mm256_set1_epi8(static_cast<char>(x));
}
ALCOVE_INLINE Vi i_load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
ALCOVE_INLINE void i_store(void* p, Vi v) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), v);
}
/// The 16 bytes at p in every 128-bit lane.
ALCOVE_INLINE Vi i_broadcast16(const void* p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(p)));
}
/// 16 bytes in every 128-bit lane.
template <typename... Bytes> ALCOVE_INLINE Vi i_bytes16(Bytes... bytes) {
    return _mm256_broadcastsi128_si256(_mm_setr_epi8(static_cast<char>(bytes)...));
}
ALCOVE_INLINE Vi i_and(Vi a, Vi b) {
    return _mm256_and_si256(a, b);
}
ALCOVE_INLINE Vi i_or(Vi a, Vi b) {
    return _mm256_or_si256(a, b);
}
ALCOVE_INLINE Vi i_xor(Vi a, Vi b) {
    return _mm256_xor_si256(a, b);
}
ALCOVE_INLINE Vi i_add(Vi a, Vi b) {
    return _mm256_add_epi32(a, b);
}
ALCOVE_INLINE Vi i_add_8(Vi a, Vi b) {
    return _mm256_add_epi8(a, b);
}
template <int n> ALCOVE_INLINE Vi i_shr16(Vi a) {
    return _mm256_srli_epi16(a, n);
}
template <int n> ALCOVE_INLINE Vi i_shl16(Vi a) {
    return _mm256_slli_epi16(a, n);
}
template <int n> ALCOVE_INLINE Vi i_shr32(Vi a) {
    return _mm256_srli_epi32(a, n);
}
template <int n> ALCOVE_INLINE Vi i_shl32(Vi a) {
    return _mm256_slli_epi32(a, n);
}
template <int n> ALCOVE_INLINE Vi i_sar32(Vi a) {
    return _mm256_srai_epi32(a, n);
}
ALCOVE_INLINE Vi i_sar32_by(Vi a, Vi n) {
    return _mm256_srav_epi32(a, n);
}
ALCOVE_INLINE Vi i_unpack_lo32(Vi a, Vi b) {
    return _mm256_unpacklo_epi32(a, b);
}
ALCOVE_INLINE Vi i_unpack_hi32(Vi a, Vi b) {
    return _mm256_unpackhi_epi32(a, b);
}
ALCOVE_INLINE Vi i_unpack_lo64(Vi a, Vi b) {
    return _mm256_unpacklo_epi64(a, b);
}
ALCOVE_INLINE Vi i_unpack_hi64(Vi a, Vi b) {
    return _mm256_unpackhi_epi64(a, b);
}
/// Bytes picked within each 128-bit lane.
ALCOVE_INLINE Vi i_pick(Vi v, Vi index) {
    return _mm256_shuffle_epi8(v, index);
}
/// `value` in the bytes whose bits `bit` are set in v, else 0.
ALCOVE_INLINE Vi i_where_bit(Vi v, Vi bit, Vi value) {
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit), value);
}
/// `value` in the bytes of v that are at least `limit`, both unsigned, else 0.
ALCOVE_INLINE Vi i_where_ge_u8(Vi v, Vi limit, Vi value) {
    return _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, limit), v), value);
}
ALCOVE_INLINE Vf i_to_f(Vi v) {
    return _mm256_cvtepi32_ps(v);
}
ALCOVE_INLINE Vf i_as_f(Vi bits) {
    return _mm256_castsi256_ps(bits);
}
ALCOVE_INLINE Vi f_to_i(Vf v) {
    return _mm256_cvtps_epi32(v);
}
/// Lanes to int8, saturating, to kWidth bytes at p.
ALCOVE_INLINE void i_store_8(void* p, Vi v) {
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64(static_cast<__m128i*>(p), _mm_packs_epi16(words, words));
}
ALCOVE_INLINE std::int32_t i_reduce_add(Vi v) {
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));
}
ALCOVE_INLINE Vi i_lane_numbers() {
    return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}
ALCOVE_INLINE Vi i_mul(Vi a, Vi b) {
    return _mm256_mullo_epi32(a, b);
}
/// The dwords at p + byte_offset[lane].
ALCOVE_INLINE Vi i_gather(const void* p, Vi byte_offset) {
    return _mm256_i32gather_epi32(static_cast<const int*>(p), byte_offset, 1);
}
/// binary16 in the low or high half of each dword to float.
ALCOVE_INLINE Vf f16_high(Vi v) {
    const Vi high = _mm256_srli_epi32(v, 16);
    const Vi packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(high, high), 0x08);
    return _mm256_cvtph_ps(_mm256_castsi256_si128(packed));
}
ALCOVE_INLINE Vf f16_low(Vi v) {
    return f16_high(_mm256_slli_epi32(v, 16));
}
/// The 16 bytes at each of kQuads addresses, one per 128-bit lane.
ALCOVE_INLINE Vi i_load_lanes(const std::uint8_t* const* p, std::size_t offset) {
    const auto at = [&](int lane) ALCOVE_LAMBDA_INLINE {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p[lane] + offset));
    };
    return _mm256_inserti128_si256(_mm256_castsi128_si256(at(0)), at(1), 1);
}

// ---- dot products of bytes: see simd/avx512.h.

#if defined(__AVXVNNI__)
constexpr bool kWideIsOffset = true;
ALCOVE_INLINE Vi wide_code(Vi int8) {
    return i_xor(int8, i_set1_8(-128));
}
ALCOVE_INLINE Vi dot_narrow(Vi acc, Vi code, Vi q) {
    return _mm256_dpbusd_avx_epi32(acc, code, q);
}
ALCOVE_INLINE Vi dot_wide(Vi acc, Vi code, Vi q) {
    return _mm256_dpbusd_avx_epi32(acc, code, q);
}
#else
constexpr bool kWideIsOffset = false;
ALCOVE_INLINE Vi wide_code(Vi int8) {
    return int8;
}
ALCOVE_INLINE Vi dot_narrow(Vi acc, Vi code, Vi q) {
    const Vi pairs = _mm256_maddubs_epi16(code, q);
    return i_add(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
ALCOVE_INLINE Vi dot_wide(Vi acc, Vi code, Vi q) {
    return dot_narrow(acc, _mm256_abs_epi8(code), _mm256_sign_epi8(q, code));
}
#endif

ALCOVE_INLINE void prefetch(const void* p) {
    _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}

} // namespace
} // namespace alcove

#include "engine/kernels/simd/common.inl"
