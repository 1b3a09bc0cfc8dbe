#include "engine/session/recurrent_state.h"

#include "engine/engine.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

namespace alcove {
namespace {

model::HParams two_layers_of_three() {
    model::HParams hparams;
    hparams.layers.resize(3);
    hparams.layers[0].state_floats = 4;
    hparams.layers[2].state_floats = 2;
    return hparams;
}

/// What a batch does: writes `value` over every layer's state.
void read(RecurrentState& state, std::int32_t n, float value) {
    std::fill_n(state.view().after[0], 4, value);
    std::fill_n(state.view().after[2], 2, value);
    state.advance(n);
}

float value_of(const RecurrentState& state) {
    EXPECT_EQ(state.view().before[0][3], state.view().before[2][1]);
    return state.view().before[0][0];
}

TEST(RecurrentState, LayersWithoutStateHaveNoMemory) {
    const RecurrentState state(two_layers_of_three());
    EXPECT_EQ(state.view().before[1], nullptr);
    EXPECT_EQ(state.view().after[1], nullptr);
    EXPECT_TRUE(RecurrentState(model::HParams{}).empty());
}

TEST(RecurrentState, ABatchCountsOnlyWhenItWasFinished) {
    RecurrentState state(two_layers_of_three());
    read(state, 3, 1.0F);
    std::fill_n(state.view().after[0], 4, 9.0F); // a batch that is stopped
    EXPECT_EQ(value_of(state), 1.0F);
    EXPECT_EQ(state.position(), 3);
}

TEST(RecurrentState, TheLastBatchCanBeUndone) {
    RecurrentState state(two_layers_of_three());
    read(state, 3, 1.0F);
    read(state, 2, 2.0F);
    state.undo(2);
    EXPECT_EQ(value_of(state), 1.0F);
    EXPECT_EQ(state.position(), 3);
}

TEST(RecurrentState, GoesBackToTheLastCheckpointBeforeAPosition) {
    RecurrentState state(two_layers_of_three());
    read(state, 4, 1.0F);
    state.save();
    read(state, 4, 2.0F);
    state.save();
    read(state, 4, 3.0F);
    EXPECT_EQ(state.rewind(12), 12) << "it is there";
    EXPECT_EQ(value_of(state), 3.0F);
    EXPECT_EQ(state.rewind(11), 8);
    EXPECT_EQ(value_of(state), 2.0F);
    EXPECT_EQ(state.rewind(7), 4);
    EXPECT_EQ(value_of(state), 1.0F);
    read(state, 1, 5.0F);
    EXPECT_EQ(state.rewind(3), 0);
    EXPECT_EQ(value_of(state), 0.0F) << "the beginning";
}

TEST(RecurrentState, TheOldestCheckpointGoesFirst) {
    const model::HParams hparams = two_layers_of_three();
    const auto n = static_cast<std::int32_t>(RecurrentState::n_checkpoints(hparams));
    RecurrentState state(hparams);
    for (std::int32_t i = 1; i <= n + 1; ++i) {
        read(state, 1, static_cast<float>(i));
        state.save();
    }
    read(state, 1, 0.0F);
    EXPECT_EQ(state.rewind(2), 2);
    EXPECT_EQ(state.rewind(1), 0);
}

// --- a whole model

class RecurrentSession : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const std::filesystem::path folder = test::case_folder(GetParam());
        if (folder.empty())
            GTEST_SKIP() << "no fixture " << GetParam() << " (ALCOVE_SHARED)";
        const nlohmann::json expected = test::read_json(folder / "expected.json");
        auto model = Model::load(folder / expected["model"].get<std::string>(), {}, {});
        ASSERT_TRUE(model) << model.error().message;
        model_ = *model;
        std::mt19937 random(7);
        while (tokens_.size() < 300)
            tokens_.push_back(static_cast<TokenId>(random() % 512));
    }

    std::unique_ptr<Session> session() const {
        SessionOptions options;
        options.n_ctx = 512;
        options.n_batch = 64;
        auto made = Session::create(model_, options);
        EXPECT_TRUE(made);
        return made ? std::move(*made) : nullptr;
    }

    GenerateResult answer(Session& session, std::size_t n_prompt, std::int32_t n_predict = 12) {
        GenerateRequest request;
        request.prompt.assign(tokens_.begin(), tokens_.begin() + static_cast<long>(n_prompt));
        request.n_predict = n_predict;
        request.sampling.temperature = 0;
        request.ignore_end = true;
        auto result = session.generate(request, {}, {});
        EXPECT_TRUE(result) << (result ? "" : result.error().message);
        return result ? *result : GenerateResult{};
    }

    std::shared_ptr<const Model> model_;
    std::vector<TokenId> tokens_;
};

TEST_P(RecurrentSession, AnotherAnswerReadsOneTokenAndSaysTheSame) {
    auto session = this->session();
    const GenerateResult first = answer(*session, 200);
    const GenerateResult again = answer(*session, 200);
    EXPECT_EQ(again.ids, first.ids);
    EXPECT_EQ(again.stats.cached_tokens, 199);
}

TEST_P(RecurrentSession, AnEditedConversationAnswersAsANewOne) {
    auto session = this->session();
    answer(*session, 80);
    answer(*session, 200);
    tokens_[120] = tokens_[121]; // past the first question
    const GenerateResult edited = answer(*session, 180);
    EXPECT_EQ(edited.stats.cached_tokens, 79);
    EXPECT_EQ(edited.ids, answer(*this->session(), 180).ids);
    tokens_[10] = tokens_[11]; // before any checkpoint
    const GenerateResult early = answer(*session, 60);
    EXPECT_EQ(early.stats.cached_tokens, 0);
    EXPECT_EQ(early.ids, answer(*this->session(), 60).ids);
}

TEST_P(RecurrentSession, AConversationGoesOnWithoutReadingAgain) {
    auto session = this->session();
    const GenerateResult first = answer(*session, 100);
    const std::vector<TokenId> read(session->tokens().begin(), session->tokens().end());
    tokens_.insert(tokens_.begin() + 100, first.ids.begin(), first.ids.end());
    const GenerateResult second = answer(*session, 180);
    EXPECT_EQ(second.stats.cached_tokens, static_cast<std::int32_t>(read.size()));
    EXPECT_EQ(second.ids, answer(*this->session(), 180).ids);
}

TEST_P(RecurrentSession, AStopLeavesAStateThatGoesOn) {
    auto session = this->session();
    std::stop_source stop;
    GenerateRequest request;
    request.prompt.assign(tokens_.begin(), tokens_.begin() + 250);
    request.sampling.temperature = 0;
    GenerateCallbacks callbacks;
    callbacks.on_progress = [&](const GenerateStats& stats) {
        if (stats.prefilled_tokens >= 64)
            stop.request_stop();
    };
    auto stopped = session->generate(request, callbacks, stop.get_token());
    ASSERT_TRUE(stopped) << stopped.error().message;
    EXPECT_LT(session->tokens().size(), 250U);
    const GenerateResult rest = answer(*session, 250);
    EXPECT_GE(rest.stats.cached_tokens, 64);
    EXPECT_EQ(rest.ids, answer(*this->session(), 250).ids);
}

TEST_P(RecurrentSession, AStopAtAnyMomentLeavesASoundSession) {
    SessionOptions options;
    options.n_ctx = 512;
    options.n_threads = 3;
    GenerateRequest request;
    request.prompt = tokens_;
    request.n_predict = 0;
    for (int i = 0; i < 40; ++i) {
        auto session = Session::create(model_, options); // new: nothing was chosen or kept before
        ASSERT_TRUE(session);
        std::stop_source stop;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
            stop.request_stop();
        });
        auto stopped = (*session)->generate(request, {}, stop.get_token());
        ASSERT_TRUE(stopped) << stopped.error().message;
        if (i % 10 == 0) {
            const GenerateResult rest = answer(**session, 300, 4);
            EXPECT_EQ(rest.ids, answer(*this->session(), 300, 4).ids);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, RecurrentSession, testing::Values("lfm2", "lfm2moe"));

} // namespace
} // namespace alcove
