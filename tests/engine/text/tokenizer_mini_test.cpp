// Small vocabularies whose expected ids come from Hugging Face tokenizers and from sentencepiece
// (generate.py beside the data).

#include "tests/engine/text/tokenizer_fixture.h"

#include "engine/text/tokenizer_pretokenizer.h"
#include "engine/text/utf8.h"

#include <iostream>
#include <random>

namespace alcove::test {

namespace {

using nlohmann::json;
using Ids = std::vector<TokenId>;

void add_vocabulary(GgufWriter& writer, const std::string& model, const json& data) {
    writer.add_string("tokenizer.ggml.model", model);
    writer.add_strings("tokenizer.ggml.tokens", data.at("tokens").get<std::vector<std::string>>());
    writer.add_i32s("tokenizer.ggml.token_type", data.at("types").get<std::vector<std::int32_t>>());
    if (data.contains("scores"))
        writer.add_f32s("tokenizer.ggml.scores", data.at("scores").get<std::vector<float>>());
}

std::shared_ptr<const Tokenizer> mini_bpe(const std::string& pre) {
    const json data = read_json(tokenizer_data() / "mini-bpe.json");
    GgufWriter writer;
    add_vocabulary(writer, "gpt2", data);
    writer.add_string("tokenizer.ggml.pre", pre);
    writer.add_strings("tokenizer.ggml.merges", data.at("merges").get<std::vector<std::string>>());
    auto loaded = load_tokenizer(writer);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return *loaded;
}

std::shared_ptr<const Tokenizer> mini_spm() {
    GgufWriter writer;
    add_vocabulary(writer, "llama", read_json(tokenizer_data() / "mini-spm.json"));
    auto loaded = load_tokenizer(writer);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return *loaded;
}

std::vector<std::string> texts() {
    return read_json(tokenizer_data() / "texts.json");
}

TEST(TokenizerMini, ByteBpeSplitsAsEachPublishedPreTokenizerDoes) {
    const json data = read_json(tokenizer_data() / "mini-bpe.json");
    const std::vector<std::string> inputs = texts();
    for (const auto& [pre, expected] : data.at("pre").items()) {
        const auto tokenizer = mini_bpe(pre);
        EXPECT_TRUE(tokenizer->warnings().empty()) << pre;
        std::size_t parsed = 0;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            EXPECT_EQ(tokenizer->encode(inputs[i], {false, false}),
                      expected.at("text").at(i).get<Ids>())
                << pre << ": " << inputs[i];
            if (inputs[i].find('<') == std::string::npos)
                continue;
            EXPECT_EQ(tokenizer->encode(inputs[i], {false, true}),
                      expected.at("parsed").at(parsed++).get<Ids>())
                << pre << ": " << inputs[i];
        }
        std::cout << pre << ": " << inputs.size() + parsed << " tokenizations\n";
    }
}

TEST(TokenizerMini, WordPieceCoversWordsAsBertDoes) {
    const json data = read_json(tokenizer_data() / "mini-wordpiece.json");
    GgufWriter writer;
    add_vocabulary(writer, "bert", data);
    writer.add_u32("tokenizer.ggml.cls_token_id", data.at("cls").get<std::uint32_t>());
    writer.add_u32("tokenizer.ggml.seperator_token_id", data.at("sep").get<std::uint32_t>());
    writer.add_u32("tokenizer.ggml.unknown_token_id", data.at("unk").get<std::uint32_t>());
    const auto loaded = load_tokenizer(writer);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const std::vector<std::string> inputs = texts();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Ids expected = data.at("ids").at(i);
        EXPECT_EQ((*loaded)->encode(inputs[i], {false, false}), expected) << inputs[i];
        expected.insert(expected.begin(), data.at("cls").get<TokenId>());
        expected.push_back(data.at("sep").get<TokenId>());
        EXPECT_EQ((*loaded)->encode(inputs[i], {true, false}), expected) << inputs[i];
    }
}

TEST(TokenizerMini, SpmMergesAsSentencePieceDoes) {
    const json data = read_json(tokenizer_data() / "mini-spm.json");
    const auto tokenizer = mini_spm();
    const std::vector<std::string> inputs = texts();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        EXPECT_EQ(tokenizer->encode(inputs[i], {false, false}), data.at("ids").at(i).get<Ids>())
            << inputs[i];
}

std::vector<std::byte> base64(const std::string& text) {
    static const std::string kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::byte> out;
    unsigned bits = 0;
    unsigned n = 0;
    for (const char c : text) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string::npos)
            continue;
        bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFFU;
        n += 6;
        if (n >= 8) {
            n -= 8;
            out.push_back(static_cast<std::byte>(bits >> n & 0xFFU));
        }
    }
    return out;
}

/// `data` with the character map as an array of bytes.
GgufWriter unigram_writer(const json& data, const std::vector<std::byte>& map) {
    GgufWriter writer;
    add_vocabulary(writer, "t5", data);
    std::vector<std::byte> raw;
    const auto put = [&raw](std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i)
            raw.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFFU));
    };
    put(static_cast<std::uint32_t>(GgufValueType::U8), 4);
    put(map.size(), 8);
    raw.insert(raw.end(), map.begin(), map.end());
    writer.add_raw("tokenizer.ggml.precompiled_charsmap", GgufValueType::Array, raw);
    return writer;
}

TEST(TokenizerMini, UnigramFindsTheBestCoverAsSentencePieceDoes) {
    const json data = read_json(tokenizer_data() / "mini-unigram.json");
    const auto loaded = load_tokenizer(unigram_writer(data, base64(data.at("charsmap"))));
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE((*loaded)->add_eos());
    const std::vector<std::string> inputs = texts();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        EXPECT_EQ((*loaded)->encode(inputs[i], {false, false}), data.at("ids").at(i).get<Ids>())
            << inputs[i];
}

TEST(TokenizerMini, DamagedCharacterMapIsRefusedOrHarmless) {
    const json data = read_json(tokenizer_data() / "mini-unigram.json");
    const std::vector<std::byte> map = base64(data.at("charsmap"));
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte> damaged = map;
        if (round % 2 == 0)
            damaged.resize(random() % damaged.size());
        for (int i = 0; i < 2000 && !damaged.empty(); ++i)
            damaged[4 + random() % (damaged.size() - 4)] = static_cast<std::byte>(random());
        const auto loaded = load_tokenizer(unigram_writer(data, damaged));
        if (!loaded) {
            EXPECT_EQ(loaded.error().code, Errc::Tokenizer);
            continue;
        }
        for (const std::string& text : texts())
            EXPECT_TRUE(utf8_is_valid((*loaded)->decode((*loaded)->encode(text, {}))));
    }
}

/// Random bytes, with a liking for what tokenizers treat specially.
std::string random_bytes(std::mt19937& random) {
    static const std::vector<std::string> kParts{
        "<|start|>", "<|stop|>", "<tag>",   "<0x41>", "\u2581", "  ",  "\n",
        "\r\n",      "'s",       "e\u0301", "漢",     "🙂",   "123", "the"};
    std::string out;
    const std::size_t n = random() % 60;
    for (std::size_t i = 0; i < n; ++i) {
        if (random() % 3 == 0)
            out += kParts[random() % kParts.size()];
        else
            out.push_back(static_cast<char>(random()));
    }
    return out;
}

TEST(TokenizerMini, AnyBytesComeBackRepaired) {
    std::mt19937 random(11);
    const auto spm = mini_spm();
    std::vector<std::shared_ptr<const Tokenizer>> all{spm};
    for (const char* pre : {"gpt-2", "smollm", "llama-bpe", "deepseek-coder", "deepseek-v3",
                            "falcon", "tekken", "gpt-4o", "bloom", "viking", "default"})
        all.push_back(mini_bpe(pre));
    for (int round = 0; round < 3000; ++round) {
        const std::string bytes = random_bytes(random);
        for (const auto& tokenizer : all) {
            const Ids ids = tokenizer->encode(bytes, {false, false});
            std::string expected = utf8_repair(bytes);
            if (tokenizer == spm) // U+2581 is SPM's own sign for a space
                for (std::size_t at = 0; (at = expected.find("\u2581", at)) != std::string::npos;)
                    expected.erase(at + 1, 2)[at] = ' ';
            ASSERT_EQ(tokenizer->decode(ids), expected);
            for (const TokenId id : ids)
                ASSERT_NE(tokenizer->kind(id), TokenKind::Control);

            TokenStream stream(tokenizer);
            std::string shown;
            for (const TokenId id : ids)
                shown += stream.push(id);
            ASSERT_EQ(shown + stream.flush(), expected);
        }
    }
}

TEST(TokenizerMini, RandomIdsDecodeToTextAndStreamAlike) {
    std::mt19937 random(13);
    for (const auto& tokenizer : {mini_bpe("gpt-2"), mini_spm()})
        for (int round = 0; round < 2000; ++round) {
            Ids ids;
            for (int i = 0; i < 20; ++i)
                ids.push_back(static_cast<TokenId>(
                                  random() % static_cast<unsigned>(tokenizer->n_vocab() + 3)) -
                              1);
            const std::string text = tokenizer->decode(ids, true);
            ASSERT_TRUE(utf8_is_valid(text));
            TokenStream stream(tokenizer, true);
            std::string shown;
            for (const TokenId id : ids)
                shown += stream.push(id);
            ASSERT_EQ(shown + stream.flush(), text);
        }
}

TEST(TokenizerMini, LongTextGivesTheIdsOfItsParts) {
    // Long texts go through the cache of words and the heap; a newline ends a word for this
    // pre-tokenizer.
    const auto tokenizer = mini_bpe("deepseek-coder");
    std::string whole;
    Ids expected;
    for (int round = 0; round < 40; ++round)
        for (const std::string& text : texts()) {
            const Ids ids = tokenizer->encode(text + "\n", {false, false});
            expected.insert(expected.end(), ids.begin(), ids.end());
            whole += text + "\n";
        }
    ASSERT_GT(whole.size(), 100'000U);
    EXPECT_EQ(tokenizer->encode(whole, {false, false}), expected);
}

TEST(TokenizerMini, HostileTextsEndSoon) {
    // Each of these is quadratic, or overruns a stack, where runs are not treated with care.
    std::string marks;
    for (int i = 0; i < 100'000; ++i)
        marks += "\u0301\u0323";
    for (const char* pre : {"qwen2", "gpt-4o", "deepseek-v3", "smollm", "falcon"}) {
        const auto tokenizer = mini_bpe(pre);
        for (const std::string& text :
             {std::string(400'000, ' '), std::string(400'000, 'a'), std::string(400'000, 'A'),
              std::string(400'000, '<'), std::string(400'000, '\n'), marks})
            EXPECT_FALSE(tokenizer->encode(text, {false, true}).empty());
    }
    EXPECT_FALSE(mini_spm()->encode(std::string(400'000, 'a')).empty());
}

} // namespace

} // namespace alcove::test
