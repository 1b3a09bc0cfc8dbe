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

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22 &&
              sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);
static_assert(sizeof(BlockQ4_K) == 144 && sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

} // namespace alcove
