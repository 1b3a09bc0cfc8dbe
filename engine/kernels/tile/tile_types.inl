// Every tile type, and the choice among them. Included by the integer product files.

#include "engine/kernels/tile/tile.inl"
#include "engine/kernels/tile/tile_low.inl"
#include "engine/kernels/tile/tile_ternary.inl"
#include "engine/kernels/tile/tile_unpacked.inl"

namespace alcove {
namespace {

/// Calls f.run<Tile>() with the tile of `type`. Every quantised type that runs has one: the tests
/// walk the table.
template <typename F> ALCOVE_INLINE void with_tile_type(QuantType type, const F& f) {
    switch (type) {
    case QuantType::Q4_0:
        return f.template run<TileQ4_0>();
    case QuantType::Q4_1:
        return f.template run<TileQ4_1>();
    case QuantType::Q5_0:
        return f.template run<TileQ5_0>();
    case QuantType::Q5_1:
        return f.template run<TileQ5_1>();
    case QuantType::Q8_0:
        return f.template run<TileQ8_0>();
    case QuantType::Q4_K:
        return f.template run<TileQ4_K>();
    case QuantType::Q5_K:
        return f.template run<TileQ5_K>();
    case QuantType::Q6_K:
        return f.template run<TileQ6_K>();
    case QuantType::Q2_K:
        return f.template run<TileQ2_K>();
    case QuantType::Q3_K:
        return f.template run<TileQ3_K>();
    case QuantType::TQ2_0:
        return f.template run<TileTQ2_0>();
    case QuantType::IQ4_NL:
        return f.template run<TileIQ4_NL>();
    case QuantType::IQ4_XS:
        return f.template run<TileIQ4_XS>();
    case QuantType::MXFP4:
        return f.template run<TileMXFP4>();
    case QuantType::IQ2_XXS:
        return f.template run<TileIQ2_XXS>();
    case QuantType::IQ2_XS:
        return f.template run<TileIQ2_XS>();
    case QuantType::IQ2_S:
        return f.template run<TileIQ2_S>();
    case QuantType::IQ3_XXS:
        return f.template run<TileIQ3_XXS>();
    case QuantType::IQ3_S:
        return f.template run<TileIQ3_S>();
    case QuantType::IQ1_S:
        return f.template run<TileIQ1_S>();
    case QuantType::IQ1_M:
        return f.template run<TileIQ1_M>();
    case QuantType::TQ1_0:
        return f.template run<TileTQ1_0>();
    case QuantType::NVFP4:
        return f.template run<TileNVFP4>();
    case QuantType::Q1_0:
        return f.template run<TileQ1_0>();
    case QuantType::Q2_0:
        return f.template run<TileQ2_0>();
    case QuantType::PQ2:
        return f.template run<TilePQ2>();
    case QuantType::PTQ1:
        return f.template run<TilePTQ1>();
    default:
        __builtin_unreachable(); // kernel_table.h: the type must be runnable
    }
}

} // namespace
} // namespace alcove
