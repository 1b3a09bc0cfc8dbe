#include "engine/text/grammar.h"
#include "engine/text/grammar_ast.h"
#include "engine/text/grammar_program.h"
#include "engine/text/tokenizer_vocabulary.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace alcove {

namespace {

constexpr std::uint32_t kMaxRepetition = 2000;
constexpr int kMaxNesting = 200;
constexpr std::size_t kMaxGrammarBytes = 4U << 20U;

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/// Reads GBNF by recursive descent. A line end ends a rule, except inside parentheses and after "|"
/// or "::=".
class GbnfReader {
public:
    explicit GbnfReader(std::string_view text) : text_(text) {}

    Result<GrammarAst> read() {
        skip_blanks(true);
        while (position_ < text_.size()) {
            ALCOVE_RETURN_IF_ERROR(read_rule());
        }
        const auto root = names_.find("root");
        if (root == names_.end() || !ast_.rules()[root->second].defined)
            return grammar_error("the grammar has no rule named root");
        for (const auto& rule : ast_.rules())
            if (!rule.defined)
                return grammar_error(fmt::format("the rule {} is used, but not defined",
                                                 quote_for_message(rule.name)));
        return std::move(ast_);
    }

    RuleId root() const { return names_.find("root")->second; }

private:
    char at(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    bool done() const { return position_ >= text_.size(); }

    Error fail(std::string_view expected) const {
        const auto line =
            1 +
            std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(position_), '\n');
        const std::string found =
            done() ? "the end"
                   : quote_for_message(text_.substr(position_, utf8_length(text_[position_])));
        return grammar_error(fmt::format("line {}: found {}, expected {}", line, found, expected));
    }

    void skip_blanks(bool lines) {
        while (!done()) {
            if (at() == '#')
                position_ = std::min(text_.find_first_of("\r\n", position_), text_.size());
            else if (at() == ' ' || at() == '\t' || (lines && (at() == '\r' || at() == '\n')))
                ++position_;
            else
                break;
        }
    }

    std::string read_name() {
        const std::size_t begin = position_;
        while (!done() && is_name_character(at()))
            ++position_;
        return std::string(text_.substr(begin, position_ - begin));
    }

    RuleId rule_named(const std::string& name) {
        if (const auto known = names_.find(name); known != names_.end())
            return known->second;
        return names_[name] = ast_.new_rule(name);
    }

    Status read_rule() {
        const std::string name = read_name();
        if (name.empty())
            return fail("the name of a rule (letters, digits and -)");
        skip_blanks(false);
        if (!text_.substr(position_).starts_with("::="))
            return fail("::= after the name of a rule");
        position_ += 3;
        skip_blanks(true);
        ALCOVE_ASSIGN_OR_RETURN(const ExprId body, read_choice(0));
        ast_.define(rule_named(name), body); // a later definition replaces an earlier one
        if (!done() && at() != '\r' && at() != '\n')
            return fail("the end of the rule");
        skip_blanks(true);
        return ok();
    }

    Result<ExprId> read_choice(int nesting) {
        if (nesting > kMaxNesting)
            return fail(fmt::format("at most {} nested parentheses", kMaxNesting));
        std::vector<ExprId> parts;
        while (true) {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId part, read_sequence(nesting));
            parts.push_back(part);
            if (done() || at() != '|')
                return ast_.choice(std::move(parts));
            ++position_;
            skip_blanks(true);
        }
    }

    Result<ExprId> read_sequence(int nesting) {
        std::vector<ExprId> parts;
        bool repeatable = false;
        while (!done()) {
            const char c = at();
            if (c == '*' || c == '+' || c == '?' || c == '{') {
                if (!repeatable)
                    return fail("something to repeat before it");
                ALCOVE_ASSIGN_OR_RETURN(parts.back(), read_repetition(parts.back(), nesting > 0));
                continue;
            }
            repeatable = true;
            if (c == '"') {
                const std::size_t begin = position_ + 1;
                ALCOVE_ASSIGN_OR_RETURN(const ExprId literal, read_literal());
                repeatable = position_ > begin + 1; // an empty literal cannot be repeated
                parts.push_back(literal);
            } else if (c == '[') {
                ALCOVE_ASSIGN_OR_RETURN(const ExprId set, read_set());
                parts.push_back(set);
            } else if (c == '.') {
                ++position_;
                parts.push_back(ast_.any());
            } else if (c == '(') {
                ++position_;
                skip_blanks(true);
                ALCOVE_ASSIGN_OR_RETURN(const ExprId group, read_choice(nesting + 1));
                if (done() || at() != ')')
                    return fail(") at the end of the group");
                ++position_;
                parts.push_back(group);
            } else if (is_name_character(c)) {
                parts.push_back(ast_.rule(rule_named(read_name())));
            } else {
                break;
            }
            skip_blanks(nesting > 0);
        }
        return ast_.sequence(std::move(parts));
    }

    Result<char32_t> read_character(std::string_view inside) {
        if (done())
            return fail(inside);
        if (at() != '\\')
            return utf8_next(text_, position_);
        ++position_;
        const char kind = at();
        const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
        if (digits > 0) {
            ++position_;
            char32_t value = 0;
            for (std::size_t i = 0; i < digits; ++i, ++position_) {
                const char c = at();
                const int digit = c >= '0' && c <= '9'   ? c - '0'
                                  : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                         : -1;
                if (digit < 0)
                    return fail(fmt::format("{} hexadecimal digits", digits));
                value = value << 4U | static_cast<char32_t>(digit);
            }
            return value;
        }
        constexpr std::string_view kKinds = "nrt\\\"[]-";
        constexpr std::string_view kValues = "\n\r\t\\\"[]-";
        const std::size_t known = done() ? std::string_view::npos : kKinds.find(kind);
        if (known == std::string_view::npos)
            return fail("one of n r t \\ \" [ ] - x u U after the backslash");
        ++position_;
        return static_cast<char32_t>(kValues[known]);
    }

    Result<ExprId> read_literal() {
        ++position_;
        std::vector<ExprId> parts;
        while (done() || at() != '"') {
            ALCOVE_ASSIGN_OR_RETURN(const char32_t c,
                                    read_character("\" at the end of the literal"));
            parts.push_back(ast_.set({{c, c}}));
        }
        ++position_;
        return ast_.sequence(std::move(parts));
    }

    Result<ExprId> read_set() {
        ++position_;
        const bool negated = at() == '^';
        if (negated)
            ++position_;
        CodeSet ranges;
        while (done() || at() != ']') {
            ALCOVE_ASSIGN_OR_RETURN(const char32_t first,
                                    read_character("] at the end of the set"));
            char32_t last = first;
            if (at() == '-' && position_ + 1 < text_.size() && at(1) != ']') {
                ++position_;
                ALCOVE_ASSIGN_OR_RETURN(last, read_character("the end of the range"));
            }
            ranges.emplace_back(first, last);
        }
        ++position_;
        return ast_.set(negated ? complement(ranges) : std::move(ranges));
    }

    Result<std::uint32_t> read_number() {
        if (at() < '0' || at() > '9')
            return fail("a number");
        std::uint64_t value = 0;
        while (at() >= '0' && at() <= '9')
            value = std::min<std::uint64_t>(
                value * 10 + static_cast<std::uint64_t>(text_[position_++] - '0'), 1'000'000'000);
        if (value > kMaxRepetition)
            return grammar_error(
                fmt::format("a repetition of {} times is too large, expected at most {}", value,
                            kMaxRepetition));
        return static_cast<std::uint32_t>(value);
    }

    Result<ExprId> read_repetition(ExprId body, bool nested) {
        const char kind = text_[position_++];
        skip_blanks(nested);
        if (kind != '{')
            return ast_.repeat(body, kind == '+' ? 1 : 0, kind == '?' ? 1 : GrammarAst::kUnbounded);
        ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t min, read_number());
        std::uint32_t max = min;
        skip_blanks(nested);
        if (at() == ',') {
            ++position_;
            skip_blanks(nested);
            max = GrammarAst::kUnbounded;
            if (at() >= '0' && at() <= '9') {
                ALCOVE_ASSIGN_OR_RETURN(max, read_number());
            }
            skip_blanks(nested);
        }
        if (at() != '}')
            return fail("} at the end of the repetition");
        if (max < min)
            return fail(
                fmt::format("a repetition whose end is not below its begin ({} to {})", min, max));
        ++position_;
        skip_blanks(nested);
        return ast_.repeat(body, min, max);
    }

    std::string_view text_;
    std::size_t position_ = 0;
    GrammarAst ast_;
    std::map<std::string, RuleId> names_;
};

} // namespace

Result<std::shared_ptr<const Grammar>> Grammar::from_gbnf(std::string_view text) {
    if (text.size() > kMaxGrammarBytes)
        return grammar_error(fmt::format("the grammar has {} bytes, expected at most {}",
                                         text.size(), kMaxGrammarBytes));
    if (!utf8_is_valid(text))
        return grammar_error("the grammar is not UTF-8");
    GbnfReader reader(text);
    ALCOVE_ASSIGN_OR_RETURN(const GrammarAst ast, reader.read());
    ALCOVE_ASSIGN_OR_RETURN(auto program, compile_grammar(ast, reader.root()));
    return std::shared_ptr<const Grammar>(std::make_shared<Grammar>(std::move(program)));
}

} // namespace alcove
