#include "engine/text/grammar_schema.h"
#include "engine/text/tokenizer_vocabulary.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

namespace alcove::schema {

namespace {

constexpr int kMaxNesting = 100;
constexpr std::uint32_t kMaxRepetition = 2000;

const CodeSet kDigits{{'0', '9'}};
const CodeSet kWord{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const CodeSet kSpace{{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
                     {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                     {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
const CodeSet kLineEnds{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

/// Recursive descent over a regular expression. Anchors are known at both ends of the outermost
/// alternatives only.
class PatternReader {
public:
    PatternReader(GrammarAst& ast, JsonRules& rules, std::string_view text)
        : ast_(ast), rules_(rules), text_(text) {}

    Result<ExprId> read() {
        std::vector<ExprId> parts;
        while (true) {
            const bool from_begin = take('^');
            ALCOVE_ASSIGN_OR_RETURN(const ExprId body, read_sequence(0));
            const bool to_end = take('$');
            std::vector<ExprId> whole;
            if (!from_begin)
                whole.push_back(ast_.repeat(rules_.character(), 0, GrammarAst::kUnbounded));
            whole.push_back(body);
            if (!to_end)
                whole.push_back(ast_.repeat(rules_.character(), 0, GrammarAst::kUnbounded));
            parts.push_back(ast_.sequence(std::move(whole)));
            if (position_ == text_.size())
                return ast_.choice(std::move(parts));
            if (!take('|'))
                return fail("the end, | or an anchor at an end");
        }
    }

private:
    char at(std::size_t ahead = 0) const {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    bool take(char c) {
        if (at() != c || position_ >= text_.size())
            return false;
        ++position_;
        return true;
    }
    Error fail(std::string_view expected) const {
        return grammar_error(fmt::format("the pattern {} cannot be used: at {} expected {}",
                                         quote_for_message(text_), position_, expected));
    }

    Result<ExprId> read_choice(int nesting) {
        if (nesting > kMaxNesting)
            return fail("less nesting");
        std::vector<ExprId> parts;
        do {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId part, read_sequence(nesting));
            parts.push_back(part);
        } while (take('|'));
        return ast_.choice(std::move(parts));
    }

    Result<ExprId> read_sequence(int nesting) {
        std::vector<ExprId> parts;
        while (position_ < text_.size() && at() != '|' && at() != ')' && at() != '$') {
            ALCOVE_ASSIGN_OR_RETURN(ExprId item, read_item(nesting));
            ALCOVE_ASSIGN_OR_RETURN(item, read_quantifier(item));
            parts.push_back(item);
        }
        if (nesting == 0 && at() == ')')
            return fail("no ) without its (");
        return ast_.sequence(std::move(parts));
    }

    Result<ExprId> read_item(int nesting) {
        const char c = at();
        if (c == '(') {
            ++position_;
            if (take('?') && !take(':'))
                return fail("a plain group (look-around and named groups are no grammar)");
            ALCOVE_ASSIGN_OR_RETURN(const ExprId group, read_choice(nesting + 1));
            if (!take(')'))
                return fail(")");
            return group;
        }
        if (c == '[') {
            ALCOVE_ASSIGN_OR_RETURN(const CodeSet set, read_set());
            return spelled(ast_, set);
        }
        if (c == '.') {
            ++position_;
            return spelled(ast_, complement(kLineEnds));
        }
        if (c == '\\') {
            ALCOVE_ASSIGN_OR_RETURN(const CodeSet set, read_escape());
            return spelled(ast_, set);
        }
        if (c == '^' || c == '*' || c == '+' || c == '?')
            return fail("a character, set or group");
        const char32_t point = utf8_next(text_, position_);
        return spelled(ast_, {{point, point}});
    }

    Result<CodeSet> read_escape() {
        ++position_;
        if (position_ >= text_.size())
            return fail("a character after the backslash");
        const char32_t c = utf8_next(text_, position_);
        switch (c) {
        case 'd':
            return kDigits;
        case 'D':
            return complement(kDigits);
        case 'w':
            return kWord;
        case 'W':
            return complement(kWord);
        case 's':
            return kSpace;
        case 'S':
            return complement(kSpace);
        case 'n':
            return CodeSet{{'\n', '\n'}};
        case 'r':
            return CodeSet{{'\r', '\r'}};
        case 't':
            return CodeSet{{'\t', '\t'}};
        case 'f':
            return CodeSet{{'\f', '\f'}};
        case 'v':
            return CodeSet{{'\v', '\v'}};
        case '0':
            return CodeSet{{0, 0}};
        case 'x':
        case 'u': {
            char32_t value = 0;
            for (int i = 0; i < (c == 'x' ? 2 : 4); ++i, ++position_) {
                const char h = at();
                const int digit = h >= '0' && h <= '9'   ? h - '0'
                                  : h >= 'a' && h <= 'f' ? h - 'a' + 10
                                  : h >= 'A' && h <= 'F' ? h - 'A' + 10
                                                         : -1;
                if (digit < 0)
                    return fail("hexadecimal digits");
                value = value << 4U | static_cast<char32_t>(digit);
            }
            return CodeSet{{value, value}};
        }
        default:
            break;
        }
        if ((c >= '1' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
            return fail("another escape (this one is no grammar)");
        return CodeSet{{c, c}};
    }

    Result<CodeSet> read_set() {
        ++position_;
        const bool negated = take('^');
        CodeSet set;
        const auto read_one = [this]() -> Result<CodeSet> {
            if (at() == '\\') {
                if (at(1) == 'b') {
                    position_ += 2;
                    return CodeSet{{'\b', '\b'}};
                }
                return read_escape();
            }
            const char32_t c = utf8_next(text_, position_);
            return CodeSet{{c, c}};
        };
        while (position_ < text_.size() && at() != ']') {
            ALCOVE_ASSIGN_OR_RETURN(CodeSet first, read_one());
            const bool single = first.size() == 1 && first[0].first == first[0].second;
            if (single && at() == '-' && position_ + 1 < text_.size() && at(1) != ']') {
                ++position_;
                ALCOVE_ASSIGN_OR_RETURN(const CodeSet last, read_one());
                if (last.size() != 1 || last[0].first != last[0].second ||
                    last[0].first < first[0].first)
                    return fail("a range that goes upwards");
                first[0].second = last[0].first;
            }
            set.insert(set.end(), first.begin(), first.end());
        }
        if (!take(']'))
            return fail("]");
        return negated ? complement(set) : normalized(set);
    }

    Result<ExprId> read_quantifier(ExprId item) {
        std::uint32_t min = 0;
        std::uint32_t max = GrammarAst::kUnbounded;
        if (take('?')) {
            max = 1;
        } else if (take('+')) {
            min = 1;
        } else if (at() == '{' && at(1) >= '0' && at(1) <= '9') {
            ++position_;
            ALCOVE_ASSIGN_OR_RETURN(min, read_number());
            max = min;
            if (take(',')) {
                max = GrammarAst::kUnbounded;
                if (at() != '}') {
                    ALCOVE_ASSIGN_OR_RETURN(max, read_number());
                }
            }
            if (!take('}') || max < min)
                return fail("a repetition {m}, {m,} or {m,n}");
        } else if (!take('*')) {
            return item;
        }
        take('?'); // lazy: the same texts
        return ast_.repeat(item, min, max);
    }

    Result<std::uint32_t> read_number() {
        std::uint32_t value = 0;
        bool any = false;
        for (; at() >= '0' && at() <= '9'; any = true) {
            value = value * 10 + static_cast<std::uint32_t>(text_[position_++] - '0');
            if (value > kMaxRepetition)
                return fail(fmt::format("at most {} repetitions", kMaxRepetition));
        }
        if (!any)
            return fail("a number");
        return value;
    }

    GrammarAst& ast_;
    JsonRules& rules_;
    std::string_view text_;
    std::size_t position_ = 0;
};

} // namespace

Result<ExprId> pattern_body(GrammarAst& ast, JsonRules& rules, std::string_view pattern) {
    return PatternReader(ast, rules, pattern).read();
}

std::optional<std::string> format_pattern(std::string_view format) {
    const std::string date =
        "[0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|"
        "[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)|[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])|"
        "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29";
    const std::string time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?"
                             "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
    if (format == "date")
        return "^(" + date + ")$";
    if (format == "time")
        return "^" + time + "$";
    if (format == "date-time")
        return "^(" + date + ")T" + time + "$";
    if (format == "uuid")
        return "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";
    return std::nullopt;
}

} // namespace alcove::schema
