#pragma once

#include "engine/quant/decode.h"

/// One function per block layout: reads the block at `block` (any alignment), fills `out`.
namespace alcove {

void unpack_q4_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q4_1(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q5_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q5_1(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q8_0(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q4_k(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q5_k(const std::uint8_t* block, UnpackedBlock& out);
void unpack_q6_k(const std::uint8_t* block, UnpackedBlock& out);

} // namespace alcove
