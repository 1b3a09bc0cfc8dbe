#include "engine/engine.h"
#include "engine/text/grammar.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

namespace alcove {
namespace {

class SessionTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        auto model = Model::load(test::data_models() / "llama/model.gguf", {}, {});
        ASSERT_TRUE(model) << model.error().message;
        model_ = *model;
    }
    static void TearDownTestSuite() { model_.reset(); }

    static SessionOptions options() {
        SessionOptions options;
        options.n_ctx = 128;
        options.n_batch = 16;
        options.n_threads = 2;
        options.kv_type = KvType::F32;
        return options;
    }

    static std::unique_ptr<Session> session(const SessionOptions& with = options()) {
        auto made = Session::create(model_, with);
        EXPECT_TRUE(made) << (made ? "" : made.error().message);
        return made ? std::move(*made) : nullptr;
    }

    static GenerateRequest greedy(std::vector<TokenId> prompt, std::int32_t n_predict) {
        GenerateRequest request;
        request.prompt = std::move(prompt);
        request.n_predict = n_predict;
        request.sampling.temperature = 0;
        request.ignore_end = true;
        return request;
    }

    /// Logits after the last of `tokens`, from a session that has read nothing before.
    static std::vector<float> fresh_logits(const std::vector<TokenId>& tokens) {
        auto evaluation = session()->evaluate(tokens, {.all_logits = false}, {});
        EXPECT_TRUE(evaluation);
        return evaluation ? evaluation->logits : std::vector<float>{};
    }

    inline static std::shared_ptr<const Model> model_;
};

std::vector<TokenId> some_tokens(std::size_t n, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<TokenId> tokens = {1};
    while (tokens.size() < n)
        tokens.push_back(static_cast<TokenId>(300 + random() % 200));
    return tokens;
}

TEST_F(SessionTest, OnlyWhatIsNewIsRead) {
    auto s = session();
    std::vector<TokenId> prompt = some_tokens(20, 1);
    auto first = s->generate(greedy(prompt, 5), {}, {});
    ASSERT_TRUE(first);
    EXPECT_EQ(first->stats.cached_tokens, 0);
    EXPECT_EQ(first->stats.prefilled_tokens, 20);
    EXPECT_EQ(first->stats.generated_tokens, 5);
    EXPECT_EQ(first->finish, FinishReason::Length);

    // The next turn: the answer was read while it was written, but for its last token.
    prompt.insert(prompt.end(), first->ids.begin(), first->ids.end());
    prompt.push_back(333);
    auto second = s->generate(greedy(prompt, 1), {}, {});
    ASSERT_TRUE(second);
    EXPECT_EQ(second->stats.cached_tokens, 24);
    EXPECT_EQ(second->stats.prefilled_tokens, 2);

    // An edit further up.
    prompt[10] = 310;
    auto third = s->generate(greedy(prompt, 1), {}, {});
    ASSERT_TRUE(third);
    EXPECT_EQ(third->stats.cached_tokens, 10);
}

TEST_F(SessionTest, TheSamePromptAgainReadsItsLastTokenAndAnswersTheSame) {
    auto s = session();
    const auto request = greedy(some_tokens(30, 2), 12);
    const auto first = s->generate(request, {}, {});
    const auto again = s->generate(request, {}, {});
    ASSERT_TRUE(first);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->stats.cached_tokens, 29);
    EXPECT_EQ(again->stats.prefilled_tokens, 1);
    EXPECT_EQ(again->ids, first->ids);
}

TEST_F(SessionTest, AFullContextStopsWithItsNumbers) {
    auto s = session();
    auto answer = s->generate(greedy(some_tokens(120, 3), -1), {}, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->finish, FinishReason::Context);
    EXPECT_NE(answer->finish_detail.find("128"), std::string::npos) << answer->finish_detail;
    // 8 written and read, a ninth that no longer fits.
    EXPECT_EQ(answer->stats.generated_tokens, 9);
    EXPECT_EQ(answer->stats.n_ctx_used, 128);
}

TEST_F(SessionTest, APromptThatExactlyFitsGivesOneToken) {
    auto s = session();
    auto answer = s->generate(greedy(some_tokens(128, 4), -1), {}, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->finish, FinishReason::Context);
    EXPECT_EQ(answer->stats.generated_tokens, 1);
}

TEST_F(SessionTest, APromptThatIsTooLongIsRefusedWithBothNumbersAndTheSessionGoesOn) {
    auto s = session();
    auto answer = s->generate(greedy(some_tokens(129, 5), 1), {}, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::ContextFull);
    EXPECT_NE(answer.error().message.find("129"), std::string::npos);
    EXPECT_NE(answer.error().message.find("128"), std::string::npos);
    EXPECT_TRUE(s->generate(greedy(some_tokens(10, 5), 1), {}, {}));
}

TEST_F(SessionTest, SenselessRequestsAreRefused) {
    auto s = session();
    EXPECT_EQ(s->generate(greedy({}, 1), {}, {}).error().code, Errc::InvalidArgument);
    EXPECT_EQ(s->generate(greedy({-1}, 1), {}, {}).error().code, Errc::InvalidArgument);
    EXPECT_EQ(s->generate(greedy({1, 512}, 1), {}, {}).error().code, Errc::InvalidArgument);
    EXPECT_EQ(s->generate(greedy({1}, -2), {}, {}).error().code, Errc::InvalidArgument);
    GenerateRequest request = greedy({1}, 1);
    request.stop = {"x", ""};
    EXPECT_EQ(s->generate(request, {}, {}).error().code, Errc::InvalidArgument);
    request = greedy({1}, 1);
    request.sampling.temperature = -1;
    EXPECT_EQ(s->generate(request, {}, {}).error().code, Errc::InvalidArgument);
}

TEST_F(SessionTest, SenselessOptionsAreRefused) {
    const auto code = [](const SessionOptions& with) {
        auto made = Session::create(model_, with);
        return made ? Errc::Internal : made.error().code;
    };
    SessionOptions with = options();
    with.n_ctx = -1;
    EXPECT_EQ(code(with), Errc::InvalidArgument);
    with = options();
    with.n_batch = 0;
    EXPECT_EQ(code(with), Errc::InvalidArgument);
    with = options();
    with.n_threads = 100'000;
    EXPECT_EQ(code(with), Errc::InvalidArgument);
    with = options();
    with.isa = "nosuch";
    EXPECT_EQ(code(with), Errc::InvalidArgument);
    with = options();
    with.kv_type = KvType::Q8_0; // heads of 16
    EXPECT_EQ(code(with), Errc::Unsupported);
    EXPECT_FALSE(Session::create(nullptr, options()));
}

TEST_F(SessionTest, NothingToWriteReadsThePrompt) {
    auto s = session();
    auto answer = s->generate(greedy(some_tokens(20, 6), 0), {}, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->finish, FinishReason::Length);
    EXPECT_TRUE(answer->ids.empty());
    EXPECT_EQ(s->tokens().size(), 20U);
}

TEST_F(SessionTest, AStopRequestWhileWritingKeepsEverythingSoFar) {
    auto s = session();
    std::stop_source source;
    int n_tokens = 0;
    GenerateCallbacks callbacks;
    callbacks.on_progress = [&](const GenerateStats& stats) {
        n_tokens = stats.generated_tokens;
        if (n_tokens == 7)
            source.request_stop();
    };
    auto answer = s->generate(greedy(some_tokens(20, 7), 50), callbacks, source.get_token());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->finish, FinishReason::Cancel);
    EXPECT_EQ(answer->ids.size(), 7U);
    EXPECT_EQ(s->tokens().size(), 26U);
}

TEST_F(SessionTest, AStopRequestBeforeReadingReadsNothing) {
    auto s = session();
    std::stop_source source;
    source.request_stop();
    auto answer = s->generate(greedy(some_tokens(60, 8), 5), {}, source.get_token());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->finish, FinishReason::Cancel);
    EXPECT_TRUE(answer->ids.empty());
    EXPECT_TRUE(s->tokens().empty());
    EXPECT_EQ(s->evaluate(some_tokens(5, 8), {}, source.get_token()).error().code, Errc::Cancelled);
}

TEST_F(SessionTest, AnExceptionOfACallbackBecomesAnErrorAndTheSessionGoesOn) {
    auto s = session();
    GenerateCallbacks callbacks;
    callbacks.on_progress = [](const GenerateStats& stats) {
        if (stats.generated_tokens == 2)
            throw std::runtime_error("no");
    };
    auto answer = s->generate(greedy(some_tokens(20, 9), 5), callbacks, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::Internal);
    EXPECT_TRUE(s->generate(greedy(some_tokens(20, 9), 5), {}, {}));
}

TEST_F(SessionTest, TheStreamedTextIsTheText) {
    auto s = session();
    std::string streamed;
    GenerateCallbacks callbacks;
    callbacks.on_text = [&](std::string_view text, TokenId) { streamed += text; };
    auto answer = s->generate(greedy(some_tokens(20, 10), 40), callbacks, {});
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->text.empty());
    EXPECT_EQ(streamed, answer->text);
}

TEST_F(SessionTest, AStopStringEndsTheAnswerBeforeIt) {
    auto s = session();
    const auto prompt = some_tokens(20, 11);
    const auto whole = s->generate(greedy(prompt, 40), {}, {});
    ASSERT_TRUE(whole);
    ASSERT_GT(whole->text.size(), 12U);
    GenerateRequest request = greedy(prompt, 40);
    request.stop = {whole->text.substr(8, 4)};
    const auto cut = s->generate(request, {}, {});
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->finish, FinishReason::Stop);
    EXPECT_EQ(cut->finish_detail, request.stop[0]);
    EXPECT_EQ(cut->text, whole->text.substr(0, whole->text.find(request.stop[0])));
    EXPECT_TRUE(std::equal(cut->ids.begin(), cut->ids.end(), whole->ids.begin()));
}

TEST_F(SessionTest, TheSameSeedGivesTheSameAnswerForAnyNumberOfThreads) {
    GenerateRequest request;
    request.prompt = some_tokens(40, 12);
    request.n_predict = 30;
    request.ignore_end = true;
    request.sampling.temperature = 1.5F;
    request.sampling.seed = 77;
    auto s = session();
    const auto expected = s->generate(request, {}, {});
    ASSERT_TRUE(expected);
    for (const std::int32_t n_threads : {1, 3, 5, 0}) {
        ASSERT_TRUE(s->set_n_threads(n_threads));
        s->clear();
        const auto answer = s->generate(request, {}, {});
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->ids, expected->ids) << n_threads;
    }
    EXPECT_FALSE(s->set_n_threads(-1));
}

TEST_F(SessionTest, NodesHaveTheStreamAfterEveryLayer) {
    auto s = session();
    const auto tokens = some_tokens(20, 13);
    auto batched = s->evaluate(tokens, {.keep_nodes = true}, {});
    auto single = s->evaluate(tokens, {.per_token = true, .keep_nodes = true}, {});
    ASSERT_TRUE(batched);
    ASSERT_TRUE(single);
    ASSERT_EQ(batched->nodes.size(), 5U); // 3 layers
    EXPECT_EQ(batched->nodes[0].name, "embd");
    EXPECT_EQ(batched->nodes[2].name, "l_out-1");
    EXPECT_EQ(batched->nodes[4].name, "result_norm");
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(batched->nodes[i].n_rows, 20);
        EXPECT_EQ(batched->nodes[i].n_cols, 64);
        EXPECT_LE(test::max_difference(batched->nodes[i].values, single->nodes[i].values), 1e-4);
    }
    const std::vector<float> last(batched->nodes[4].values.end() - 64,
                                  batched->nodes[4].values.end());
    EXPECT_EQ(last, batched->hidden_last);
}

TEST_F(SessionTest, LogitsFromAPositionAreThoseOfAllPositions) {
    auto s = session();
    const auto tokens = some_tokens(40, 14); // chunks of 16
    auto all = s->evaluate(tokens, {}, {});
    auto some = s->evaluate(tokens, {.logits_from = 21}, {});
    ASSERT_TRUE(all);
    ASSERT_TRUE(some);
    EXPECT_EQ(some->rows, 19);
    const std::vector<float> tail(all->logits.begin() + std::ptrdiff_t{21} * 512,
                                  all->logits.end());
    EXPECT_LE(test::max_difference(some->logits, tail), 1e-4);
    EXPECT_FALSE(s->evaluate(tokens, {.logits_from = 40}, {}));
}

/// Whatever was appended, cancelled, cut or asked again: the session answers like a fresh one.
TEST_F(SessionTest, RandomOperationsLeaveTheStateOfAFreshSession) {
    std::mt19937 random(20);
    auto s = session();
    std::vector<TokenId> conversation = some_tokens(8, 20);
    for (int step = 0; step < 150; ++step) {
        std::stop_source source;
        std::stop_token stop;
        GenerateCallbacks callbacks;
        int n_calls = 0;
        const int stop_at = static_cast<int>(random() % 6);
        switch (random() % 5) {
        case 0: // a new turn
            for (std::size_t n = random() % 30; n > 0; --n)
                conversation.push_back(static_cast<TokenId>(300 + random() % 200));
            break;
        case 1: // an edit
            conversation.resize(1 + random() % conversation.size());
            conversation.push_back(static_cast<TokenId>(300 + random() % 200));
            break;
        case 2: // a stop somewhere in it
            stop = source.get_token();
            callbacks.on_progress = [&](const GenerateStats&) {
                if (n_calls++ == stop_at)
                    source.request_stop();
            };
            break;
        case 3: // other threads
            ASSERT_TRUE(s->set_n_threads(1 + static_cast<std::int32_t>(random() % 4)));
            break;
        default: // the same again
            break;
        }
        if (conversation.size() > 100)
            conversation.resize(20);
        const auto n_predict = static_cast<std::int32_t>(1 + random() % 6);
        const auto answer = s->generate(greedy(conversation, n_predict), callbacks, stop);
        ASSERT_TRUE(answer) << step << answer.error().message;
        // What the session says it has read is a begin of what it was given.
        std::vector<TokenId> given = conversation;
        given.insert(given.end(), answer->ids.begin(), answer->ids.end());
        const auto read = s->tokens();
        ASSERT_LE(read.size(), given.size());
        ASSERT_TRUE(std::equal(read.begin(), read.end(), given.begin())) << step;
        if (answer->finish == FinishReason::Cancel)
            continue;
        for (const TokenId id : answer->ids) {
            const std::vector<float> logits = fresh_logits(conversation);
            const float best = *std::max_element(logits.begin(), logits.end());
            ASSERT_GE(logits[static_cast<std::size_t>(id)], best - 1e-3F) << "step " << step;
            conversation.push_back(id);
        }
    }
}

TEST_F(SessionTest, AGrammarIsKeptByEverySeedAndEndsTheAnswer) {
    const auto grammar = Grammar::from_gbnf(R"(root ::= [a-z]{2,4} "-" [0-9]{3})");
    ASSERT_TRUE(grammar);
    auto s = session();
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        GenerateRequest request = greedy(some_tokens(6, 2), 40);
        request.sampling.temperature = 1.5F;
        request.sampling.seed = seed;
        request.grammar = *grammar;
        const auto result = s->generate(request, {}, {});
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(result->finish, FinishReason::Grammar);
        EXPECT_EQ(check_text(**grammar, result->text).verdict, GrammarVerdict::Accept)
            << result->text;
    }
}

TEST_F(SessionTest, AnAnswerCutByItsLengthIsTheBeginOfAnAllowedText) {
    const auto grammar = Grammar::from_gbnf(R"(root ::= "x"{30})");
    ASSERT_TRUE(grammar);
    GenerateRequest request = greedy(some_tokens(6, 2), 2);
    request.grammar = *grammar;
    const auto result = session()->generate(request, {}, {});
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->finish, FinishReason::Length);
    EXPECT_EQ(check_text(**grammar, result->text).verdict, GrammarVerdict::Prefix);
}

} // namespace
} // namespace alcove
