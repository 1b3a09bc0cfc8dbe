#include "engine/quant/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace alcove {
namespace {

TEST(Half, EveryPatternSurvivesTheWayThroughFloat) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = f16_to_f32(half);
        if (std::isnan(value))
            EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(value)))) << bits;
        else
            EXPECT_EQ(f32_to_f16(value), half) << bits;
    }
}

TEST(Half, RoundsToNearestAndTiesToEven) {
    // Between each two neighbours: the middle goes to the even one, a hair beside it to the nearer.
    for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
        const float low = f16_to_f32(static_cast<std::uint16_t>(bits));
        const float high = f16_to_f32(static_cast<std::uint16_t>(bits + 1));
        const float middle = low + (high - low) / 2;
        EXPECT_EQ(f32_to_f16(middle), (bits & 1u) == 0 ? bits : bits + 1);
        EXPECT_EQ(f32_to_f16(std::nextafter(middle, low)), bits);
        EXPECT_EQ(f32_to_f16(std::nextafter(middle, high)), bits + 1);
        EXPECT_EQ(f32_to_f16(-middle), 0x8000u + ((bits & 1u) == 0 ? bits : bits + 1));
    }
}

TEST(Half, TooLargeBecomesInfinityAndTooSmallZero) {
    EXPECT_EQ(f32_to_f16(65519.0F), 0x7bff);
    EXPECT_EQ(f32_to_f16(65520.0F), 0x7c00);
    EXPECT_EQ(f32_to_f16(-1e30F), 0xfc00);
    EXPECT_EQ(f32_to_f16(0x1p-25F), 0);
    EXPECT_EQ(f32_to_f16(std::nextafter(0x1p-25F, 1.0F)), 1);
    EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::denorm_min()), 0);
}

TEST(Half, Bfloat16IsTheUpperHalfOfAFloat) {
    EXPECT_EQ(bf16_to_f32(0x3f80), 1.0F);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(bf16_to_f32(0x8001)), 0x80010000u);
}

} // namespace
} // namespace alcove
