#include "engine/engine.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

namespace alcove {
namespace {

TEST(FusedTensors, AnAdapterReachesEveryPart) {
    const std::filesystem::path folder = test::data_models() / "phi3";
    auto model = Model::load(folder / "model.gguf", {}, {});
    ASSERT_TRUE(model) << model.error().message;
    auto adapter = Adapter::load(folder / "adapter.gguf", *model, {}, {});
    ASSERT_TRUE(adapter) << adapter.error().message;
    const auto tokens =
        test::read_json(folder / "adapted.json")["tokens"].get<std::vector<TokenId>>();
    const std::vector<float> expected = test::read_floats(folder / "short.adapted.f32");
    for (const std::int32_t n_batch : {1, 5, 64}) {
        for (const std::int32_t n_threads : {1, 2}) {
            auto session = Session::create(*model, test::exact_options(n_batch, n_threads));
            ASSERT_TRUE(session) << session.error().message;
            const std::vector<float> base = test::evaluate(**session, tokens).logits;
            const AdapterUse use{*adapter, 1.0F};
            ASSERT_TRUE((*session)->set_adapters({&use, 1}));
            EXPECT_LE(test::max_difference(test::evaluate(**session, tokens).logits, expected),
                      3e-4)
                << "batch " << n_batch << ", threads " << n_threads;
            EXPECT_GT(test::max_difference(base, expected), 0.1);
        }
    }
}

} // namespace
} // namespace alcove
