#include "engine/adapter/adapter.h"
#include "engine/adapter/rank_one.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <cmath>

namespace alcove {
namespace {

namespace fs = std::filesystem;

/// The vectors of rankone/cases.json: the whole fixture's, else the part kept in tests/data.
fs::path vectors() {
    const fs::path shared =
        test::shared_models().parent_path().parent_path() / "spec/prism/fixtures/rankone";
    return fs::exists(shared / "cases.json") ? shared : fs::path(ALCOVE_TEST_DATA) / "rank_one";
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(RankOne, EveryVectorIsExactToTheBit) {
    const fs::path folder = vectors();
    const nlohmann::json cases = test::read_json(folder / "cases.json");
    for (const nlohmann::json& entry : cases["linear"]) {
        const auto file = [&](const char* name) {
            return test::read_floats(folder / entry["files"][name].get<std::string>());
        };
        const std::vector<float> a = file("a");
        const std::vector<float> b = file("b");
        const std::vector<float> x = file("x");
        std::vector<float> y = file("y");
        const std::string expect = entry["expect"];
        const float scale = std::strtof(entry["scale"].get<std::string>().c_str(), nullptr);
        const bool allowed = check_adapter_scale(AdapterKind::RankOne, scale).has_value();
        EXPECT_EQ(allowed, expect != "adapter.scale") << entry["name"];
        bool finite = true;
        if (allowed && scale != 0.0F) {
            const float factor = scale * entry["alpha"].get<float>();
            const std::size_t n_tokens = entry["tokens"];
            for (std::size_t t = 0; t < n_tokens && finite; ++t) {
                const float r = adapter::rank_one_dot(a.size(), a.data(), x.data() + t * a.size());
                finite =
                    adapter::rank_one_add(b.size(), b.data(), r, factor, y.data() + t * b.size());
            }
        }
        EXPECT_EQ(finite, expect != "adapter.nonfinite_result") << entry["name"];
        EXPECT_TRUE(same_bits(y, file("z"))) << entry["name"];
    }
}

TEST(RankOne, TheEmbeddingTakesItsStoredValue) {
    const fs::path folder = vectors();
    const nlohmann::json embedding = test::read_json(folder / "cases.json")["embedding"];
    const auto a = test::read_floats(folder / embedding["a"].get<std::string>());
    const auto b = test::read_floats(folder / embedding["b"].get<std::string>());
    const float factor = embedding["scale"].get<float>() * embedding["alpha"].get<float>();
    for (const nlohmann::json& entry : embedding["cases"]) {
        if (entry["expect"] != "ok")
            continue; // tokens past the vocabulary never reach the arithmetic
        auto y = test::read_floats(folder / entry["y"].get<std::string>());
        ASSERT_TRUE(adapter::rank_one_add(b.size(), b.data(), a[entry["token"].get<std::size_t>()],
                                          factor, y.data()));
        EXPECT_TRUE(same_bits(y, test::read_floats(folder / entry["z"].get<std::string>())));
    }
}

TEST(RankOne, AValueThatIsNoNumberLeavesTheOutput) {
    const std::vector<float> b{1, 2, 3};
    std::vector<float> y{1, -0.0F, 3};
    const std::vector<float> before = y;
    EXPECT_FALSE(adapter::rank_one_add(3, b.data(), NAN, 1, y.data()));
    EXPECT_FALSE(adapter::rank_one_add(3, b.data(), INFINITY, 1, y.data()));
    EXPECT_FALSE(adapter::rank_one_add(3, b.data(), 2e38F, 1, y.data())); // the last one overflows
    EXPECT_TRUE(same_bits(y, before));
}

} // namespace
} // namespace alcove
