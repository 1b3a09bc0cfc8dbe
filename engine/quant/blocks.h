#pragma once

#include <cstddef>
#include <cstdint>

/// Block layouts of the quantised types, as they lie in the file (little endian, no padding, any
/// alignment: copy a block or read its bytes, do not cast a pointer to it and dereference where the
/// processor minds). `d`, `m`, `dmin` are binary16 bits. Source: GGUF specification, block layouts.
namespace alcove {

struct BlockQ4_0 { ///< w = d * (q - 8)
    std::uint16_t d;
    std::uint8_t qs[16]; ///< low nibble of byte j: weight j; high nibble: weight j + 16
};
struct BlockQ4_1 { ///< w = d * q + m
    std::uint16_t d, m;
    std::uint8_t qs[16]; ///< as Q4_0
};
struct BlockQ5_0 { ///< w = d * (q - 16)
    std::uint16_t d;
    std::uint8_t qh[4];  ///< bit i: fifth bit of weight i
    std::uint8_t qs[16]; ///< as Q4_0
};
struct BlockQ5_1 { ///< w = d * q + m
    std::uint16_t d, m;
    std::uint8_t qh[4];
    std::uint8_t qs[16];
};
struct BlockQ8_0 { ///< w = d * q
    std::uint16_t d;
    std::int8_t qs[32]; ///< -128 occurs
};
struct BlockQ2_K { ///< w = d * (sc[j] & 15) * q - dmin * (sc[j] >> 4) in group j of 16
    std::uint8_t scales[16];
    std::uint8_t
        qs[64]; ///< per half of 128 weights, 32 bytes: bits 2k, 2k+1 of byte i: weight 32k + i
    std::uint16_t d, dmin;
};
struct BlockQ3_K {           ///< w = d * (sc[j] - 32) * (q - 4) in group j of 16
    std::uint8_t hmask[32];  ///< bit k of byte i: third bit of weight 32k + i
    std::uint8_t qs[64];     ///< lower two bits, as Q2_K
    std::uint8_t scales[12]; ///< 16 six-bit values: low nibbles of bytes 0-7, then their high
                             ///< nibbles; bits 2k, 2k+1 of byte 8 + i: top bits of value 4k + i
    std::uint16_t d;
};
struct BlockQ4_K { ///< w = d * sc[j] * q - dmin * mn[j] in group j of 32
    std::uint16_t d, dmin;
    std::uint8_t scales[12]; ///< 8 six-bit sc and mn: bytes 0-3 sc[0-3], 4-7 mn[0-3], their top two
                             ///< bits the top bits of [4-7]; low nibbles of 8-11 sc[4-7], high mn
    std::uint8_t qs[128];    ///< bytes 32c...: low nibbles group 2c, high nibbles group 2c + 1
};
struct BlockQ5_K { ///< as Q4_K with five bits
    std::uint16_t d, dmin;
    std::uint8_t scales[12];
    std::uint8_t qh[32]; ///< bit j of byte i: fifth bit of weight i of group j
    std::uint8_t qs[128];
};
struct BlockQ6_K {        ///< w = d * sc[j] * (q - 32) in group j of 16
    std::uint8_t ql[128]; ///< per half of 128 weights, 64 bytes: low nibbles of weights 0-63, high
                          ///< nibbles weights 64-127
    std::uint8_t
        qh[64]; ///< per half, 32 bytes: bits 2k, 2k+1 of byte i: top bits of weight 32k + i
    std::int8_t scales[16];
    std::uint16_t d;
};

struct BlockIQ4_NL { ///< w = d * v[q], v: sixteen values of unequal distance
    std::uint16_t d;
    std::uint8_t qs[16]; ///< as Q4_0
};
struct BlockIQ4_XS { ///< w = d * (sc[j] - 32) * v[q] in group j of 32
    std::uint16_t d;
    std::uint16_t scales_h;   ///< bits 2j, 2j+1: top bits of sc[j]
    std::uint8_t scales_l[4]; ///< nibble j: low bits of sc[j]
    std::uint8_t qs[128];     ///< 16 bytes per group, each as Q4_0
};
struct BlockMXFP4 { ///< w = 2^(e - 128) * v[q], v: twice the values of FP4
    std::uint8_t e;
    std::uint8_t qs[16]; ///< as Q4_0
};
struct BlockNVFP4 {      ///< w = d[j] * v[q] in group j of 16
    std::uint8_t d[4];   ///< unsigned e4m3, halved
    std::uint8_t qs[32]; ///< 8 bytes per group: low nibbles weights 0-7, high nibbles 8-15
};
struct BlockTQ1_0 {      ///< w = d * (t - 1), t: digits of base 3, five in a byte
    std::uint8_t qs[48]; ///< digit n of byte i < 32: weight 32n + i; of byte 32 + i: 160 + 16n + i
    std::uint8_t qh[4];  ///< digit n of byte i: weight 240 + 4n + i
    std::uint16_t d;
};
struct BlockTQ2_0 {      ///< w = d * (q - 1)
    std::uint8_t qs[64]; ///< as Q2_K
    std::uint16_t d;
};
struct BlockQ1_0 { ///< w = d where bit i is set, else -d; 128 weights
    std::uint16_t d;
    std::uint8_t bits[16];
};
struct BlockQ2_0 { ///< w = d * (q - 1); 64 weights
    std::uint16_t d;
    std::uint8_t qs[16]; ///< bits 2i, 2i+1 of byte j: weight 4j + i
};
struct BlockPQ2 { ///< as Q2_0 with 128 weights; q = 3 is read, never written
    std::uint16_t d;
    std::uint8_t qs[32];
};
struct BlockPTQ1 {       ///< w = d * (t - 1), t: digits of base 3 as in TQ1_0; 128 weights
    std::uint8_t qs[24]; ///< digit n of byte i < 16: weight 16n + i; of byte 16 + i: 80 + 8n + i
    std::uint8_t qh[2];  ///< digit n of byte i: weight 120 + 2n + i
    std::uint16_t d;
};
// The IQ types with codebooks: an index picks eight or four magnitudes (codebooks.h), signs are
// apart.
struct BlockIQ2_XXS { ///< w = d * (2 s + 1) / 8 * g in group j of 32
    std::uint16_t d;
    std::uint16_t qs[8][4]; ///< per group: four indices of a byte; a dword of four times seven sign
                            ///< bits, s on top
};
struct BlockIQ2_XS { ///< w = d * (2 s[j] + 1) / 8 * g in group j of 16
    std::uint16_t d;
    std::uint16_t qs[32];   ///< nine bits of index, seven of signs
    std::uint8_t scales[8]; ///< nibble j
};
struct BlockIQ2_S { ///< as IQ2_XS
    std::uint16_t d;
    std::uint8_t qs[32];
    std::uint8_t signs[32];
    std::uint8_t qh[8]; ///< bits 2k, 2k+1 of byte j: top bits of index 4j + k
    std::uint8_t scales[8];
};
struct BlockIQ3_XXS { ///< w = d * (2 s + 1) / 4 * g in group j of 32
    std::uint16_t d;
    std::uint8_t qs[64];
    std::uint16_t signs[8][2]; ///< a dword each, as the second of IQ2_XXS
};
struct BlockIQ3_S { ///< w = d * (2 s[j] + 1) * g in group j of 32
    std::uint16_t d;
    std::uint8_t qs[64];
    std::uint8_t qh[8]; ///< bit k of byte j: ninth bit of index 8j + k
    std::uint8_t signs[32];
    std::uint8_t scales[4]; ///< nibble j
};
struct BlockIQ1_S { ///< w = d * (2 s + 1) * (g +- 1/8) in group j of 32
    std::uint16_t d;
    std::uint8_t qs[32];
    std::uint16_t
        qh[8]; ///< per group: four times three top bits of an index, s, sign of the eighth
};
struct BlockIQ1_M { ///< w = d * (2 s[j] + 1) * (g +- 1/8) in group j of 16
    std::uint8_t qs[32];
    std::uint8_t qh[16];     ///< per two indices, a nibble each: three top bits, sign of the eighth
    std::uint16_t scales[4]; ///< four times three bits of s each; the top nibbles make d
};

static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockIQ4_NL) == 18 &&
              sizeof(BlockIQ4_XS) == 136 && sizeof(BlockMXFP4) == 17 && sizeof(BlockNVFP4) == 36);
static_assert(sizeof(BlockTQ1_0) == 54 && sizeof(BlockTQ2_0) == 66 && sizeof(BlockQ1_0) == 18 &&
              sizeof(BlockQ2_0) == 18 && sizeof(BlockPQ2) == 34 && sizeof(BlockPTQ1) == 28);
static_assert(sizeof(BlockIQ2_XXS) == 66 && sizeof(BlockIQ2_XS) == 74 && sizeof(BlockIQ2_S) == 82 &&
              sizeof(BlockIQ3_XXS) == 98 && sizeof(BlockIQ3_S) == 110 && sizeof(BlockIQ1_S) == 50 &&
              sizeof(BlockIQ1_M) == 56);
static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 &&
              sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);
static_assert(sizeof(BlockQ4_K) == 144 && sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

} // namespace alcove
