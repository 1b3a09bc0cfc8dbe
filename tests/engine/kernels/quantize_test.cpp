#include "engine/kernels/quantize/quantize.h"
#include "tests/engine/kernels/kernel_test_util.h"

namespace alcove {
namespace {

class Quantize : public ::testing::TestWithParam<Isa> {
protected:
    void SetUp() override { SKIP_UNLESS_RUNNABLE(GetParam()); }
    std::mt19937 rng{7};
    AlignedBytes row(const KernelTable& table, const std::vector<float>& x) const {
        AlignedBytes out(act_row_bytes(ActType::Q15_32, x.size()));
        table.quantize_row(ActType::Q15_32, x.size(), x.data(), out.data());
        return out;
    }
};

TEST_P(Quantize, EverySetGivesTheSameBytesAsTheScalar) {
    for (const std::size_t n : {32U, 64U, 96U, 576U, 4096U}) {
        std::vector<float> x = random_floats(n, rng, 3.0F);
        for (std::size_t i = 0; i < n; i += 7)
            x[i] *= 1e-3F;
        if (n == 96) { // a zero block, a tiny one, one with ties
            std::fill_n(x.begin(), 32, 0.0F);
            std::fill_n(x.begin() + 32, 32, 1e-35F);
            for (std::size_t i = 0; i < 32; ++i)
                x[64 + i] = i == 0 ? kActLargestCode : static_cast<float>(i) - 16.5F;
        }
        const AlignedBytes a = row(kernel_table(Isa::Scalar), x);
        const AlignedBytes b = row(kernel_table(GetParam()), x);
        const ActLayout layout = act_layout(n);
        // The arrays, without the gaps up to the next multiple of 64.
        const std::pair<std::size_t, std::size_t> arrays[] = {{0, n},
                                                              {layout.low, n},
                                                              {layout.scale, n / 8},
                                                              {layout.sum32, n / 8},
                                                              {layout.corr32, n / 8},
                                                              {layout.sum16, n / 4},
                                                              {layout.corr16, n / 4}};
        for (const auto& [begin, count] : arrays)
            EXPECT_EQ(std::memcmp(a.data() + begin, b.data() + begin, count), 0)
                << n << " " << begin;
    }
}

TEST_P(Quantize, CodesAreNearestAndSumsExact) {
    const std::vector<float> x = random_floats(320, rng);
    const AlignedBytes out = row(kernel_table(GetParam()), x);
    const ActLayout layout = act_layout(320);
    const auto* high = reinterpret_cast<const std::int8_t*>(out.data());
    const auto* low = reinterpret_cast<const std::int8_t*>(out.data() + layout.low);
    const auto* scale = reinterpret_cast<const float*>(out.data() + layout.scale);
    for (std::size_t b = 0; b < 10; ++b) {
        int sum = 0, largest = 0;
        for (std::size_t i = 32 * b; i < 32 * b + 32; ++i) {
            const int q = 128 * high[i] + low[i];
            EXPECT_LE(std::fabs(x[i] - scale[b] * static_cast<float>(q)), 0.502F * scale[b]);
            EXPECT_LE(std::abs(static_cast<int>(low[i])), 64);
            sum += q;
            largest = std::max(largest, std::abs(q));
        }
        EXPECT_EQ(largest, 127 * 128);
        EXPECT_EQ(reinterpret_cast<const float*>(out.data() + layout.sum32)[b], sum);
        EXPECT_EQ(reinterpret_cast<const std::int32_t*>(out.data() + layout.corr32)[b], -128 * sum);
    }
}

TEST_P(Quantize, BlocksThatAreNotFiniteSaySo) {
    std::vector<float> x = random_floats(96, rng);
    x[3] = std::nanf("");
    x[40] = -HUGE_VALF;
    const AlignedBytes out = row(kernel_table(GetParam()), x);
    const auto* scale = reinterpret_cast<const float*>(out.data() + act_layout(96).scale);
    EXPECT_TRUE(std::isnan(scale[0]));
    EXPECT_TRUE(std::isnan(scale[1]));
    EXPECT_TRUE(std::isfinite(scale[2]));
    for (std::size_t i = 0; i < 64; ++i)
        EXPECT_EQ(out.data()[i], 0);
}

INSTANTIATE_TEST_SUITE_P(EverySet, Quantize, ::testing::ValuesIn(all_isas()), isa_test_name);

} // namespace
} // namespace alcove
