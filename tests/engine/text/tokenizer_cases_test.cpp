// Every recorded tokenization and every stream, for every vocabulary that is present.

#include "tests/engine/text/tokenizer_fixture.h"

#include "engine/text/tokenizer_vocabulary.h"

#include <iostream>
#include <map>

namespace alcove::test {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Vocabulary {
    std::string name;
    std::shared_ptr<const Tokenizer> tokenizer;
    fs::path cases, stream, chat;
};

/// A vocabulary's file: copied into the tree, in the shared folder, or a whole model.
fs::path vocabulary_file(const std::string& name) {
    static const std::map<std::string, std::string> kModels{
        {"smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"},
        {"gemma3", "gemma-3-270m-q4_k_m.gguf"},
        {"gemma-4", "ggml-vocab-gemma-4.gguf"}};
    if (const auto model = kModels.find(name); model != kModels.end())
        return models_folder() / model->second;
    const fs::path local = tokenizer_data() / (name + ".vocab.gguf");
    return fs::exists(local) ? local : shared_tokenizers() / (name + ".vocab.gguf");
}

fs::path cases_file(const std::string& name, const std::string& suffix) {
    const fs::path local = tokenizer_data() / (name + suffix);
    return fs::exists(local) ? local : shared_tokenizers() / (name + suffix);
}

/// Answers other than `ids` that the fixtures' own rules allow: where text happens to name an end
/// token, and where a typed U+2581 meets real spaces.
bool other_answer_allowed(const json& c) {
    const std::string why = c.value("why", "");
    return why == "eos-name" || (why == "other" && c.at("name") == "spm-underscore");
}

std::string text_of(const json& c) {
    return c.contains("text_hex") ? bytes_of_hex(c.at("text_hex"))
                                  : c.at("text").get<std::string>();
}

class TokenizerCases : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const fs::path file = vocabulary_file(GetParam());
        if (!fs::exists(file))
            GTEST_SKIP() << "no vocabulary " << file << " (set ALCOVE_SHARED, ALCOVE_MODELS)";
        auto loaded = load_tokenizer(file);
        ASSERT_TRUE(loaded) << loaded.error().message;
        tokenizer_ = *loaded;
    }
    std::shared_ptr<const Tokenizer> tokenizer_;
};

TEST_P(TokenizerCases, EncodesEveryCaseAsRecorded) {
    int n = 0;
    int other = 0;
    for (const json& c : read_json_lines(cases_file(GetParam(), ".cases.jsonl"))) {
        EncodeOptions options;
        options.add_special = c.at("add_special");
        options.parse_special = c.at("parse_special");
        const std::vector<TokenId> ids = tokenizer_->encode(text_of(c), options);
        ++n;
        if (ids != c.at("ids").get<std::vector<TokenId>>() && other_answer_allowed(c)) {
            ++other;
            EXPECT_EQ(ids, c.at("llamacpp_ids").get<std::vector<TokenId>>()) << c.at("name");
            continue;
        }
        EXPECT_EQ(ids, c.at("ids").get<std::vector<TokenId>>())
            << c.at("name") << " " << text_of(c);
    }
    EXPECT_GT(n, 0);
    std::cout << GetParam() << ": " << n << " tokenizations (" << other
              << " by the other allowed answer)\n";
}

TEST_P(TokenizerCases, DecodesEveryCaseAsRecorded) {
    for (const json& c : read_json_lines(cases_file(GetParam(), ".cases.jsonl"))) {
        if (!c.contains("decoded"))
            continue;
        const auto ids = c.at("ids").get<std::vector<TokenId>>();
        EXPECT_EQ(tokenizer_->decode(ids), c.at("decoded").get<std::string>()) << c.at("name");
        const std::string special =
            c.value("decoded_with_special", c.at("decoded").get<std::string>());
        EXPECT_EQ(tokenizer_->decode(ids, true), special) << c.at("name");
    }
}

TEST_P(TokenizerCases, StreamsEveryCaseAsRecorded) {
    int n = 0;
    for (const json& c : read_json_lines(cases_file(GetParam(), ".stream.jsonl"))) {
        TokenStream stream(tokenizer_);
        std::vector<std::string> deltas;
        for (const TokenId id : c.at("ids"))
            deltas.push_back(stream.push(id));
        EXPECT_EQ(deltas, c.at("deltas").get<std::vector<std::string>>()) << c.at("name");
        EXPECT_EQ(stream.flush(), c.at("flush").get<std::string>()) << c.at("name");
        ++n;
    }
    std::cout << GetParam() << ": " << n << " streams\n";
}

TEST_P(TokenizerCases, FactsAreThoseOfTheIndex) {
    const fs::path path = cases_file("index", ".json");
    if (!fs::exists(path))
        GTEST_SKIP() << "no " << path;
    const json index = json::parse(std::ifstream(path));
    const std::string name = GetParam();
    if (!index.contains(name))
        GTEST_SKIP() << "not in the index";
    const json& facts = index.at(name);
    EXPECT_EQ(tokenizer_->n_vocab(), facts.at("n_tokens").get<int>());
    EXPECT_EQ(tokenizer_->bos(), facts.at("bos").get<int>());
    EXPECT_EQ(tokenizer_->add_bos(), facts.at("add_bos").get<bool>());
    if (name == "bert-bge")
        return; // the reference counts [SEP] as no EOS and the padding token as an end
    EXPECT_EQ(tokenizer_->eos(), facts.at("eos").get<int>());
    EXPECT_EQ(tokenizer_->add_eos(), facts.at("add_eos").get<bool>());
    EXPECT_EQ(tokenizer_->strips_first_space(), facts.at("add_space_prefix").get<bool>());

    std::vector<TokenId> expected = facts.at("eog");
    // Ordinary text that is spelled like an end token must not end an answer.
    std::erase_if(expected, [&](TokenId id) {
        return (name.starts_with("qwen") && id == 128247) || (name == "gemma3" && id == 212);
    });
    std::vector<TokenId> ends;
    for (TokenId id = 0; id < tokenizer_->n_vocab(); ++id)
        if (tokenizer_->is_end_of_generation(id))
            ends.push_back(id);
    EXPECT_EQ(ends, expected);
}

TEST_P(TokenizerCases, ShowsNoBytesThatAreNotText) {
    for (TokenId id = -2; id < tokenizer_->n_vocab() + 2; ++id) {
        EXPECT_TRUE(nlohmann::json(tokenizer_->piece(id)).dump().size() >
                    0); // dump() throws on bad UTF-8
        EXPECT_TRUE(nlohmann::json(tokenizer_->decode({{id}}, true)).dump().size() > 0);
    }
    for (const std::string& warning : tokenizer_->warnings())
        std::cout << GetParam() << ": " << warning << "\n";
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerCases,
                         ::testing::Values("gpt-2", "smollm2", "starcoder", "llama-bpe", "qwen2",
                                           "qwen35", "deepseek-coder", "falcon", "command-r",
                                           "llama-spm", "phi-3", "gemma3", "gemma-4", "bert-bge"),
                         [](const auto& test) {
                             std::string name = test.param;
                             for (char& c : name)
                                 c = c == '-' ? '_' : c;
                             return name;
                         });

TEST(TokenizerPrompts, EncodesWholeChatsAsRecorded) {
    const fs::path file = vocabulary_file("smollm2");
    const fs::path cases = cases_file("smollm2", ".chat.jsonl");
    if (!fs::exists(file) || !fs::exists(cases))
        GTEST_SKIP() << "no " << file << " or " << cases;
    auto loaded = load_tokenizer(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    int n = 0;
    for (const json& c : read_json_lines(cases)) {
        const std::vector<TextSegment> whole{{c.at("prompt"), false}};
        EXPECT_EQ((*loaded)->encode_prompt(whole, false), c.at("ids").get<std::vector<TokenId>>());
        ++n;
    }
    std::cout << n << " prompts\n";
}

} // namespace

} // namespace alcove::test
