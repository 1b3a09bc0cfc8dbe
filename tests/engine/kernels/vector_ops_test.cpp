// Norm, element-wise operations, rotation and cache rows of every set against double arithmetic.
#include "engine/kernels/kv/kv.h"
#include "tests/engine/kernels/kernel_test_util.h"

namespace alcove {
namespace {

class VectorOps : public ::testing::TestWithParam<Isa> {
protected:
    void SetUp() override { SKIP_UNLESS_RUNNABLE(GetParam()); }
    const KernelTable& table() const { return kernel_table(GetParam()); }
    std::mt19937 rng{11};
};

const std::size_t kLengths[] = {1, 5, 16, 31, 64, 100, 576, 1031};

void expect_near_relative(float value, double expected, double relative) {
    EXPECT_LE(std::fabs(double{value} - expected), relative * std::fabs(expected) + 1e-36)
        << value << " instead of " << expected;
}

TEST_P(VectorOps, RmsNormDividesByTheRootMeanSquare) {
    for (const std::size_t n : kLengths) {
        const std::vector<float> x = random_floats(n, rng, 2.0F), w = random_floats(n, rng);
        double squares = 0;
        for (const float v : x)
            squares += double{v} * double{v};
        const double scale = 1.0 / std::sqrt(squares / static_cast<double>(n) + 1e-5);
        std::vector<float> y(n + 1, -7);
        table().rms_norm(n, x.data(), w.data(), 1e-5F, y.data());
        for (std::size_t i = 0; i < n; ++i)
            expect_near_relative(y[i], double{x[i]} * scale * double{w[i]}, 2e-6);
        EXPECT_EQ(y[n], -7);
        std::vector<float> in_place = x;
        table().rms_norm(n, in_place.data(), nullptr, 1e-5F, in_place.data());
        for (std::size_t i = 0; i < n; ++i)
            expect_near_relative(in_place[i], double{x[i]} * scale, 2e-6);
    }
}

TEST_P(VectorOps, AddScaledAdds) {
    for (const std::size_t n : kLengths) {
        const std::vector<float> x = random_floats(n, rng);
        std::vector<float> y = random_floats(n, rng);
        const std::vector<float> before = y;
        table().add_scaled(n, x.data(), 0.37F, y.data());
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_EQ(y[i], before[i] + x[i] * 0.37F);
    }
}

/// B[i][k] in the panels of low_rank_add.
template <typename T>
std::vector<T> panels(const std::vector<T>& b, std::size_t n, std::size_t rank) {
    const std::size_t n_panels = (n + kLowRankPanel - 1) / kLowRankPanel;
    std::vector<T> out(n_panels * kLowRankPanel * rank);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < rank; ++k)
            out[(i / kLowRankPanel * rank + k) * kLowRankPanel + i % kLowRankPanel] =
                b[i * rank + k];
    }
    return out;
}

TEST_P(VectorOps, LowRankCorrectionsAreSumsOfTheirRank) {
    for (const std::size_t n : {1U, 7U, 16U, 33U, 64U, 100U}) {
        for (const std::size_t rank : {1U, 3U, 16U, 65U}) {
            constexpr std::size_t kTokens = 11;
            std::vector<float> b = random_floats(rank * n, rng);
            std::vector<std::uint16_t> halves;
            for (float& value : b) {
                halves.push_back(f32_to_f16(value));
                value = f16_to_f32(halves.back());
            }
            const std::vector<float> b_panels = panels(b, n, rank);
            const std::vector<std::uint16_t> half_panels = panels(halves, n, rank);
            const std::vector<float> u = random_floats(kTokens * (rank + 2), rng);
            std::vector<float> y = random_floats(kTokens * (n + 3), rng);
            const std::vector<float> before = y;
            std::vector<float> single = before;
            std::vector<float> half = before;
            const auto last = static_cast<std::int64_t>(n);
            table().low_rank_add(QuantType::F32, rank, b_panels.data(), 0, last, u.data(), rank + 2,
                                 kTokens, -0.75F, y.data(), n + 3);
            table().low_rank_add(QuantType::F16, rank, half_panels.data(), 0, last, u.data(),
                                 rank + 2, kTokens, -0.75F, half.data(), n + 3);
            EXPECT_EQ(half, y) << n << ", rank " << rank;
            // The same a row and an output at a time: bits do not depend on the cut.
            for (std::size_t t = 0; t < kTokens; ++t) {
                for (std::int64_t i = 0; i < last; ++i)
                    table().low_rank_add(QuantType::F32, rank, b_panels.data(), i, i + 1,
                                         u.data() + t * (rank + 2), rank + 2, 1, -0.75F,
                                         single.data() + t * (n + 3), n + 3);
            }
            EXPECT_EQ(y, single) << n << ", rank " << rank;
            for (std::size_t t = 0; t < kTokens; ++t) {
                for (std::size_t i = 0; i < n + 3; ++i) {
                    double sum = 0;
                    double size = 0;
                    for (std::size_t k = 0; k < rank && i < n; ++k) {
                        const double product =
                            double{u[t * (rank + 2) + k]} * double{b[i * rank + k]};
                        sum += product;
                        size += std::abs(product);
                    }
                    const std::size_t at = t * (n + 3) + i;
                    EXPECT_NEAR(double{y[at]}, double{before[at]} - 0.75 * sum,
                                1e-6 * (size + std::abs(double{before[at]})));
                }
            }
        }
    }
}

std::vector<float> gate_values() {
    std::vector<float> gate;
    for (float x = -110.0F; x < 110.0F; x += 0.0173F)
        gate.push_back(x);
    gate.insert(gate.end(), {0.0F, -0.0F, 1e-30F, -1e-30F, 1e4F, -1e4F});
    return gate;
}

TEST_P(VectorOps, SiluIsWithinOneInAMillion) {
    const std::vector<float> gate = gate_values();
    const std::vector<float> up = random_floats(gate.size(), rng);
    std::vector<float> out = gate; // in place
    table().silu_mul(gate.size(), out.data(), up.data(), out.data());
    for (std::size_t i = 0; i < gate.size(); ++i)
        expect_near_relative(
            out[i], double{gate[i]} / (1.0 + std::exp(-double{gate[i]})) * double{up[i]}, 1e-6);
}

TEST_P(VectorOps, GeluIsTheTanhFormula) {
    const std::vector<float> gate = gate_values();
    const std::vector<float> up = random_floats(gate.size(), rng);
    std::vector<float> out(gate.size());
    table().gelu_mul(gate.size(), gate.data(), up.data(), out.data());
    for (std::size_t i = 0; i < gate.size(); ++i) {
        const double x = gate[i];
        const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
        const double exact = 0.5 * x * (1 + std::tanh(u)) * double{up[i]};
        // The formula itself amplifies a rounding of u by u: absolute near the left tail.
        EXPECT_LE(std::fabs(double{out[i]} - exact),
                  3e-6 * std::fabs(exact) + 1e-6 * std::fabs(double{up[i]}))
            << x;
    }
}

TEST_P(VectorOps, AnElementDoesNotDependOnItsPlace) {
    const std::vector<float> gate = random_floats(67, rng), up = random_floats(67, rng);
    std::vector<float> whole(67);
    table().silu_mul(67, gate.data(), up.data(), whole.data());
    for (std::size_t i = 0; i < 67; ++i) {
        float one = 0;
        table().silu_mul(1, &gate[i], &up[i], &one);
        EXPECT_EQ(one, whole[i]);
    }
}

TEST_P(VectorOps, RopeRotatesItsPairsAndLeavesTheRest) {
    for (const bool interleaved : {false, true})
        for (const auto& [head_dim, rope_dims] :
             {std::pair{64, 64}, {128, 128}, {80, 32}, {12, 10}, {6, 4}, {96, 96}}) {
            const auto half = static_cast<std::size_t>(rope_dims) / 2;
            const auto dim = static_cast<std::size_t>(head_dim);
            std::vector<float> angles(2 * half);
            for (std::size_t i = 0; i < half; ++i) {
                angles[2 * i] = std::cos(static_cast<float>(i) + 0.3F);
                angles[2 * i + 1] = std::sin(static_cast<float>(i) + 0.3F);
            }
            const std::vector<float> before = random_floats(3 * dim, rng);
            std::vector<float> x = before;
            table().rope(3, head_dim, rope_dims, interleaved, angles.data(), x.data());
            for (std::size_t h = 0; h < 3; ++h) {
                for (std::size_t i = 0; i < half; ++i) {
                    const std::size_t a = h * dim + (interleaved ? 2 * i : i);
                    const std::size_t b = interleaved ? a + 1 : a + half;
                    const float c = angles[2 * i], s = angles[2 * i + 1];
                    EXPECT_NEAR(x[a], before[a] * c - before[b] * s, 1e-6);
                    EXPECT_NEAR(x[b], before[a] * s + before[b] * c, 1e-6);
                }
                for (std::size_t i = 2 * half; i < dim; ++i)
                    EXPECT_EQ(x[h * dim + i], before[h * dim + i]);
            }
        }
}

TEST_P(VectorOps, StoredRowsAreTheScalarOnes) {
    for (const std::uint8_t kind : {kKvF32, kKvF16, kKvQ8_0})
        for (const std::size_t n : {32U, 64U, 96U, 160U}) {
            std::vector<float> x = random_floats(n, rng, 4.0F);
            x[1] = 1e-7F;
            x[2] = 70000.0F;
            std::vector<std::uint8_t> a(kv_row_bytes(kind, n) + 1, 9), b = a;
            kernel_table(Isa::Scalar).store_kv(kind, n, x.data(), a.data());
            table().store_kv(kind, n, x.data(), b.data());
            EXPECT_EQ(a, b);
            EXPECT_EQ(a.back(), 9);
        }
}

TEST_P(VectorOps, CacheRowsComeBackWithinTheirPrecision) {
    const std::vector<float> x = random_floats(64, rng);
    for (const std::uint8_t kind : {kKvF32, kKvF16, kKvQ8_0}) {
        std::vector<std::uint8_t> row(kv_row_bytes(kind, 64));
        std::vector<float> back(64);
        table().store_kv(kind, 64, x.data(), row.data());
        load_kv_scalar(kind, 64, row.data(), back.data());
        for (std::size_t i = 0; i < 64; ++i)
            EXPECT_NEAR(back[i], x[i], kind == kKvF32 ? 0 : kind == kKvF16 ? 2e-3 : 2e-2);
    }
}

INSTANTIATE_TEST_SUITE_P(EverySet, VectorOps, ::testing::ValuesIn(all_isas()), isa_test_name);

} // namespace
} // namespace alcove
