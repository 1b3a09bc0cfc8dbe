#include "engine/engine.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace alcove {
namespace {

namespace fs = std::filesystem;

using test::evaluate;
using test::exact_options;

/// A case: a base, adapters by name (several files may hold the same numbers), runs.
class AdapterCase : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        folder_ = test::case_folder(GetParam());
        if (folder_.empty())
            GTEST_SKIP() << "no fixture " << GetParam() << " (ALCOVE_SHARED)";
        expected_ = test::read_json(folder_ / "expected.json");
        const fs::path base = folder_ / expected_["base"].get<std::string>();
        if (!fs::exists(base))
            GTEST_SKIP() << "no base model " << base;
        auto model = Model::load(base, {}, {});
        if (!model && model.error().code == Errc::Unsupported)
            GTEST_SKIP() << model.error().message;
        ASSERT_TRUE(model) << model.error().message;
        model_ = *model;
        for (const auto& [name, entry] : expected_["adapters"].items()) {
            for (const char* form : {"peft", "gguf", "file"}) {
                if (!entry.contains(form))
                    continue;
                const std::string file = entry[form];
                auto adapter = Adapter::load(folder_ / file, model_, {}, {});
                ASSERT_TRUE(adapter) << file << ": " << adapter.error().message;
                if (entry.contains("sha256")) {
                    EXPECT_EQ((*adapter)->info().sha256, entry["sha256"].get<std::string>());
                }
                if (form == std::string("gguf")) {
                    EXPECT_EQ((*adapter)->info().sha256, entry["gguf_sha256"].get<std::string>());
                }
                adapters_[name].push_back(*adapter);
            }
        }
    }

    /// The uses of a run, each adapter in its i-th form.
    std::vector<AdapterUse> uses(const nlohmann::json& run, std::size_t form) {
        std::vector<AdapterUse> found;
        for (const auto& entry : run["adapters"]) {
            const auto& forms = adapters_[entry["name"].get<std::string>()];
            found.push_back({forms[std::min(form, forms.size() - 1)], entry["scale"].get<float>()});
        }
        return found;
    }

    std::unique_ptr<Session> session(const SessionOptions& options) {
        auto made = Session::create(model_, options);
        EXPECT_TRUE(made) << (made ? "" : made.error().message);
        return made ? std::move(*made) : nullptr;
    }

    fs::path folder_;
    nlohmann::json expected_;
    std::shared_ptr<const Model> model_;
    std::map<std::string, std::vector<std::shared_ptr<const Adapter>>> adapters_;
};

TEST_P(AdapterCase, LogitsAgreeForEveryFormAndBatchSize) {
    for (const nlohmann::json& run : expected_["runs"]) {
        for (const auto& prompt : test::read_prompts(folder_, nlohmann::json::array({run}))) {
            for (const std::int32_t n_batch : {1, 7, 64, 512}) {
                for (const std::size_t form : {0U, 1U}) {
                    const auto with = session(exact_options(n_batch));
                    ASSERT_TRUE(with->set_adapters(uses(run, form)));
                    const auto result = evaluate(*with, prompt.tokens);
                    const double limit = 3e-4 * std::max(1.0, prompt.logit_std);
                    EXPECT_LE(test::max_difference(result.logits, prompt.logits), limit)
                        << run["adapters"] << ", batch " << n_batch << ", form " << form;
                    EXPECT_LE(test::max_difference(result.hidden_last, prompt.hidden), 1e-3)
                        << run["adapters"] << ", batch " << n_batch << ", form " << form;
                }
            }
        }
    }
}

TEST_P(AdapterCase, ThreadsNeverChangeABit) {
    const nlohmann::json& run = expected_["runs"].back();
    const auto tokens = run["tokens"].get<std::vector<TokenId>>();
    for (const std::int32_t n_batch : {1, 512}) {
        const auto one = session(exact_options(n_batch, 1));
        ASSERT_TRUE(one->set_adapters(uses(run, 0)));
        const auto expected = evaluate(*one, tokens);
        for (const std::int32_t n_threads : {2, 5}) {
            const auto several = session(exact_options(n_batch, n_threads));
            ASSERT_TRUE(several->set_adapters(uses(run, 0)));
            EXPECT_EQ(evaluate(*several, tokens).logits, expected.logits)
                << "batch " << n_batch << ", threads " << n_threads;
        }
    }
}

TEST_P(AdapterCase, ScaleZeroIsTheBaseExactly) {
    const auto tokens = expected_["runs"][0]["tokens"].get<std::vector<TokenId>>();
    for (const std::int32_t n_batch : {1, 512}) {
        const auto base = evaluate(*session(exact_options(n_batch)), tokens);
        for (const float zero : {0.0F, -0.0F}) {
            std::vector<AdapterUse> off;
            for (const auto& [name, forms] : adapters_)
                off.push_back({forms.front(), zero});
            const auto with = session(exact_options(n_batch));
            ASSERT_TRUE(with->set_adapters(off));
            EXPECT_EQ(evaluate(*with, tokens).logits, base.logits) << "batch " << n_batch;
        }
    }
}

TEST_P(AdapterCase, SwappingBackGivesTheSameBits) {
    const nlohmann::json& runs = expected_["runs"];
    const auto tokens = runs[0]["tokens"].get<std::vector<TokenId>>();
    const auto swapped = session(exact_options(64));
    const auto base = evaluate(*swapped, tokens);
    ASSERT_TRUE(swapped->set_adapters(uses(runs.front(), 0)));
    const auto first = evaluate(*swapped, tokens);
    ASSERT_TRUE(swapped->set_adapters(uses(runs.back(), 0)));
    const auto second = evaluate(*swapped, tokens);
    EXPECT_NE(first.logits, base.logits);
    EXPECT_NE(second.logits, first.logits);
    ASSERT_TRUE(swapped->set_adapters(uses(runs.front(), 0)));
    EXPECT_EQ(evaluate(*swapped, tokens).logits, first.logits);
    ASSERT_TRUE(swapped->set_adapters({}));
    EXPECT_EQ(evaluate(*swapped, tokens).logits, base.logits);
}

GenerateResult answer(Session& session, const std::vector<TokenId>& prompt) {
    GenerateRequest request;
    request.prompt = prompt;
    request.n_predict = 12;
    request.sampling.temperature = 0;
    request.ignore_end = true;
    auto result = session.generate(request, {}, {});
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    return result ? std::move(*result) : GenerateResult{};
}

TEST_P(AdapterCase, WhatAnotherSetReadIsNeverUsedAgain) {
    const nlohmann::json& run = expected_["runs"][0];
    const auto tokens = run["tokens"].get<std::vector<TokenId>>();
    const auto fresh = session(exact_options(64));
    ASSERT_TRUE(fresh->set_adapters(uses(run, 0)));
    const auto expected = answer(*fresh, tokens);

    const auto used = session(exact_options(64));
    answer(*used, tokens);
    ASSERT_TRUE(used->set_adapters(uses(run, 0)));
    const auto after = answer(*used, tokens);
    EXPECT_EQ(after.stats.cached_tokens, 0);
    EXPECT_EQ(after.ids, expected.ids);
    // The same set again keeps what was read; another strength does not.
    ASSERT_TRUE(used->set_adapters(uses(run, 0)));
    EXPECT_GT(answer(*used, tokens).stats.cached_tokens, 0);
    auto weaker = uses(run, 0);
    weaker.front().scale *= 0.5F;
    ASSERT_TRUE(used->set_adapters(weaker));
    EXPECT_EQ(answer(*used, tokens).stats.cached_tokens, 0);
}

TEST_P(AdapterCase, ARefusedSetLeavesTheOneBefore) {
    const nlohmann::json& run = expected_["runs"][0];
    const auto tokens = run["tokens"].get<std::vector<TokenId>>();
    const auto with = session(exact_options(64));
    ASSERT_TRUE(with->set_adapters(uses(run, 0)));
    const auto before = evaluate(*with, tokens);
    for (const float bad : {4.5F, -4.5F, NAN, INFINITY}) {
        auto wrong = uses(run, 0);
        wrong.front().scale = bad;
        const Status refused = with->set_adapters(wrong);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::Adapter);
    }
    auto other = Model::load(folder_ / expected_["base"].get<std::string>(), {}, {});
    ASSERT_TRUE(other);
    auto session_of_other = Session::create(*other, exact_options(64));
    ASSERT_TRUE(session_of_other);
    EXPECT_FALSE((*session_of_other)->set_adapters(uses(run, 0)));
    EXPECT_EQ(evaluate(*with, tokens).logits, before.logits);
}

INSTANTIATE_TEST_SUITE_P(Cases, AdapterCase,
                         testing::Values("lora_llama", "lora_granite", "lora_qwen3",
                                         "lora_gemma4_dense", "lora_gemma4_e2b",
                                         "lora_blk_gemma4_e2b", "rankone_qwen35"));

} // namespace
} // namespace alcove
