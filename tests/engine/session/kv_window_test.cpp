// Layers with a window forget what they cannot see any more; nobody notices.
#include "engine/engine.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace alcove {
namespace {

/// A model whose window is far shorter than the context of these tests.
class KvWindow : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const std::filesystem::path folder = test::case_folder(GetParam());
        if (folder.empty())
            GTEST_SKIP() << "no fixture " << GetParam() << " (ALCOVE_SHARED)";
        auto model = Model::load(folder / "model.gguf", {}, {});
        ASSERT_TRUE(model) << model.error().message;
        model_ = *model;
    }

    static SessionOptions options(std::int32_t n_batch) {
        SessionOptions options;
        options.n_ctx = 400;
        options.n_batch = n_batch;
        options.n_threads = 2;
        return options;
    }
    std::unique_ptr<Session> session(std::int32_t n_batch) const {
        auto made = Session::create(model_, options(n_batch));
        EXPECT_TRUE(made) << (made ? "" : made.error().message);
        return made ? std::move(*made) : nullptr;
    }
    std::vector<TokenId> tokens(std::size_t n, std::uint32_t seed) const {
        std::mt19937 random(seed);
        std::vector<TokenId> result;
        while (result.size() < n)
            result.push_back(static_cast<TokenId>(
                random() % static_cast<unsigned>(std::min(model_->info().n_vocab, 400))));
        return result;
    }
    static Result<GenerateResult> ask(Session& session, std::vector<TokenId> prompt) {
        GenerateRequest request;
        request.prompt = std::move(prompt);
        request.n_predict = 6;
        request.sampling.temperature = 0;
        request.ignore_end = true;
        return session.generate(request, {}, {});
    }

    std::shared_ptr<const Model> model_;
};

TEST_P(KvWindow, AShortBatchNeedsFarLessMemoryAndGivesTheSameLogits) {
    const std::vector<TokenId> text = tokens(330, 1);
    const auto whole = session(400); // nothing is ever forgotten
    const auto expected = whole->evaluate(text, {}, {});
    ASSERT_TRUE(expected);
    for (const std::int32_t n_batch : {1, 7, 32}) {
        const auto s = session(n_batch);
        EXPECT_LT(s->memory().kv_bytes, whole->memory().kv_bytes);
        const auto found = s->evaluate(text, {}, {});
        ASSERT_TRUE(found);
        EXPECT_LE(test::max_difference(found->logits, expected->logits), 0.02) << n_batch;
    }
}

TEST_P(KvWindow, TheEstimateBeforeLoadingIsWhatTheSessionTakes) {
    const auto s = session(16);
    const auto estimate = estimate_memory(model_->info().path, options(16));
    ASSERT_TRUE(estimate);
    EXPECT_EQ(estimate->kv_bytes, s->memory().kv_bytes);
}

TEST_P(KvWindow, GoingBackALittleKeepsWhatWasRead) {
    const auto s = session(16);
    std::vector<TokenId> prompt = tokens(200, 2);
    ASSERT_TRUE(ask(*s, prompt));
    prompt.resize(198);
    prompt.push_back(7);
    const auto answer = ask(*s, prompt);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->stats.cached_tokens, 198);
    EXPECT_EQ(answer->ids, ask(*session(16), prompt)->ids);
}

TEST_P(KvWindow, GoingBackPastTheWindowReadsAgainAndNeverUsesWhatIsGone) {
    const auto s = session(16);
    std::vector<TokenId> prompt = tokens(300, 3);
    ASSERT_TRUE(ask(*s, prompt));
    prompt.resize(40);
    prompt.push_back(9);
    const auto answer = ask(*s, prompt);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->stats.cached_tokens, 0);
    EXPECT_EQ(answer->ids, ask(*session(16), prompt)->ids);
}

TEST_P(KvWindow, AnyOrderOfTurnsAnswersLikeAFreshSession) {
    std::mt19937 random(4);
    const auto s = session(16);
    const std::vector<TokenId> text = tokens(380, 5);
    for (int step = 0; step < 25; ++step) {
        std::vector<TokenId> prompt(text.begin(), text.begin() + 1 + random() % 370);
        prompt.back() = static_cast<TokenId>(random() % 50);
        const auto answer = ask(*s, prompt);
        ASSERT_TRUE(answer);
        // Chunks begin elsewhere, so sums are rounded differently: the same within rounding.
        const auto fresh = session(16)->evaluate(prompt, {.all_logits = false}, {});
        ASSERT_TRUE(fresh);
        const float best = *std::max_element(fresh->logits.begin(), fresh->logits.end());
        EXPECT_GE(fresh->logits[static_cast<std::size_t>(answer->ids.front())], best - 0.02F)
            << step;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, KvWindow, testing::Values("olmo3", "gemma2", "gemma3"));

} // namespace
} // namespace alcove
