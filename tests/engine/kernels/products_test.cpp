// Matrix products of every set and type against double sums, with the bound of kernel_table.h.
#include "engine/kernels/quantize/quantize.h"
#include "tests/engine/kernels/kernel_test_util.h"

namespace alcove {
namespace {

using Case = std::tuple<Isa, QuantType>;

class Products : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override { SKIP_UNLESS_RUNNABLE(std::get<0>(GetParam())); }
    const KernelTable& table() const { return kernel_table(std::get<0>(GetParam())); }
    QuantType type() const { return std::get<1>(GetParam()); }
    const QuantTraits& traits() const { return *quant_traits(type()); }
    std::mt19937 rng{20240607};
};

/// A matrix and activation rows of one kind.
struct Problem {
    const QuantTraits& traits;
    ActType act;
    std::size_t n_rows, n_cols, n_tokens, stride, x_bytes;
    AlignedBytes w, x;
    std::vector<float> raw;

    Problem(const KernelTable& table, const QuantTraits& t, bool float_act, std::size_t rows,
            std::size_t cols, std::size_t tokens, std::size_t shift, std::mt19937& rng)
        : traits(t), act(act_type(t.type, float_act)), n_rows(rows), n_cols(cols), n_tokens(tokens),
          stride(row_bytes(t, cols)), x_bytes(act_row_bytes(act, cols)), w(rows * stride, shift),
          x(tokens * x_bytes), raw(random_floats(tokens * cols, rng)) {
        fill_blocks(t, rows * cols / t.block_size, w.data(), rng);
        quantize(table);
    }
    void quantize(const KernelTable& table) {
        for (std::size_t t = 0; t < n_tokens; ++t)
            table.quantize_row(act, n_cols, raw.data() + t * n_cols, x.data() + t * x_bytes);
    }
    /// Value i of activation row t as the product sees it.
    double activation(std::size_t t, std::size_t i) const {
        const std::uint8_t* row = x.data() + t * x_bytes;
        if (act == ActType::F32)
            return reinterpret_cast<const float*>(row)[i];
        const ActLayout layout = act_layout(n_cols);
        const auto* scale = reinterpret_cast<const float*>(row + layout.scale);
        const int code =
            128 * static_cast<std::int8_t>(row[i]) + static_cast<std::int8_t>(row[layout.low + i]);
        return double{scale[i / 32]} * code;
    }
    /// Exact sum and sum of magnitudes for row r and token t.
    std::pair<double, double> expected(std::size_t r, std::size_t t) const {
        std::vector<float> weights(n_cols);
        decode_row(traits.type, n_cols, w.data() + r * stride, weights.data());
        double sum = 0, magnitude = 0;
        for (std::size_t i = 0; i < n_cols; ++i) {
            const double product = double{weights[i]} * activation(t, i);
            sum += product;
            magnitude += std::fabs(product);
        }
        return {sum, magnitude};
    }
    double bound(double magnitude) const {
        const double n_blocks =
            act == ActType::F32 ? static_cast<double>(n_cols) : static_cast<double>(n_cols) / 32;
        return (n_blocks + 8) * 0x1p-24 * magnitude;
    }
    void expect_value(float y, std::size_t r, std::size_t t) const {
        const auto [sum, magnitude] = expected(r, t);
        ASSERT_LE(std::fabs(double{y} - sum), bound(magnitude))
            << traits.name << " row " << r << " token " << t << " of " << n_rows << "x" << n_cols
            << ": " << y << " instead of " << sum;
    }
    std::vector<float> matvec(const KernelTable& table, std::size_t begin, std::size_t end,
                              std::size_t t = 0) const {
        std::vector<float> y(end - begin, -1);
        table.matvec(traits.type, act, n_cols, w.data(), stride, static_cast<std::int64_t>(begin),
                     static_cast<std::int64_t>(end), x.data() + t * x_bytes, y.data());
        return y;
    }
    std::vector<float> matmul(const KernelTable& table, std::vector<std::size_t> cuts) const {
        AlignedBytes scratch(table.matmul_scratch_bytes(n_cols));
        const std::size_t y_stride = n_rows + 3;
        std::vector<float> y(n_tokens * y_stride, -1);
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
            table.matmul(traits.type, act, n_cols, w.data(), stride,
                         static_cast<std::int64_t>(cuts[i]), static_cast<std::int64_t>(cuts[i + 1]),
                         x.data(), x_bytes, static_cast<std::int32_t>(n_tokens), y.data(), y_stride,
                         scratch.data());
        return y;
    }
};

std::vector<std::size_t> widths(const QuantTraits& traits) {
    const std::size_t block = traits.block_size == 1 ? 5 : traits.block_size;
    return {block, 3 * block, traits.block_size == 256 ? 1280UL : 33 * block};
}

TEST_P(Products, MatvecIsWithinItsBound) {
    for (const bool float_act : {false, true})
        for (const std::size_t cols : widths(traits()))
            for (const std::size_t rows : {1U, 3U, 16U, 37U}) {
                const Problem p(table(), traits(), float_act, rows, cols, 1, 1, rng);
                const std::vector<float> y = p.matvec(table(), 0, rows);
                for (std::size_t r = 0; r < rows; ++r)
                    p.expect_value(y[r], r, 0);
            }
}

TEST_P(Products, MatmulIsWithinItsBoundAndTouchesNothingElse) {
    for (const bool float_act : {false, true})
        for (const std::size_t cols : widths(traits()))
            for (const std::size_t rows : {1U, 17U, 32U, 50U}) {
                const std::size_t tokens = rows == 50 ? 17 : rows == 17 ? 5 : 6;
                const Problem p(table(), traits(), float_act, rows, cols, tokens, 3, rng);
                const std::vector<float> y = p.matmul(table(), {0, rows});
                for (std::size_t t = 0; t < tokens; ++t) {
                    for (std::size_t r = 0; r < rows; ++r)
                        p.expect_value(y[t * (rows + 3) + r], r, t);
                    for (std::size_t r = rows; r < rows + 3; ++r)
                        ASSERT_EQ(y[t * (rows + 3) + r], -1);
                }
            }
}

TEST_P(Products, ZeroColumnsGiveZero) {
    const Problem p(table(), traits(), false, 3, 0, 2, 0, rng);
    for (const float y : p.matvec(table(), 0, 3))
        EXPECT_EQ(y, 0);
}

TEST_P(Products, ARowDoesNotDependOnHowRowsAreSplit) {
    for (const bool float_act : {false, true}) {
        const std::size_t cols =
            4 * std::size_t{traits().block_size == 1 ? 19 : traits().block_size};
        const Problem p(table(), traits(), float_act, 75, cols, 7, 0, rng);
        const std::vector<float> whole = p.matvec(table(), 0, 75);
        for (const std::size_t cut : {1U, 16U, 33U, 74U}) {
            std::vector<float> parts = p.matvec(table(), 0, cut);
            const std::vector<float> rest = p.matvec(table(), cut, 75);
            parts.insert(parts.end(), rest.begin(), rest.end());
            EXPECT_EQ(std::memcmp(parts.data(), whole.data(), 75 * sizeof(float)), 0) << cut;
        }
        const std::vector<float> all = p.matmul(table(), {0, 75});
        const std::vector<float> cut = p.matmul(table(), {0, 5, 38, 75});
        EXPECT_EQ(std::memcmp(all.data(), cut.data(), all.size() * sizeof(float)), 0);
    }
}

TEST_P(Products, ExtremeCodesAndActivationsAreExact) {
    // All bytes equal, the activations at both ends of their range: the integer sums are as large
    // as they get.
    const std::size_t cols = std::max<std::size_t>(64, traits().block_size);
    Problem p(table(), traits(), false, 20, cols, 4, 0, rng);
    if (p.act == ActType::F32)
        GTEST_SKIP() << "no codes";
    for (const int byte : {0x00, 0x7f, 0x80, 0xff, 0x88, 0x08}) {
        std::memset(p.w.data(), byte, p.n_rows * p.stride);
        const std::uint16_t d = f32_to_f16(0.5F), m = f32_to_f16(-3.0F);
        for (std::size_t b = 0; b < p.n_rows * cols / traits().block_size; ++b) {
            std::uint8_t* block = p.w.data() + b * traits().block_bytes;
            put_scales(traits().type, block, [&](std::size_t at) {
                std::memcpy(block + at, at == 2 || at == 82 ? &m : &d, 2);
            });
        }
        for (std::size_t i = 0; i < p.raw.size(); ++i) {
            const std::size_t token = i / cols;
            p.raw[i] = token == 0   ? 127.0F
                       : token == 1 ? -127.0F
                       : token == 2 ? 0.0F
                       : i % 2      ? 127
                                    : -127;
        }
        p.quantize(table());
        const std::vector<float> y = p.matmul(table(), {0, p.n_rows});
        for (std::size_t token = 0; token < 4; ++token) {
            const std::vector<float> v = p.matvec(table(), 0, p.n_rows, token);
            for (std::size_t r = 0; r < p.n_rows; ++r) {
                p.expect_value(y[token * (p.n_rows + 3) + r], r, token);
                p.expect_value(v[r], r, token);
            }
        }
    }
}

TEST_P(Products, NotANumberComesOut) {
    const std::size_t cols = std::max<std::size_t>(64, traits().block_size);
    Problem p(table(), traits(), false, 3, cols, 3, 0, rng);
    p.raw[5] = std::nanf("");
    p.raw[cols + 40] = HUGE_VALF;
    p.quantize(table());
    const std::vector<float> y = p.matmul(table(), {0, 3});
    for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_TRUE(std::isnan(y[r]));
        EXPECT_FALSE(std::isfinite(y[6 + r]));
        p.expect_value(y[12 + r], r, 2);
        EXPECT_TRUE(std::isnan(p.matvec(table(), r, r + 1, 0)[0]));
    }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    return std::string(isa_name(std::get<0>(info.param))) + "_" +
           std::string(quant_traits(std::get<1>(info.param))->name);
}
INSTANTIATE_TEST_SUITE_P(EverySetAndType, Products,
                         ::testing::Combine(::testing::ValuesIn(all_isas()),
                                            ::testing::ValuesIn(runnable_types())),
                         case_name);

} // namespace
} // namespace alcove
