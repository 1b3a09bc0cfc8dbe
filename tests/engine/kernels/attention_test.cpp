// Attention of every set against a plain softmax in double.
#include "engine/kernels/kv/kv.h"
#include "tests/engine/kernels/kernel_test_util.h"

namespace alcove {
namespace {

/// A cache with `n_pos` positions for one KV head among n_kv_head, and queries.
struct Scene {
    std::int32_t group, head_dim, n_q, first_pos, window = 0;
    float softcap = 0;
    std::uint8_t kind = kKvF16;
    std::size_t stride = 0;
    std::vector<std::uint8_t> k, v;
    std::vector<float> keys, values, q;

    Scene(std::int32_t group_, std::int32_t dim, std::int32_t rows, std::int32_t first,
          std::uint8_t kind_, std::mt19937& rng)
        : group(group_), head_dim(dim), n_q(rows), first_pos(first), kind(kind_) {
        const auto n_pos = static_cast<std::size_t>(first_pos + n_q);
        const auto d = static_cast<std::size_t>(head_dim);
        const KernelTable& scalar = kernel_table(Isa::Scalar);
        stride = 2 * kv_row_bytes(kind, d) + 6; // two heads and a gap: rows are not aligned
        const auto fill = [&](std::vector<std::uint8_t>& cache, std::vector<float>& floats) {
            cache.resize(n_pos * stride);
            floats.resize(n_pos * d);
            for (std::size_t p = 0; p < n_pos; ++p) {
                const std::vector<float> row = random_floats(d, rng);
                scalar.store_kv(kind, d, row.data(), cache.data() + p * stride);
                load_kv_scalar(kind, d, cache.data() + p * stride, floats.data() + p * d);
            }
        };
        fill(k, keys);
        fill(v, values);
        q = random_floats(static_cast<std::size_t>(n_q) * q_stride(), rng);
    }
    std::size_t q_stride() const { return static_cast<std::size_t>(group * head_dim) + 5; }
    AttentionArgs args(float* out, void* scratch) const {
        AttentionArgs a;
        a.q = q.data();
        a.q_stride = q_stride();
        a.n_q = n_q;
        a.group = group;
        a.head_dim = head_dim;
        a.k = k.data();
        a.v = v.data();
        a.kv_stride = stride;
        a.kv_type = kind;
        a.first_pos = first_pos;
        a.window = window;
        a.scale = 1.0F / std::sqrt(static_cast<float>(head_dim));
        a.softcap = softcap;
        a.out = out;
        a.out_stride = q_stride();
        a.scratch = scratch;
        return a;
    }
    /// Head h of row i, in double.
    std::vector<double> expected(std::int32_t i, std::int32_t h) const {
        const auto d = static_cast<std::size_t>(head_dim);
        const float* query =
            q.data() + static_cast<std::size_t>(i) * q_stride() + static_cast<std::size_t>(h) * d;
        const std::int32_t pos = first_pos + i;
        const std::int32_t from = window > 0 ? std::max(0, pos - window + 1) : 0;
        std::vector<double> scores, out(d, 0.0);
        for (auto p = static_cast<std::size_t>(from); p <= static_cast<std::size_t>(pos); ++p) {
            double score = 0;
            for (std::size_t j = 0; j < d; ++j)
                score += double{query[j]} * double{keys[p * d + j]};
            score /= std::sqrt(static_cast<double>(head_dim));
            scores.push_back(softcap > 0 ? double{softcap} * std::tanh(score / double{softcap})
                                         : score);
        }
        const double m = *std::max_element(scores.begin(), scores.end());
        double sum = 0;
        for (double& score : scores)
            sum += score = std::exp(score - m);
        for (std::size_t s = 0; s < scores.size(); ++s)
            for (std::size_t j = 0; j < d; ++j)
                out[j] +=
                    scores[s] / sum * double{values[(static_cast<std::size_t>(from) + s) * d + j]};
        return out;
    }
};

class Attention : public ::testing::TestWithParam<Isa> {
protected:
    void SetUp() override { SKIP_UNLESS_RUNNABLE(GetParam()); }
    const KernelTable& table() const { return kernel_table(GetParam()); }
    std::mt19937 rng{5};

    std::vector<float> prefill(const Scene& scene) const {
        std::vector<float> out(static_cast<std::size_t>(scene.n_q) * scene.q_stride(), -3);
        AlignedBytes scratch(table().attention_scratch_bytes(scene.group, scene.head_dim));
        table().attention(scene.args(out.data(), scratch.data()));
        return out;
    }
    /// One row by parts; `step` blocks per call.
    std::vector<float> decode(const Scene& scene, std::int32_t step) const {
        AlignedBytes scratch(table().attention_scratch_bytes(scene.group, scene.head_dim));
        const AttentionArgs args = scene.args(nullptr, scratch.data());
        const AttentionBlocks blocks = attention_blocks(scene.first_pos, scene.window);
        const std::size_t part = attention_part_floats(scene.group, scene.head_dim);
        const auto n = blocks.end - blocks.begin;
        std::vector<float> parts(static_cast<std::size_t>(n) * part, -5);
        for (std::int32_t b = blocks.begin; b < blocks.end; b += step)
            table().attention_partial(args, b, std::min(b + step, blocks.end),
                                      parts.data() +
                                          static_cast<std::size_t>(b - blocks.begin) * part);
        std::vector<float> out(static_cast<std::size_t>(scene.group * scene.head_dim));
        table().attention_merge(scene.group, scene.head_dim, n, parts.data(), out.data());
        return out;
    }
    static void expect_row(const Scene& scene, const float* row, std::int32_t i) {
        for (std::int32_t h = 0; h < scene.group; ++h) {
            const std::vector<double> want = scene.expected(i, h);
            for (std::size_t d = 0; d < want.size(); ++d)
                ASSERT_NEAR(row[static_cast<std::size_t>(h * scene.head_dim) + d], want[d], 5e-6)
                    << "row " << i << " head " << h << " value " << d << " of group " << scene.group
                    << ", head_dim " << scene.head_dim << ", from " << scene.first_pos;
        }
    }
};

TEST_P(Attention, ReadingAPromptIsPlainSoftmax) {
    for (const auto& [group, dim, rows, first] : {std::tuple{3, 64, 40, 0},
                                                  {1, 64, 1, 0},
                                                  {2, 128, 9, 100},
                                                  {4, 80, 33, 61},
                                                  {8, 96, 5, 300},
                                                  {5, 20, 30, 7},
                                                  {1, 256, 70, 0}})
        for (const std::uint8_t kind : {kKvF32, kKvF16, kKvQ8_0}) {
            if (kind == kKvQ8_0 && dim % 32 != 0)
                continue;
            const Scene scene(group, dim, rows, first, kind, rng);
            const std::vector<float> out = prefill(scene);
            for (std::int32_t i = 0; i < rows; ++i)
                expect_row(scene, out.data() + static_cast<std::size_t>(i) * scene.q_stride(), i);
            EXPECT_EQ(out.back(), -3) << "wrote past the heads of a row";
        }
}

TEST_P(Attention, WritingAnAnswerIsPlainSoftmax) {
    for (const auto& [group, dim, first] : {std::tuple{3, 64, 0},
                                            {3, 64, 700},
                                            {1, 64, 255},
                                            {2, 128, 256},
                                            {4, 80, 300},
                                            {7, 96, 513},
                                            {5, 20, 7},
                                            {6, 256, 1030}})
        for (const std::uint8_t kind : {kKvF32, kKvF16, kKvQ8_0}) {
            if (kind == kKvQ8_0 && dim % 32 != 0)
                continue;
            const Scene scene(group, dim, 1, first, kind, rng);
            expect_row(scene, decode(scene, 1).data(), 0);
        }
}

TEST_P(Attention, AWindowHidesWhatLiesBefore) {
    for (const std::int32_t window : {1, 5, 64, 100, 300}) {
        Scene scene(3, 64, 50, 290, kKvF16, rng);
        scene.window = window;
        const std::vector<float> out = prefill(scene);
        for (std::int32_t i = 0; i < 50; ++i)
            expect_row(scene, out.data() + static_cast<std::size_t>(i) * scene.q_stride(), i);
        Scene one(3, 64, 1, 600, kKvF16, rng);
        one.window = window;
        expect_row(one, decode(one, 2).data(), 0);
    }
}

TEST_P(Attention, ScoresAreCapped) {
    Scene scene(2, 64, 20, 30, kKvF32, rng);
    scene.softcap = 0.8F;
    const std::vector<float> out = prefill(scene);
    for (std::int32_t i = 0; i < 20; ++i)
        expect_row(scene, out.data() + static_cast<std::size_t>(i) * scene.q_stride(), i);
    Scene one(2, 64, 1, 300, kKvF32, rng);
    one.softcap = 0.8F;
    expect_row(one, decode(one, 1).data(), 0);
}

TEST_P(Attention, LargeScoresDoNotOverflow) {
    Scene scene(3, 64, 12, 80, kKvF32, rng);
    for (float& value : scene.q)
        value *= 300;
    const std::vector<float> out = prefill(scene);
    for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_TRUE(std::isfinite(out[i])) << i;
}

TEST_P(Attention, ARowDoesNotDependOnTheRowsThatComeWithIt) {
    const Scene scene(3, 64, 61, 37, kKvF16, rng);
    const std::vector<float> whole = prefill(scene);
    AlignedBytes scratch(table().attention_scratch_bytes(3, 64));
    for (const std::int32_t step : {1, 7, 16, 40}) {
        std::vector<float> parts(whole.size(), -3);
        for (std::int32_t i = 0; i < scene.n_q; i += step) {
            AttentionArgs args = scene.args(parts.data(), scratch.data());
            args.q += static_cast<std::size_t>(i) * args.q_stride;
            args.out += static_cast<std::size_t>(i) * args.out_stride;
            args.first_pos += i;
            args.n_q = std::min(step, scene.n_q - i);
            table().attention(args);
        }
        EXPECT_EQ(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(float)), 0) << step;
    }
}

TEST_P(Attention, PartsDoNotDependOnHowBlocksAreSplit) {
    const Scene scene(3, 64, 1, 1500, kKvF16, rng);
    const std::vector<float> whole = decode(scene, 100);
    for (const std::int32_t step : {1, 2, 4})
        EXPECT_EQ(decode(scene, step), whole);
}

INSTANTIATE_TEST_SUITE_P(EverySet, Attention, ::testing::ValuesIn(all_isas()), isa_test_name);

} // namespace
} // namespace alcove
