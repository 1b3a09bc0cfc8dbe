// Tiles of the types that have no vector reader of their own: each row's block is unpacked by the
// plain code of engine/quant, then multiplied like any other. Slower to read, as fast to multiply.
// Included by tile_types.inl.

#include "engine/quant/decode.h"

namespace alcove {
namespace {

/// One block of every row, unpacked.
struct UnpackedTile {
    static constexpr std::size_t kStride = 256 + 16;
    alignas(64) std::int8_t codes[kWidth][kStride];
    alignas(64) float scale[16][kWidth]; ///< per 16 weights

    __attribute__((noinline)) void fill(QuantType type, std::size_t n, const TileRows& rows,
                                        std::size_t at) {
        const BlockCodec& codec = *block_codec(type);
        UnpackedBlock block;
        for (std::size_t r = 0; r < kWidth; ++r) {
            codec.unpack(rows.lane[r / 4] + r % 4 * rows.stride + at, block);
            for (std::size_t i = 0; i < n; ++i)
                codes[r][i] = static_cast<std::int8_t>(block.code[i]);
            for (std::size_t i = 0; i < n / 16; ++i)
                scale[i][r] = block.scale[i * 16 / codec.group];
        }
    }
};

template <QuantType type, std::size_t block, std::size_t bytes> struct TileUnpacked {
    static constexpr std::size_t kBlock = block, kBytes = bytes;
    static constexpr int kHalves = 2, kCorrShift = 0;
    static constexpr bool kOffset = false, kWide = true;
    template <typename Sink>
    static ALCOVE_INLINE void read(const TileRows& rows, std::size_t at, std::size_t g,
                                   Sink& sink) {
        UnpackedTile tile;
        tile.fill(type, kBlock, rows, at);
        const TileRows unpacked =
            tile_rows(reinterpret_cast<const std::uint8_t*>(tile.codes), tile.kStride);
        for (std::size_t i = 0; i < kBlock / 32; ++i) {
            Codes lo = load_codes(unpacked, 32 * i), hi = load_codes(unpacked, 32 * i + 16);
            for (int j = 0; j < 4; ++j) {
                lo.v[j] = wide_code(lo.v[j]);
                hi.v[j] = wide_code(hi.v[j]);
            }
            const Vf scale[2] = {f_load(tile.scale[2 * i]), f_load(tile.scale[2 * i + 1])};
            sink.template group<TileUnpacked>(g + i, lo, hi, scale, nullptr);
        }
    }
};

using TileIQ2_XXS = TileUnpacked<QuantType::IQ2_XXS, 256, 66>;
using TileIQ2_XS = TileUnpacked<QuantType::IQ2_XS, 256, 74>;
using TileIQ2_S = TileUnpacked<QuantType::IQ2_S, 256, 82>;
using TileIQ3_XXS = TileUnpacked<QuantType::IQ3_XXS, 256, 98>;
using TileIQ3_S = TileUnpacked<QuantType::IQ3_S, 256, 110>;
using TileIQ1_S = TileUnpacked<QuantType::IQ1_S, 256, 50>;
using TileIQ1_M = TileUnpacked<QuantType::IQ1_M, 256, 56>;
using TileNVFP4 = TileUnpacked<QuantType::NVFP4, 64, 36>;

} // namespace
} // namespace alcove
