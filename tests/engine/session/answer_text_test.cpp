#include "engine/session/answer_text.h"

#include "engine/format/gguf_file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace alcove {
namespace {

/// Tokens that stand for single bytes: <0xNN> is token 3 + NN in the tiny model's vocabulary.
class AnswerTextTest : public testing::Test {
protected:
    void SetUp() override {
        auto file =
            GgufFile::open(std::filesystem::path(ALCOVE_TEST_DATA) / "models/bad/ok_minimal.gguf");
        ASSERT_TRUE(file) << file.error().message;
        auto tokenizer = Tokenizer::load(**file);
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        tokenizer_ = *tokenizer;
    }

    static TokenId byte(char c) { return 3 + static_cast<unsigned char>(c); }

    /// What is shown after each byte of `text`, joined by "|"; ends at a stop string.
    std::string stream(AnswerText& answer, const std::string& text) const {
        std::string shown;
        for (const char c : text) {
            shown += answer.push(byte(c)) + "|";
            if (answer.stopped())
                return shown;
        }
        return shown + answer.flush();
    }

    std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_F(AnswerTextTest, WithoutStopStringsEverythingIsShownAtOnce) {
    AnswerText answer(tokenizer_, {});
    EXPECT_EQ(stream(answer, "abc"), "a|b|c|");
    EXPECT_EQ(answer.text(), "abc");
    EXPECT_EQ(answer.ids().size(), 3U);
}

TEST_F(AnswerTextTest, TextThatMayBeginAStopStringIsHeldBack) {
    AnswerText answer(tokenizer_, {"###"});
    EXPECT_EQ(stream(answer, "a##b"), "a|||##b|");
    EXPECT_FALSE(answer.stopped());
    EXPECT_EQ(answer.text(), "a##b");
}

TEST_F(AnswerTextTest, HeldTextIsShownWhenTheAnswerEnds) {
    AnswerText answer(tokenizer_, {"###"});
    EXPECT_EQ(stream(answer, "a##"), "a|||##");
    EXPECT_EQ(answer.text(), "a##");
    EXPECT_EQ(answer.ids().size(), 3U);
}

TEST_F(AnswerTextTest, AStopStringAcrossTokensIsCutExactly) {
    AnswerText answer(tokenizer_, {"xyz", "###"});
    EXPECT_EQ(stream(answer, "ab###cd"), "a|b||||");
    ASSERT_TRUE(answer.stopped());
    EXPECT_EQ(answer.matched(), "###");
    EXPECT_EQ(answer.text(), "ab");
    EXPECT_EQ(answer.ids(), (std::vector<TokenId>{byte('a'), byte('b')}));
}

TEST_F(AnswerTextTest, OverlappingBeginsOfAStopStringAreFound) {
    AnswerText answer(tokenizer_, {"aab"});
    EXPECT_EQ(stream(answer, "aaab"), "||a||");
    ASSERT_TRUE(answer.stopped());
    EXPECT_EQ(answer.text(), "a");
    EXPECT_EQ(answer.ids().size(), 1U);
}

TEST_F(AnswerTextTest, TheStopStringThatBeginsFirstWins) {
    AnswerText answer(tokenizer_, {"cd", "bcd"});
    stream(answer, "abcd");
    ASSERT_TRUE(answer.stopped());
    EXPECT_EQ(answer.matched(), "bcd");
    EXPECT_EQ(answer.text(), "a");
}

TEST_F(AnswerTextTest, HalfACharacterIsNeverShown) {
    AnswerText answer(tokenizer_, {});
    EXPECT_EQ(stream(answer, "\xC3\xA9z"), "|\xC3\xA9|z|");
    AnswerText unfinished(tokenizer_, {});
    EXPECT_EQ(stream(unfinished, "a\xE2\x82"), "a|||\xEF\xBF\xBD");
}

TEST_F(AnswerTextTest, BytesOfACharacterInsideTheStopStringAreNoTokensOfTheAnswer) {
    AnswerText answer(tokenizer_, {"\xC3\xA9!"});
    stream(answer, "a\xC3\xA9!");
    ASSERT_TRUE(answer.stopped());
    EXPECT_EQ(answer.text(), "a");
    EXPECT_EQ(answer.ids(), std::vector<TokenId>{byte('a')});
}

} // namespace
} // namespace alcove
