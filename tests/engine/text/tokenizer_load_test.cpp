// Vocabularies that contradict themselves: one sentence each, and never a crash.

#include "tests/engine/text/tokenizer_fixture.h"

#include <cmath>
#include <functional>
#include <limits>

namespace alcove::test {

namespace {

using nlohmann::json;

/// A small SPM vocabulary, or a BPE one; a test spoils one thing.
struct Parts {
    std::string model = "llama";
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>", "a", "b", "ab"};
    std::vector<std::int32_t> types{2, 3, 3, 1, 1, 1};
    std::vector<float> scores{0, 0, 0, -1, -2, -3};
    std::vector<std::string> merges{"a b"};
    std::string pre = "gpt-2";
    bool with_tokens = true, with_types = true, with_scores = true, with_merges = true,
         with_model = true;
    std::function<void(GgufWriter&)> more = [](GgufWriter&) {};
};

Result<std::shared_ptr<const Tokenizer>> load(const Parts& parts) {
    GgufWriter writer;
    if (parts.with_model)
        writer.add_string("tokenizer.ggml.model", parts.model);
    if (parts.model == "gpt2")
        writer.add_string("tokenizer.ggml.pre", parts.pre);
    if (parts.with_tokens)
        writer.add_strings("tokenizer.ggml.tokens", parts.tokens);
    if (parts.with_types)
        writer.add_i32s("tokenizer.ggml.token_type", parts.types);
    if (parts.with_scores && parts.model != "gpt2")
        writer.add_f32s("tokenizer.ggml.scores", parts.scores);
    if (parts.with_merges && parts.model != "llama")
        writer.add_strings("tokenizer.ggml.merges", parts.merges);
    parts.more(writer);
    return load_tokenizer(writer);
}

void expect_refused(const Parts& parts, const std::string& words) {
    const auto loaded = load(parts);
    ASSERT_FALSE(loaded) << words;
    EXPECT_EQ(loaded.error().code, Errc::Tokenizer);
    EXPECT_NE(loaded.error().message.find(words), std::string::npos) << loaded.error().message;
}

TEST(TokenizerLoad, GoodVocabulariesLoad) {
    EXPECT_TRUE(load({}));
    EXPECT_TRUE(load({.model = "gpt2"}));
    EXPECT_TRUE(load({.model = "gemma4"}));
    EXPECT_TRUE(load({.model = "bert"}));
    EXPECT_TRUE(load({.model = "t5"}));
}

TEST(TokenizerLoad, RefusesWhatIsMissing) {
    expect_refused({.with_model = false}, "tokenizer.ggml.model is missing");
    expect_refused({.with_tokens = false}, "tokenizer.ggml.tokens is missing");
    expect_refused({.model = "nosuch"}, "tokenizer.ggml.model is \"nosuch\"");
    expect_refused({.with_scores = false}, "tokenizer.ggml.scores is missing");
    expect_refused({.model = "t5", .with_scores = false}, "tokenizer.ggml.scores is missing");
    expect_refused({.model = "gpt2", .with_merges = false}, "tokenizer.ggml.merges is missing");
    expect_refused({.model = "gemma4", .with_merges = false}, "tokenizer.ggml.merges is missing");
    expect_refused({.tokens = {}, .types = {}, .scores = {}}, "tokenizer.ggml.tokens is empty");
}

TEST(TokenizerLoad, RefusesArraysThatDoNotMatchTheTokens) {
    expect_refused({.scores = {0, 0}}, "tokenizer.ggml.scores has 2 entries, expected 6");
    expect_refused({.types = {1}}, "tokenizer.ggml.token_type has 1 entries, expected 6");
    expect_refused({.scores = {0, 0, 0, -1, std::nanf(""), 0}},
                   "tokenizer.ggml.scores[4] is not a number");
}

TEST(TokenizerLoad, RefusesTokensOfAnotherType) {
    expect_refused({.with_tokens = false,
                    .more = [](GgufWriter& w) { w.add_string("tokenizer.ggml.tokens", "abc"); }},
                   "tokenizer.ggml.tokens is not an array of strings");
    expect_refused({.with_tokens = false,
                    .more =
                        [](GgufWriter& w) {
                            w.add_i32s("tokenizer.ggml.tokens", std::vector<std::int32_t>{1, 2});
                        }},
                   "tokenizer.ggml.tokens is not an array of strings");
}

TEST(TokenizerLoad, RefusesIdsBeyondTheVocabulary) {
    for (const char* key :
         {"bos", "eos", "unknown", "padding", "eot", "eom", "cls", "seperator", "mask"}) {
        const std::string full = std::string("tokenizer.ggml.") + key + "_token_id";
        expect_refused({.more = [&](GgufWriter& w) { w.add_u32(full, 6); }},
                       full + " is 6, expected an id below 6");
        expect_refused({.more = [&](GgufWriter& w) { w.add_u32(full, 1U << 31U); }},
                       full + " is 2147483648");
        EXPECT_TRUE(load({.more = [&](GgufWriter& w) { w.add_i32(full, -1); }})) << "−1 means none";
    }
}

TEST(TokenizerLoad, RefusesMergesThatAreNotTwoPieces) {
    for (const std::string merge : {"ab", "a ", " a", ""})
        expect_refused({.model = "gpt2", .merges = {"a b", merge}}, "tokenizer.ggml.merges[1] is");
}

TEST(TokenizerLoad, RefusesPiecesBeyondTheLimits) {
    expect_refused({.tokens = {"<unk>", "<s>", "</s>", "a", "b", std::string(5000, 'x')}},
                   "has 5000 bytes");
    expect_refused({.tokens = {"<unk>", "<s>", std::string(600, 'x'), "a", "b", "c"}},
                   "is a special token of 600 bytes");
}

TEST(TokenizerLoad, RefusesMoreTokensThanEmbeddingRows) {
    const auto with_rows = [](std::uint64_t rows) {
        return [rows](GgufWriter& w) {
            const std::vector<std::byte> zeros(4 * 2 * rows);
            w.add_tensor("token_embd.weight", QuantType::F32, std::vector<std::uint64_t>{2, rows},
                         zeros);
        };
    };
    expect_refused({.more = with_rows(5)}, "has 6 entries, but token_embd.weight has only 5 rows");
    EXPECT_TRUE(load({.more = with_rows(6)}));
    const auto fewer = load({.more = with_rows(9)});
    ASSERT_TRUE(fewer);
    ASSERT_EQ((*fewer)->warnings().size(), 1U);
    EXPECT_EQ((*fewer)->decode(std::vector<TokenId>{8}), "");
}

TEST(TokenizerLoad, SaysWhatItGuessed) {
    const auto unknown_pre = load({.model = "gpt2", .pre = "nosuch"});
    ASSERT_TRUE(unknown_pre);
    ASSERT_EQ((*unknown_pre)->warnings().size(), 1U);
    EXPECT_NE((*unknown_pre)->warnings()[0].find("\"nosuch\""), std::string::npos);
    EXPECT_FALSE((*load({.types = {2, 3, 3, 1, 1, 99}}))->warnings().empty());
    EXPECT_FALSE((*load({.with_types = false}))->warnings().empty());
    EXPECT_FALSE((*load({.model = "gpt2", .merges = {"a b", "x y"}}))->warnings().empty());
}

TEST(TokenizerLoad, OddPiecesAreHarmless) {
    for (const std::string model : {"llama", "gpt2", "gemma4", "bert", "t5"}) {
        // Empty, doubled, not UTF-8, a control token that is a letter, a byte token that is none.
        const auto loaded =
            load({.model = model,
                  .tokens = {"", "", "a", "a", "\xFF\xC3", "b", "<0xZZ>", "ab"},
                  .types = {3, 1, 1, 1, 1, 3, 6, 1},
                  .scores = {0, 0, 0, 0, 0, 0, 0, std::numeric_limits<float>::infinity()}});
        ASSERT_TRUE(loaded) << loaded.error().message;
        const Tokenizer& tokenizer = **loaded;
        for (const bool parse : {false, true})
            for (const std::string text : {"", "a", "abab", "\xFF", "\xC3", "b", " "}) {
                std::string decoded = tokenizer.decode(tokenizer.encode(text, {true, parse}), true);
                EXPECT_NO_THROW(static_cast<void>(json(decoded).dump()));
            }
        EXPECT_EQ(tokenizer.decode(std::vector<TokenId>{4}), "\uFFFD\uFFFD") << model;
        EXPECT_EQ(tokenizer.find("a"), 2);
    }
}

TEST(TokenizerLoad, BadFilesAreTreatedAsTheirCasesSay) {
    const auto folder = shared_folder() / "oracle" / "models" / "bad";
    if (!std::filesystem::exists(folder / "cases.json"))
        GTEST_SKIP() << "no " << folder << " (set ALCOVE_SHARED)";
    int n = 0;
    const json all = read_json(folder / "cases.json");
    for (const json& c : all.at("cases")) {
        if (c.at("stage") != "tokenizer")
            continue;
        const auto loaded = load_tokenizer(folder / c.at("file").get<std::string>());
        ++n;
        if (c.at("expected") == "refuse") {
            ASSERT_FALSE(loaded) << c;
            EXPECT_EQ(loaded.error().code, Errc::Tokenizer) << loaded.error().message;
        }
        if (!loaded) {
            EXPECT_NE(loaded.error().message.find("tokenizer.ggml."), std::string::npos)
                << loaded.error().message;
        } else {
            const auto ids = (*loaded)->encode("Hello\n", {});
            EXPECT_NO_THROW(static_cast<void>(json((*loaded)->decode(ids, true)).dump()));
        }
        std::cout << c.at("file").get<std::string>() << ": "
                  << (loaded ? "loads" : loaded.error().message) << "\n";
    }
    EXPECT_GE(n, 20);
}

} // namespace

} // namespace alcove::test
