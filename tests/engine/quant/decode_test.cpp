#include "engine/quant/decode.h"

#include "engine/kernels/kernel_table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace alcove {
namespace {

std::vector<char> read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Bits equal, where any not-a-number equals any other and -0 equals 0.
bool same_value(float a, float b) {
    return (std::isnan(a) && std::isnan(b)) ||
           std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || a == b;
}

void expect_exact_decode(const std::filesystem::path& folder, const QuantTraits& traits) {
    const std::string name(traits.name);
    const std::vector<char> packed = read_file(folder / (name + ".bin"));
    const std::vector<char> expected = read_file(folder / (name + ".f32"));
    ASSERT_FALSE(packed.empty()) << folder / (name + ".bin");
    const std::size_t n = packed.size() / traits.block_bytes * traits.block_size;
    ASSERT_EQ(expected.size(), n * sizeof(float));
    // One byte further than the allocator gives, so that the blocks are misaligned.
    std::vector<char> shifted(packed.size() + 1);
    std::copy(packed.begin(), packed.end(), shifted.begin() + 1);
    std::vector<float> values(n);
    decode_row(traits.type, n, shifted.data() + 1, values.data());
    for (std::size_t i = 0; i < n; ++i) {
        float want = 0;
        std::memcpy(&want, expected.data() + i * sizeof(float), sizeof(float));
        ASSERT_TRUE(same_value(values[i], want))
            << name << " value " << i << ": " << values[i] << " instead of " << want;
    }
}

std::filesystem::path shared_folder() {
    const char* from_environment = std::getenv("ALCOVE_SHARED");
    return std::filesystem::path(from_environment != nullptr ? from_environment
                                                             : ALCOVE_SHARED_DEFAULT) /
           "oracle/models/quants";
}

bool has_fixture(const QuantTraits& traits) {
    return traits.runnable && traits.type != QuantType::F32;
}

TEST(Decode, EveryRunnableTypeDecodesTheSlicesExactly) {
    for (const QuantTraits& traits : quant_types())
        if (has_fixture(traits))
            expect_exact_decode(std::filesystem::path(ALCOVE_TEST_DATA) / "quants", traits);
}

TEST(Decode, EveryRunnableTypeDecodesTheFullFixturesExactly) {
    if (!std::filesystem::exists(shared_folder()))
        GTEST_SKIP() << "the shared fixtures are not here: " << shared_folder();
    for (const QuantTraits& traits : quant_types())
        if (has_fixture(traits) && traits.type != QuantType::PQ2 && traits.type != QuantType::PTQ1)
            expect_exact_decode(shared_folder(), traits);
}

TEST(Decode, F32IsCopied) {
    const float values[] = {1.5F, -0.0F, 3e38F};
    float out[3];
    decode_row(QuantType::F32, 3, values, out);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(values[i]));
}

TEST(Decode, NoWeightsIsNothing) {
    decode_row(QuantType::Q4_K, 0, nullptr, nullptr);
}

TEST(QuantTypes, TheTableIsConsistent) {
    for (const QuantTraits& traits : quant_types()) {
        EXPECT_EQ(quant_traits(traits.type), &traits);
        EXPECT_EQ(quant_type_from_name(traits.name), traits.type);
        EXPECT_EQ(row_bytes(traits, 3 * std::size_t{traits.block_size}), 3 * traits.block_bytes);
        const bool is_float = traits.type == QuantType::F32 || traits.type == QuantType::F16 ||
                              traits.type == QuantType::BF16;
        EXPECT_EQ(traits.runnable, is_float || block_codec(traits.type) != nullptr) << traits.name;
    }
}

TEST(QuantTypes, UnknownIdsAndNamesHaveNoRow) {
    for (const std::uint32_t id : {4u, 5u, 9u, 15u, 31u, 1000u, 0xffffffffu})
        EXPECT_EQ(quant_traits(static_cast<QuantType>(id)), nullptr) << id;
    EXPECT_FALSE(quant_type_from_name("Q4_k").has_value());
    EXPECT_FALSE(quant_type_from_name("").has_value());
}

} // namespace
} // namespace alcove
