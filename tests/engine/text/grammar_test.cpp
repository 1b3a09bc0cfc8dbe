// Grammars: the recorded cases, and masks against the plain definition.

#include "tests/engine/text/tokenizer_fixture.h"

#include "engine/text/grammar.h"
#include "engine/text/grammar_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <random>

namespace alcove::test {

namespace {

using nlohmann::json;

std::filesystem::path grammar_file(const std::string& name) {
    const auto local = std::filesystem::path(ALCOVE_TEST_DATA) / "grammar" / name;
    return std::filesystem::exists(local) ? local
                                          : shared_folder() / "oracle" / "text" / "grammar" / name;
}

const char* name_of(GrammarVerdict verdict) {
    return verdict == GrammarVerdict::Accept   ? "accept"
           : verdict == GrammarVerdict::Prefix ? "prefix"
                                               : "reject";
}

TEST(Grammar, JudgesEveryRecordedGbnfCase) {
    int grammars = 0;
    int strings = 0;
    for (const json& c : read_json_lines(grammar_file("gbnf.cases.jsonl"))) {
        ++grammars;
        const std::string name = c.at("name");
        const auto begin = std::chrono::steady_clock::now();
        const auto grammar = Grammar::from_gbnf(c.at("grammar").get<std::string>());
        if (!c.at("grammar_ok").get<bool>()) {
            EXPECT_FALSE(grammar) << name;
            continue;
        }
        if (!grammar && c.value("may_refuse", false)) {
            std::cout << name << ": refused, as it may be: " << grammar.error().message << "\n";
            continue;
        }
        ASSERT_TRUE(grammar) << name << ": " << grammar.error().message;
        for (const json& s : c.at("strings")) {
            const GrammarCheck check = check_text(**grammar, s.at("text").get<std::string>());
            EXPECT_EQ(name_of(check.verdict), s.at("expect").get<std::string>())
                << name << ": " << s.at("text");
            if (s.contains("reject_at") && !s.at("reject_at").is_null()) {
                EXPECT_EQ(check.reject_at, s.at("reject_at").get<std::size_t>())
                    << name << ": " << s.at("text");
            }
            ++strings;
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        if (took.count() > 0.2)
            std::cout << name << ": " << took.count() << " s\n";
    }
    EXPECT_GE(grammars, 100);
    std::cout << grammars << " grammars, " << strings << " strings\n";
}

/// True if one of the document's spellings is possible as a whole.
bool possible(const Grammar& grammar, const json& doc) {
    std::vector<std::string> forms{doc.at("text")};
    if (doc.contains("forms"))
        forms = doc.at("forms").get<std::vector<std::string>>();
    return std::any_of(forms.begin(), forms.end(), [&](const std::string& form) {
        return check_text(grammar, form).verdict == GrammarVerdict::Accept;
    });
}

TEST(Grammar, JudgesEveryRecordedSchemaCase) {
    int schemas = 0;
    int documents = 0;
    std::ifstream in(grammar_file("json-schema.cases.jsonl"));
    for (std::string line; std::getline(in, line); ++schemas) {
        const auto c = nlohmann::ordered_json::parse(line);
        const auto grammar = Grammar::from_json_schema(c.at("schema"));
        ASSERT_TRUE(grammar) << c.at("name") << ": " << grammar.error().message;
        for (const auto& doc : c.at("docs")) {
            ++documents;
            if (doc.at("expect") != "may") {
                EXPECT_EQ(possible(**grammar, doc), doc.at("expect") == "accept")
                    << c.at("name") << ": " << doc.at("text");
            }
        }
    }
    EXPECT_GE(schemas, 62);
    std::cout << schemas << " schemas, " << documents << " documents\n";
}

/// A tokenizer of these pieces: SPM, so that any text can be a token. Control tokens in front.
std::shared_ptr<const Tokenizer> tokenizer_of(const std::vector<std::string>& pieces) {
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
    std::vector<std::int32_t> types{2, 3, 3};
    for (int byte = 0; byte < 256; ++byte) {
        tokens.push_back(fmt::format("<0x{:02X}>", byte));
        types.push_back(6);
    }
    for (const std::string& piece : pieces) {
        tokens.push_back(piece);
        types.push_back(1);
    }
    GgufWriter writer;
    writer.add_string("tokenizer.ggml.model", "llama");
    writer.add_strings("tokenizer.ggml.tokens", tokens);
    writer.add_i32s("tokenizer.ggml.token_type", types);
    writer.add_f32s("tokenizer.ggml.scores", std::vector<float>(tokens.size()));
    writer.add_bool("tokenizer.ggml.add_space_prefix", false);
    auto loaded = load_tokenizer(writer);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return *loaded;
}

std::shared_ptr<const Grammar> gbnf(const std::string& text) {
    auto grammar = Grammar::from_gbnf(text);
    EXPECT_TRUE(grammar) << grammar.error().message;
    return *grammar;
}

/// Whether `bytes`, possibly the begin of a character at its end, can still become allowed.
bool check_bytes(const Grammar& grammar, const std::string& bytes) {
    GrammarMatcher matcher(grammar.program());
    GrammarMatcher::Situation at = matcher.start();
    for (const char c : bytes)
        at = matcher.step(at, static_cast<std::uint8_t>(c));
    return at != GrammarMatcher::kDead;
}

TEST(GrammarState, MaskAllowsExactlyTheTokensThatCanGoOn) {
    const auto tokenizer = tokenizer_of({"{",  "}",   "{\"", "\":", "a",  "aa", "1",   "12", "1}",
                                         "é",  "漢",  "\"",  ",",   "x",  " ",  "[",   "]",  "true",
                                         "tr", "ue}", "\\",  "\\n", "\n", "}}", "null"});
    const auto vocabulary = std::make_shared<const GrammarVocabulary>(*tokenizer);
    const auto schema =
        nlohmann::ordered_json::parse(R"({"type":"object","additionalProperties":true})");
    const std::vector<std::shared_ptr<const Grammar>> grammars{
        *Grammar::from_json_schema(schema),
        gbnf("root ::= \"a\" root \"1\" | \"a\" root \"12\" | \"x\""),
        gbnf("root ::= [a-é漢]* \"}\"?"), gbnf("root ::= (\"a\" | \"aa\")* \"1\"")};
    std::mt19937 random(3);
    int masks = 0;
    for (const auto& grammar : grammars) {
        for (int round = 0; round < 8; ++round) {
            GrammarState state(grammar, vocabulary);
            std::string text;
            for (int length = 0; length < 20; ++length) {
                std::vector<float> logits(static_cast<std::size_t>(tokenizer->n_vocab()) + 5);
                state.mask(logits);
                ++masks;
                std::vector<TokenId> open;
                for (TokenId id = 0; id < static_cast<TokenId>(logits.size()); ++id) {
                    const std::string more = tokenizer->token_bytes(id);
                    const bool can =
                        id == tokenizer->eos()
                            ? check_text(*grammar, text).verdict == GrammarVerdict::Accept
                            : !more.empty() && check_bytes(*grammar, text + more);
                    ASSERT_EQ(std::isinf(logits[static_cast<std::size_t>(id)]), !can)
                        << text << " + " << id;
                    if (can && id != tokenizer->eos())
                        open.push_back(id);
                }
                ASSERT_EQ(state.is_finished(), open.empty() && state.is_complete());
                if (open.empty())
                    break;
                const TokenId next = open[random() % open.size()];
                ASSERT_TRUE(state.accept(next));
                text += tokenizer->token_bytes(next);
            }
            ASSERT_EQ(state.is_complete(),
                      check_text(*grammar, text).verdict == GrammarVerdict::Accept)
                << text;
        }
    }
    std::cout << masks << " masks\n";
}

TEST(GrammarState, RefusesTokensThatCannotComeAndStaysUsable) {
    const auto tokenizer = tokenizer_of({"ab", "b", "c"});
    const auto vocabulary = std::make_shared<const GrammarVocabulary>(*tokenizer);
    GrammarState state(gbnf("root ::= \"abc\""), vocabulary);
    EXPECT_FALSE(state.accept(tokenizer->find("b")));
    EXPECT_FALSE(state.accept(tokenizer->eos()));
    EXPECT_FALSE(state.accept(tokenizer->bos()));
    EXPECT_FALSE(state.accept(-1));
    EXPECT_FALSE(state.accept(100'000));
    EXPECT_TRUE(state.accept(tokenizer->find("ab")));
    EXPECT_TRUE(state.accept(tokenizer->find("c")));
    EXPECT_TRUE(state.is_finished());
    EXPECT_TRUE(state.accept(tokenizer->eos()));
    state.reset();
    EXPECT_FALSE(state.is_complete());
    EXPECT_TRUE(state.accept(tokenizer->find("ab")));
}

void judge_bounds(const std::string& schema, double low, bool low_open, double high, bool high_open,
                  bool integral) {
    const auto grammar = Grammar::from_json_schema(nlohmann::ordered_json::parse(schema));
    ASSERT_TRUE(grammar) << schema << grammar.error().message;
    for (int hundredths = -3000; hundredths <= 3000; ++hundredths) {
        const double value = hundredths / 100.0;
        const bool inside =
            (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
        const auto verdict = [&](const std::string& form) {
            return check_text(**grammar, form).verdict;
        };
        const std::string text = fmt::format("{:.2f}", value);
        if (text != "-0.00") {
            ASSERT_EQ(verdict(text) == GrammarVerdict::Accept, inside && !integral)
                << schema << ": " << text;
        }
        if (hundredths % 100 == 0) {
            const std::string whole = std::to_string(hundredths / 100);
            ASSERT_EQ(verdict(whole) == GrammarVerdict::Accept, inside) << schema << ": " << whole;
        }
    }
}

TEST(Grammar, BoundsOfNumbersAreExact) {
    constexpr double kFar = 1e9;
    judge_bounds(R"({"type":"number","minimum":-2.5,"maximum":13.25})", -2.5, false, 13.25, false,
                 false);
    judge_bounds(R"({"type":"number","exclusiveMinimum":-2.5,"exclusiveMaximum":13.25})", -2.5,
                 true, 13.25, true, false);
    judge_bounds(R"({"type":"number","minimum":0.5,"exclusiveMaximum":0.75})", 0.5, false, 0.75,
                 true, false);
    judge_bounds(R"({"type":"number","exclusiveMinimum":0})", 0, true, kFar, false, false);
    judge_bounds(R"({"type":"number","maximum":-1.05})", -kFar, false, -1.05, false, false);
    judge_bounds(R"({"type":"number","minimum":-11.5,"maximum":-2})", -11.5, false, -2, false,
                 false);
    judge_bounds(R"({"type":"integer","minimum":-2.5,"maximum":13.25})", -2.5, false, 13.25, false,
                 true);
    judge_bounds(R"({"type":"integer","exclusiveMinimum":-7,"exclusiveMaximum":10})", -7, true, 10,
                 true, true);
    judge_bounds(R"({"type":"integer","exclusiveMaximum":0})", -kFar, false, 0, true, true);
    judge_bounds(R"({"type":"integer","minimum":9,"maximum":21})", 9, false, 21, false, true);
}

TEST(Grammar, OpenObjectsDoNotOverrideDeclaredMembers) {
    const auto grammar = Grammar::from_json_schema(nlohmann::ordered_json::parse(
        R"({"type":"object","properties":{"ab":{"type":"integer"},"q\"":{"type":"integer"}},"additionalProperties":true})"));
    ASSERT_TRUE(grammar) << grammar.error().message;
    const auto accepts = [&](const std::string& text) {
        return check_text(**grammar, text).verdict == GrammarVerdict::Accept;
    };
    EXPECT_TRUE(accepts(R"({"ab":1,"a":"x","abc":null,"":2,"q":[]})"));
    EXPECT_TRUE(accepts(R"({"xé\u0061":true})"));
    EXPECT_FALSE(accepts(R"({"ab":"x"})"));
    EXPECT_FALSE(accepts(R"({"a\u0062":"x"})")) << "another spelling of the same name";
    EXPECT_FALSE(accepts(R"({"q\"":"x"})"));
}

TEST(Grammar, RefusesSchemasThatNoGrammarCanKeep) {
    for (const std::string text :
         {R"({"not":{"type":"string"}})", R"({"type":"array","uniqueItems":true})",
          R"({"$ref":"#/nowhere"})", R"({"$ref":"#"})",
          R"({"anyOf":[{"$ref":"#"},{"type":"null"}]})", R"({"type":"strange"})", R"({"type":5})",
          R"({"$ref":"http://example.org/x"})",
          R"({"oneOf":[{"type":"integer"},{"type":"number"}]})", R"(false)", R"(7)",
          R"({"type":"string","pattern":"(?=a)b"})", R"({"type":"string","pattern":"a^b"})",
          R"({"type":"string","pattern":"("})",
          R"({"type":"object","required":["a"],"properties":{"a":false}})",
          R"({"type":"array","minItems":100000000,"items":{"type":"integer"}})", R"({"allOf":[]})",
          R"({"patternProperties":{"a":{}}})", R"({"type":"integer","minimum":3,"maximum":2})"}) {
        const auto grammar = Grammar::from_json_schema(nlohmann::ordered_json::parse(text));
        EXPECT_FALSE(grammar) << text;
        if (!grammar) {
            EXPECT_EQ(grammar.error().code, Errc::Grammar) << grammar.error().message;
        }
    }
    std::string deep = "1";
    for (int i = 0; i < 5000; ++i)
        deep = "[" + deep + "]";
    nlohmann::ordered_json hostile;
    hostile["const"] = nlohmann::ordered_json::parse(deep);
    EXPECT_FALSE(Grammar::from_json_schema(hostile));
}

TEST(Grammar, RandomGrammarsNeitherCrashNorHang) {
    static const std::vector<std::string> kParts{
        "root", "a", "b", " ::= ", "\n",    "\"x\"", "\"\"", "[a-z]", "[^\"]", "(",  ")",
        "*",    "+", "?", "{2}",   "{0,3}", "{2,}",  " | ",  ".",     "#c\n",  "\\", "\xC3"};
    std::mt19937 random(17);
    int good = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = "root ::= ";
        for (unsigned i = random() % 14; i > 0; --i)
            text += kParts[random() % kParts.size()];
        if (round % 2 == 0)
            text += "\na ::= \"y\" b?\nb ::= [0-9]+ | a";
        const auto grammar = Grammar::from_gbnf(text);
        if (!grammar) {
            ASSERT_EQ(grammar.error().code, Errc::Grammar);
            continue;
        }
        ++good;
        for (const char* sample : {"", "x", "xx", "y1y", "abc"})
            static_cast<void>(check_text(**grammar, sample));
    }
    EXPECT_GT(good, 100);
}

TEST(Grammar, LongTextsStayInBounds) {
    const auto nested = gbnf("root ::= \"[\" root? \"]\"");
    EXPECT_EQ(check_text(*nested, std::string(100'000, '[')).verdict, GrammarVerdict::Prefix);
    const auto counted = gbnf("root ::= (\"[\" | [a-z]{0,50} \"]\")*");
    EXPECT_EQ(check_text(*counted, std::string(200'000, '[')).verdict, GrammarVerdict::Accept);
    const auto forked = gbnf("root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"d\"");
    EXPECT_EQ(check_text(*forked, std::string(2000, 'a') + "d" + std::string(2000, 'c')).verdict,
              GrammarVerdict::Accept);
}

} // namespace

} // namespace alcove::test
