#include "engine/engine.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alcove {
namespace {

using test::exact_options;
using test::OraclePrompt;

std::shared_ptr<const Model> load(const std::filesystem::path& path) {
    auto model = Model::load(path, {}, {});
    EXPECT_TRUE(model) << (model ? "" : model.error().message);
    return model ? *model : nullptr;
}

Session::Evaluation evaluate(const std::shared_ptr<const Model>& model,
                             const SessionOptions& options, const OraclePrompt& prompt) {
    auto session = Session::create(model, options);
    EXPECT_TRUE(session) << (session ? "" : session.error().message);
    if (!session)
        return {};
    return test::evaluate(**session, prompt.tokens);
}

double logit_limit(const OraclePrompt& prompt) {
    const double scale = std::max(1.0, prompt.logit_std);
    return (prompt.name == "long" ? 1e-3 : 3e-4) * scale;
}

class OracleModel : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        folder_ = test::case_folder(GetParam());
        if (folder_.empty())
            GTEST_SKIP() << "no fixture " << GetParam() << " (ALCOVE_SHARED)";
        const nlohmann::json expected = test::read_json(folder_ / "expected.json");
        prompts_ = test::read_prompts(folder_, expected["prompts"]);
        model_ = load(folder_ / expected["model"].get<std::string>());
        ASSERT_NE(model_, nullptr);
        ASSERT_FALSE(prompts_.empty());
    }

    std::filesystem::path folder_;
    std::vector<OraclePrompt> prompts_;
    std::shared_ptr<const Model> model_;
};

TEST_P(OracleModel, LogitsAgreeForEveryBatchSize) {
    for (const OraclePrompt& prompt : prompts_) {
        for (const std::int32_t n_batch : {1, 7, 32, 512}) {
            const auto result = evaluate(model_, exact_options(n_batch, 2), prompt);
            EXPECT_LE(test::max_difference(result.logits, prompt.logits), logit_limit(prompt))
                << prompt.name << ", batch " << n_batch;
            EXPECT_LE(test::max_difference(result.hidden_last, prompt.hidden), 1e-3)
                << prompt.name << ", batch " << n_batch;
        }
    }
}

TEST_P(OracleModel, ThreadsNeverChangeABit) {
    for (const OraclePrompt& prompt : prompts_) {
        for (const std::int32_t n_batch : {1, 512}) {
            const auto one = evaluate(model_, exact_options(n_batch, 1), prompt);
            for (const std::int32_t n_threads : {2, 5}) {
                const auto several = evaluate(model_, exact_options(n_batch, n_threads), prompt);
                EXPECT_EQ(several.logits, one.logits)
                    << prompt.name << ", batch " << n_batch << ", threads " << n_threads;
            }
        }
    }
}

TEST_P(OracleModel, HalfPrecisionCacheStaysClose) {
    for (const OraclePrompt& prompt : prompts_) {
        for (const std::int32_t n_batch : {1, 512}) {
            SessionOptions options = exact_options(n_batch, 2);
            options.kv_type = KvType::F16;
            const auto result = evaluate(model_, options, prompt);
            EXPECT_LE(test::max_difference(result.logits, prompt.logits),
                      0.03 * std::max(1.0, prompt.logit_std))
                << prompt.name << ", batch " << n_batch;
        }
    }
}

TEST_P(OracleModel, GreedyAnswerIsTheExpectedOne) {
    for (const OraclePrompt& prompt : prompts_) {
        auto session = Session::create(model_, exact_options(512, 2));
        ASSERT_TRUE(session);
        GenerateRequest request;
        request.prompt = prompt.tokens;
        request.n_predict = static_cast<std::int32_t>(prompt.greedy.size());
        request.sampling.temperature = 0;
        request.ignore_end = true;
        auto answer = (*session)->generate(request, {}, {});
        ASSERT_TRUE(answer) << answer.error().message;
        // A step whose winner leads by less than rounding decides nothing, nor does what follows.
        std::size_t n = 0;
        while (n < prompt.greedy.size() && prompt.greedy_margin[n] > 2 * logit_limit(prompt))
            ++n;
        ASSERT_GE(answer->ids.size(), n);
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_EQ(answer->ids[i], prompt.greedy[i]) << prompt.name << ", step " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, OracleModel,
                         testing::Values("llama", "llama3_ropefreqs", "llama_rope_linear",
                                         "llama_rope_yarn", "mistral", "granite", "qwen2", "qwen3",
                                         "qwen3moe", "lfm2", "lfm2moe", "smollm3", "gemma2",
                                         "gemma3", "phi3", "phi3_short", "llama_longrope",
                                         "mistral3", "olmo2", "olmo3", "mixtral"));

// --- every weight type

class OracleQuant : public testing::TestWithParam<const char*> {};

double lowest_cosine(const std::vector<float>& a, const std::vector<float>& b, std::size_t width) {
    double lowest = 1;
    for (std::size_t row = 0; row + width <= a.size(); row += width) {
        double ab = 0;
        double aa = 0;
        double bb = 0;
        for (std::size_t i = row; i < row + width; ++i) {
            ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
            aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
            bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
        }
        lowest = std::min(lowest, ab / std::sqrt(aa * bb));
    }
    return lowest;
}

TEST_P(OracleQuant, LogitsAgreeForEveryTypeThatRuns) {
    const std::filesystem::path folder = test::case_folder(GetParam());
    if (folder.empty())
        GTEST_SKIP() << "no fixture " << GetParam() << " (ALCOVE_SHARED)";
    int n_run = 0;
    const nlohmann::json expected = test::read_json(folder / "expected.json");
    for (const nlohmann::json& file : expected["files"]) {
        const std::string type = file["type"];
        auto model = Model::load(folder / file["model"].get<std::string>(), {}, {});
        if (!model) {
            // A type that does not run is refused by its name, nothing else.
            EXPECT_EQ(model.error().code, Errc::Unsupported) << type << model.error().message;
            continue;
        }
        ++n_run;
        for (const OraclePrompt& prompt :
             test::read_prompts(folder, nlohmann::json::array({file}))) {
            for (const std::int32_t n_batch : {1, 512}) {
                const auto exact = evaluate(*model, exact_options(n_batch, 2), prompt);
                EXPECT_LE(test::max_difference(exact.logits, prompt.logits), logit_limit(prompt))
                    << type << " " << prompt.name << ", batch " << n_batch;
                SessionOptions options = exact_options(n_batch, 2);
                options.activations = Activations::Auto;
                const auto rounded = evaluate(*model, options, prompt);
                EXPECT_LE(test::max_difference(rounded.logits, prompt.logits),
                          0.25 * prompt.logit_std)
                    << type << " " << prompt.name << ", batch " << n_batch;
                EXPECT_GE(lowest_cosine(rounded.logits, prompt.logits,
                                        static_cast<std::size_t>(rounded.n_vocab)),
                          0.99)
                    << type << " " << prompt.name << ", batch " << n_batch;
            }
        }
    }
    EXPECT_GE(n_run, 11) << "F16 BF16 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q4_K Q5_K Q6_K and a mixture";
}

INSTANTIATE_TEST_SUITE_P(Cases, OracleQuant,
                         testing::Values("quant_llama", "quant_qwen3", "quant_gemma3"));

} // namespace
} // namespace alcove
