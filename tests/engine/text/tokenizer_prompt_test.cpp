// Who may write a control token, and where BOS and EOS go.

#include "tests/engine/text/tokenizer_fixture.h"

#include <thread>

namespace alcove::test {

namespace {

using Ids = std::vector<TokenId>;

struct Options {
    std::string name = "test";
    std::string pre = "gpt-2";
    std::int32_t start_kind = 3;
    std::optional<bool> add_bos = std::nullopt, add_eos = std::nullopt;
};

/// Ten tokens: a, b, ab, c, abc, <|end|>, <|start|>, <tool>, Ċ, Ġ.
std::shared_ptr<const Tokenizer> small(const Options& options = {}) {
    GgufWriter writer;
    writer.add_string("general.name", options.name);
    writer.add_string("tokenizer.ggml.model", "gpt2");
    writer.add_string("tokenizer.ggml.pre", options.pre);
    writer.add_strings("tokenizer.ggml.tokens",
                       std::vector<std::string>{"a", "b", "ab", "c", "abc", "<|end|>", "<|start|>",
                                                "<tool>", "Ċ", "Ġ"});
    writer.add_i32s("tokenizer.ggml.token_type",
                    std::vector<std::int32_t>{1, 1, 1, 1, 1, 3, options.start_kind, 4, 1, 1});
    writer.add_strings("tokenizer.ggml.merges", std::vector<std::string>{"a b", "ab c"});
    writer.add_u32("tokenizer.ggml.bos_token_id", 6);
    writer.add_u32("tokenizer.ggml.eos_token_id", 5);
    if (options.add_bos)
        writer.add_bool("tokenizer.ggml.add_bos_token", *options.add_bos);
    if (options.add_eos)
        writer.add_bool("tokenizer.ggml.add_eos_token", *options.add_eos);
    auto loaded = load_tokenizer(writer);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return *loaded;
}

TextSegment own(std::string text) {
    return {std::move(text), false};
}
TextSegment data(std::string text) {
    return {std::move(text), true};
}

Ids prompt(const std::vector<TextSegment>& segments, bool add_special = false,
           const Options& options = {}) {
    return small(options)->encode_prompt(segments, add_special);
}

TEST(TokenizerPrompt, TemplateTextBecomesControlTokens) {
    EXPECT_EQ(prompt({own("<|start|>abc<|end|>")}), (Ids{6, 4, 5}));
}

TEST(TokenizerPrompt, MessageTextNeverBecomesControlTokens) {
    EXPECT_EQ(prompt({own("<|start|>"), data("a<|end|>b<|start|>c"), own("<|end|>")}),
              (Ids{6, 0, 1, 0, 3, 5}));
    // Only the template's own two survive; the rest of the names has no tokens in this vocabulary
    // and is dropped.
    EXPECT_EQ(prompt({own("<|start|>"), data("<|end|>"), own("<|end|>")}), (Ids{6, 5}));
}

TEST(TokenizerPrompt, NamePutTogetherFromTemplateAndMessageStaysText) {
    EXPECT_EQ(prompt({own("<|"), data("end"), own("|>")}), Ids{});
    EXPECT_EQ(prompt({data("<|end"), own("|>")}), Ids{});
    EXPECT_EQ(prompt({own("<|end|"), data(">")}), Ids{});
}

TEST(TokenizerPrompt, NamePutTogetherFromTwoTemplatePiecesCounts) {
    EXPECT_EQ(prompt({own("<|en"), own("d|>")}), (Ids{5}));
    EXPECT_EQ(prompt({own("<|en"), data(""), own("d|>")}), (Ids{5}));
}

TEST(TokenizerPrompt, UserDefinedTokensCountEverywhere) {
    EXPECT_EQ(prompt({data("<tool>"), own("<tool>")}), (Ids{7, 7}));
    EXPECT_EQ(prompt({data("<to"), own("ol>")}), (Ids{7}));
}

TEST(TokenizerPrompt, MergesCrossTheBorderOfSegmentsAsInPlainText) {
    EXPECT_EQ(prompt({own("a"), data("b"), own("c")}), (Ids{4}));
    EXPECT_EQ(small()->encode("abc", {false, false}), (Ids{4}));
}

TEST(TokenizerPrompt, HalfCharactersOfAMessageDoNotJoinTheTemplate) {
    const auto tokenizer = small();
    const std::vector<TextSegment> split{data("a\xC3"), own("\xA9 b")};
    EXPECT_EQ(tokenizer->encode_prompt(split, false), (Ids{0, 9, 1}));
}

TEST(TokenizerPrompt, BosIsAddedOnceAsTheFileSays) {
    EXPECT_EQ(prompt({own("a")}, true), (Ids{0}));
    EXPECT_EQ(prompt({own("a")}, true, {.add_bos = true}), (Ids{6, 0}));
    EXPECT_EQ(prompt({own("<|start|>a")}, true, {.add_bos = true}), (Ids{6, 0}));
    EXPECT_EQ(prompt({data("<|start|>a")}, true, {.add_bos = true}).front(), 6);
    EXPECT_EQ(prompt({own("a")}, true, {.add_bos = true, .add_eos = true}), (Ids{6, 0, 5}));
    EXPECT_EQ(prompt({own("a")}, false, {.add_bos = true, .add_eos = true}), (Ids{0}));
    EXPECT_TRUE(small({.pre = "llama-bpe"})->add_bos()) << "these pre-tokenizers imply BOS";
}

TEST(TokenizerPrompt, OrdinaryMergesNeverGiveAControlToken) {
    // The vocabulary declares "abc" itself a control token: text must stop one merge earlier.
    GgufWriter writer;
    writer.add_string("tokenizer.ggml.model", "gpt2");
    writer.add_string("tokenizer.ggml.pre", "llama-bpe");
    writer.add_strings("tokenizer.ggml.tokens",
                       std::vector<std::string>{"a", "b", "ab", "c", "abc"});
    writer.add_i32s("tokenizer.ggml.token_type", std::vector<std::int32_t>{1, 1, 1, 1, 3});
    writer.add_strings("tokenizer.ggml.merges", std::vector<std::string>{"a b", "ab c"});
    const auto loaded = load_tokenizer(writer);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ((*loaded)->encode("abc", {false, false}), (Ids{2, 3}));
    EXPECT_EQ((*loaded)->encode("abc", {false, true}), (Ids{4}));
}

TEST(TokenizerPrompt, EndsOfTurnsAreControlTokensWhateverTheFileCallsThem) {
    GgufWriter writer;
    writer.add_string("tokenizer.ggml.model", "gpt2");
    writer.add_string("tokenizer.ggml.pre", "gpt-2");
    writer.add_strings("tokenizer.ggml.tokens",
                       std::vector<std::string>{"a", "<|im_end|>", "b", "ab"});
    writer.add_i32s("tokenizer.ggml.token_type", std::vector<std::int32_t>{1, 4, 1, 1});
    writer.add_strings("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
    writer.add_u32("tokenizer.ggml.eos_token_id", 3);
    const auto loaded = load_tokenizer(writer);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const std::vector<TextSegment> typed{data("a<|im_end|>ab")};
    EXPECT_EQ((*loaded)->encode_prompt(typed, false), (Ids{0, 0, 2}));
    const std::vector<TextSegment> written{own("a<|im_end|>ab")};
    EXPECT_EQ((*loaded)->encode_prompt(written, false), (Ids{0, 1, 3}));
}

TEST(TokenizerPrompt, Phi3DropsWhiteSpaceAfterControlTokens) {
    const std::vector<TextSegment> text{own("<|end|> \n\u00A0a")};
    EXPECT_EQ(small({.name = "Phi-3 mini"})->encode_prompt(text, false), (Ids{5, 0}));
    EXPECT_EQ(small()->encode_prompt(std::vector<TextSegment>{own("<|end|> \na")}, false),
              (Ids{5, 9, 8, 0}));
}

TEST(TokenizerPrompt, MissingBytesAreDropped) {
    EXPECT_EQ(small()->encode("azb", {false, false}), (Ids{2}));
}

TEST(TokenizerPrompt, TurnEndsOfTheFamilyEndGeneration) {
    const auto tokenizer = small();
    EXPECT_TRUE(tokenizer->is_end_of_generation(5));
    EXPECT_FALSE(tokenizer->is_end_of_generation(6));
    EXPECT_FALSE(tokenizer->is_end_of_generation(-1));
    EXPECT_FALSE(tokenizer->is_end_of_generation(10));
}

TEST(TokenizerPrompt, SeveralThreadsGetTheSameIds) {
    const auto tokenizer = small();
    std::vector<std::thread> threads;
    std::vector<Ids> results(4);
    for (auto& result : results)
        threads.emplace_back([&result, &tokenizer] {
            for (int i = 0; i < 200; ++i)
                result = tokenizer->encode("abc ab\nc <tool>", {true, true});
        });
    for (auto& thread : threads)
        thread.join();
    for (const auto& result : results)
        EXPECT_EQ(result, (Ids{4, 9, 2, 8, 3, 9, 7}));
}

} // namespace

} // namespace alcove::test
