#pragma once

#include "engine/quant/decode.h"

/// One function per block layout: reads the block at `block` (any alignment), fills `out`.
namespace alcove {

/// The sixteen values of IQ4_NL and IQ4_XS, and twice those of FP4 (E2M1).
inline constexpr std::int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};
inline constexpr std::int8_t kFp4Values[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                               0, -1, -2, -3, -4, -6, -8, -12};

void unpack_q4_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q4_1(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q5_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q5_1(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q8_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q4_k(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q5_k(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q6_k(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q2_k(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q3_k(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq4_nl(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq4_xs(const std::uint8_t* block, UnpackedBlock& out);
void unpack_mxfp4(const std::uint8_t* block, UnpackedBlock& out);
void unpack_nvfp4(const std::uint8_t* block, UnpackedBlock& out);
void unpack_tq1_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_tq2_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q1_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q2_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_pq2(const std::uint8_t* block, UnpackedBlock& out);
void unpack_ptq1(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq2_xxs(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq2_xs(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq2_s(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq3_xxs(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq3_s(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq1_s(const std::uint8_t* block, UnpackedBlock& out);
void unpack_iq1_m(const std::uint8_t* block, UnpackedBlock& out);

} // namespace alcove
