#include "engine/text/tokenizer_pretokenizer.h"

#include "engine/text/tokenizer_base.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace alcove {

namespace {

// White_Space of Unicode. PCRE2's own \s also takes U+180E, which left White_Space in Unicode 6.3.
#define SPACE R"(\t-\r\x{85}\p{Z})"
#define CONTRACTION R"('(?i:s|t|re|ve|m|ll|d))"
// Optional blank and letters, digits or the rest; blanks, the last of them left to the word that
// follows.
#define GPT2                                                                                       \
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^)" SPACE R"(\p{L}\p{N}]+|[)" SPACE            \
    R"(]+(?![^)" SPACE R"(])|[)" SPACE R"(]+)"
// The end that most newer expressions share: lines, then blanks.
#define BLANKS R"([)" SPACE R"(]*[\r\n]+|[)" SPACE R"(]+(?![^)" SPACE R"(])|[)" SPACE R"(]+)"
#define LLAMA3_LIKE(digits)                                                                        \
    CONTRACTION R"(|[^\r\n\p{L}\p{N}]?\p{L}+|)" digits R"(| ?[^)" SPACE                            \
                R"(\p{L}\p{N}]+[\r\n]*|)" BLANKS
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
// Words split where lower case turns to upper case.
#define CASED_WORD(suffix)                                                                         \
    R"([^\r\n\p{L}\p{N}]?)" UPPER "*" LOWER "+" suffix R"(|[^\r\n\p{L}\p{N}]?)" UPPER "+" LOWER    \
    "*" suffix

constexpr const char* kGpt2 = GPT2;
constexpr const char* kEachDigit = R"(\p{N})";
constexpr const char* kThreeDigits = "[0-9][0-9][0-9]";
constexpr const char* kBloom = R"( ?[^()" SPACE R"(|.,!?…。，、।۔،)]+)";

constexpr std::array kGpt2Rules{kGpt2};
constexpr std::array kDigitsRules{kEachDigit, kGpt2};
constexpr std::array kLlama3Rules{LLAMA3_LIKE(R"(\p{N}{1,3})")};
constexpr std::array kQwen2Rules{LLAMA3_LIKE(R"(\p{N})")};
constexpr std::array kQwen35Rules{CONTRACTION R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^)" SPACE
                                              R"(\p{L}\p{M}\p{N}]+[\r\n]*|)" BLANKS};
constexpr std::array kDeepseekCoderRules{
    R"([\r\n])", "[" SPACE R"(]?\p{L}+)", "[" SPACE R"(]?\p{P}+)",
    R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)", kEachDigit};
constexpr std::array kDeepseek3Rules{
    R"(\p{N}{1,3})", R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" BLANKS};
constexpr std::array kFalconRules{R"([\p{P}$+<=>^~|`]+)", kGpt2, kThreeDigits};
constexpr std::array kDefaultRules{R"([\p{P}$+<=>^~|]+)", kGpt2, R"(\p{N}+)", kThreeDigits};
constexpr std::array kTekkenRules{CASED_WORD("") R"(|\p{N}| ?[^)" SPACE
                                                 R"(\p{L}\p{N}]+[\r\n/]*|)" BLANKS};
constexpr std::array kGpt4oRules{CASED_WORD(
    "(?:" CONTRACTION ")?") R"(|\p{N}{1,3}| ?[^)" SPACE R"(\p{L}\p{N}]+[\r\n/]*|)" BLANKS};
constexpr std::array kBloomRules{kBloom};
constexpr std::array kVikingRules{kBloom, kEachDigit};

} // namespace

struct PreTokenizer::Rule {
    std::string_view name;
    std::span<const char* const> expressions;
    bool nfc = false;
    bool ignore_merges = false;
    bool bos = false;
};

namespace {

using Rule = PreTokenizer::Rule;

constexpr Rule kDefault{"default", kDefaultRules};
// Names as converters write them; the expressions are those of the models' published tokenizers.
constexpr std::array kRules{
    kDefault,
    Rule{"gpt-2", kGpt2Rules},
    Rule{"gpt2", kGpt2Rules},
    Rule{"phi-2", kGpt2Rules},
    Rule{"mpt", kGpt2Rules, true},  // GPT-NeoX's tokenizer, which normalises
    Rule{"olmo", kGpt2Rules, true}, // the same
    Rule{"jais", kGpt2Rules},
    Rule{"trillion", kGpt2Rules},
    Rule{"granite-docling", kGpt2Rules},
    Rule{"exaone4", kGpt2Rules},
    Rule{"gigachat", kGpt2Rules},
    Rule{"a.x-4.0", kGpt2Rules},
    Rule{"mellum", kGpt2Rules},
    Rule{"roberta-bpe", kGpt2Rules},
    Rule{"modern-bert", kGpt2Rules},
    Rule{"jina-es", kGpt2Rules},
    Rule{"jina-de", kGpt2Rules},
    Rule{"jina-v1-en", kGpt2Rules},
    Rule{"jina-v2-es", kGpt2Rules},
    Rule{"jina-v2-de", kGpt2Rules},
    Rule{"jina-v2-code", kGpt2Rules},
    Rule{"smollm", kDigitsRules},
    Rule{"starcoder", kDigitsRules},
    Rule{"refact", kDigitsRules},
    Rule{"command-r", kDigitsRules, true},
    Rule{"codeshell", kDigitsRules},
    Rule{"exaone", kDigitsRules},
    Rule{"minerva-7b", kDigitsRules},
    Rule{"llama-bpe", kLlama3Rules, false, true, true},
    Rule{"llama3", kLlama3Rules, false, true, true},
    Rule{"llama-v3", kLlama3Rules, false, true, true},
    Rule{"lfm2", kLlama3Rules, false, true, true},
    Rule{"falcon3", kLlama3Rules, false, true, true},
    Rule{"falcon-h1", kLlama3Rules, false, true, true},
    Rule{"pixtral", kLlama3Rules, false, true, true},
    Rule{"midm-2.0", kLlama3Rules, false, true, true},
    Rule{"dbrx", kLlama3Rules},
    Rule{"smaug-bpe", kLlama3Rules},
    Rule{"chatglm-bpe", kLlama3Rules},
    Rule{"glm4", kLlama3Rules},
    Rule{"qwen2", kQwen2Rules, true},
    Rule{"deepseek-r1-qwen", kQwen2Rules, true},
    Rule{"stablelm2", kQwen2Rules},
    Rule{"megrez", kQwen2Rules},
    Rule{"hunyuan", kQwen2Rules},
    Rule{"qwen35", kQwen35Rules, true},
    Rule{"deepseek-coder", kDeepseekCoderRules},
    Rule{"deepseek-v3", kDeepseek3Rules},
    Rule{"hunyuan-dense", kDeepseek3Rules},
    Rule{"falcon", kFalconRules},
    Rule{"tekken", kTekkenRules, false, true, true},
    Rule{"gpt-4o", kGpt4oRules},
    Rule{"llama4", kGpt4oRules},
    Rule{"kanana2", kGpt4oRules},
    Rule{"bloom", kBloomRules},
    Rule{"poro-chat", kBloomRules},
    Rule{"gpt3-finnish", kBloomRules},
    Rule{"viking", kVikingRules},
};

const Rule* find_rule(std::string_view name) noexcept {
    const auto* found = std::find_if(kRules.begin(), kRules.end(),
                                     [name](const Rule& rule) { return rule.name == name; });
    return found == kRules.end() ? nullptr : found;
}

pcre2_match_context* unlimited_context() {
    // The library's default of ten million steps would end a match inside a long run of blanks; the
    // expressions are linear per match, so the text's length bounds them.
    static pcre2_match_context* const kContext = [] {
        pcre2_match_context* made = pcre2_match_context_create(nullptr);
        if (made != nullptr)
            pcre2_set_match_limit(made, std::numeric_limits<std::uint32_t>::max());
        return made;
    }();
    return kContext;
}

} // namespace

bool PreTokenizer::is_known(std::string_view name) noexcept {
    return find_rule(name) != nullptr;
}
bool PreTokenizer::normalizes_to_nfc() const noexcept {
    return rule_->nfc;
}
bool PreTokenizer::ignores_merges() const noexcept {
    return rule_->ignore_merges;
}
bool PreTokenizer::adds_bos() const noexcept {
    return rule_->bos;
}

Result<PreTokenizer> PreTokenizer::create(std::string_view name) {
    PreTokenizer made;
    made.rule_ = find_rule(name);
    if (made.rule_ == nullptr)
        made.rule_ = &kDefault;
    for (const char* pattern : made.rule_->expressions) {
        int error = 0;
        PCRE2_SIZE offset = 0;
        pcre2_code* code =
            pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern), PCRE2_ZERO_TERMINATED,
                          PCRE2_UTF | PCRE2_UCP | PCRE2_NO_UTF_CHECK, &error, &offset, nullptr);
        if (code == nullptr)
            return Error{Errc::Internal, fmt::format("the expression of pre-tokenizer {} does not "
                                                     "compile at {} (PCRE2 error {})",
                                                     made.rule_->name, offset, error)};
        Expression expression;
        expression.jit = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
        expression.code = std::shared_ptr<const pcre2_code>(
            code, [](const pcre2_code* c) { pcre2_code_free(const_cast<pcre2_code*>(c)); });
        made.expressions_.push_back(std::move(expression));
    }
    return made;
}

/// The first match at or after `from`; (size, size) if there is none.
std::pair<std::size_t, std::size_t> PreTokenizer::search(const Expression& expression,
                                                         std::string_view text, std::size_t from,
                                                         pcre2_match_data* match) {
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    int found = expression.jit ? pcre2_jit_match(expression.code.get(), subject, text.size(), from,
                                                 PCRE2_NO_UTF_CHECK, match, unlimited_context())
                               : pcre2_match(expression.code.get(), subject, text.size(), from,
                                             PCRE2_NO_UTF_CHECK, match, unlimited_context());
    if (found < 0 && found != PCRE2_ERROR_NOMATCH && expression.jit)
        found = pcre2_match(expression.code.get(), subject, text.size(), from,
                            PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match, unlimited_context());
    if (found == PCRE2_ERROR_NOMATCH)
        return {text.size(), text.size()};
    const PCRE2_SIZE* at = pcre2_get_ovector_pointer(match);
    // Out of memory, or an empty match that no expression of the table can give: one character is a
    // word, so that the text is still encoded to the end.
    if (found < 0 || at[1] <= at[0])
        return {from, from + utf8_length(text[from])};
    return {at[0], at[1]};
}

void PreTokenizer::split(std::string_view text, EncodeScratch& scratch) const {
    if (!scratch.match) {
        pcre2_match_data* made = pcre2_match_data_create(1, nullptr);
        ALCOVE_CHECK(made != nullptr, "memory for one match");
        scratch.match = std::shared_ptr<pcre2_match_data>(made, pcre2_match_data_free);
    }
    scratch.splits.assign(1, {0, text.size()});
    for (const Expression& expression : expressions_) {
        auto& out = scratch.next_splits;
        out.clear();
        for (const auto& [begin, end] : scratch.splits) {
            const std::string_view piece = text.substr(begin, end - begin);
            std::size_t done = 0;
            while (done < piece.size()) {
                const auto [from, to] = search(expression, piece, done, scratch.match.get());
                if (from > done)
                    out.emplace_back(begin + done, begin + from);
                if (to > from)
                    out.emplace_back(begin + from, begin + to);
                done = to;
            }
        }
        std::swap(scratch.splits, scratch.next_splits);
    }
}

} // namespace alcove
