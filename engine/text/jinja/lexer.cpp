#include "engine/text/jinja/lexer.h"

#include "engine/text/jinja/error.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace alcove::jinja {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex(char c) {
    return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Every line end as "\n"; a single one at the very end is left out.
std::string unify_lines(std::string_view source) {
    std::string out;
    out.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != '\r') {
            out += source[i];
            continue;
        }
        out += '\n';
        if (i + 1 < source.size() && source[i + 1] == '\n')
            ++i;
    }
    if (!out.empty() && out.back() == '\n')
        out.pop_back();
    return out;
}

class Lexer {
public:
    explicit Lexer(std::string_view source) : text_(unify_lines(source)), view_(text_) {}

    std::vector<Token> run() {
        while (pos_ < view_.size())
            root();
        emit(TokenType::End, "");
        return std::move(tokens_);
    }

private:
    [[noreturn]] void fail_here(std::string message) const {
        fail(TemplateErrorKind::Syntax, std::move(message), line_);
    }

    void emit(TokenType type, std::string text) {
        tokens_.push_back({type, line_, std::move(text)});
    }

    /// Moves to `end`, counting lines.
    void advance(std::size_t end) {
        line_ +=
            static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(pos_),
                                        text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        pos_ = end;
    }

    char at(std::size_t pos) const { return pos < view_.size() ? view_[pos] : '\0'; }
    bool starts(std::size_t pos, std::string_view what) const {
        return view_.substr(std::min(pos, view_.size()), what.size()) == what;
    }

    std::size_t skip_space(std::size_t pos) const {
        while (pos < view_.size()) {
            std::size_t next = pos;
            if (!is_space(next_char(view_, next)))
                break;
            pos = next;
        }
        return pos;
    }

    /// Position of the next "{{", "{%" or "{#".
    std::size_t find_tag(std::size_t pos) const {
        for (pos = view_.find('{', pos); pos != kNone; pos = view_.find('{', pos + 1)) {
            const char next = at(pos + 1);
            if (next == '{' || next == '%' || next == '#')
                return pos;
        }
        return kNone;
    }

    /// Text from pos_ to `end`, where a tag with `sign` behind its first two characters stands.
    void emit_text(std::size_t end, char sign, bool is_print) {
        std::string_view text = view_.substr(pos_, end - pos_);
        if (sign == '-') {
            text = trim_spaces(text, false, true);
        } else if (sign != '+' && !is_print) {
            const std::size_t newline = text.rfind('\n');
            const std::size_t line_begin = newline == kNone ? 0 : newline + 1;
            const std::string_view lead = text.substr(line_begin);
            if ((newline != kNone || line_starting_) && !lead.empty() &&
                trim_spaces(lead, true, false).empty())
                text = text.substr(0, line_begin);
        }
        if (!text.empty())
            emit(TokenType::Text, std::string(text));
        advance(end);
    }

    void root() {
        const std::size_t tag = find_tag(pos_);
        if (tag == kNone) {
            emit(TokenType::Text, std::string(view_.substr(pos_)));
            advance(view_.size());
            return;
        }
        const char kind = at(tag + 1);
        const char sign = at(tag + 2) == '-' || at(tag + 2) == '+' ? at(tag + 2) : '\0';
        const std::size_t inside = tag + 2 + (sign != 0 ? 1 : 0);
        emit_text(tag, sign, kind == '{');
        if (kind == '#') {
            comment(inside);
        } else if (kind == '%' && is_raw(inside)) {
            raw(inside);
        } else {
            emit(kind == '{' ? TokenType::PrintBegin : TokenType::BlockBegin, "");
            advance(inside);
            expression(kind == '{' ? "}}" : "%}",
                       kind == '{' ? TokenType::PrintEnd : TokenType::BlockEnd);
        }
    }

    /// Moves behind a closing mark whose first character is at `pos`; `sign` stands before it.
    void close(std::size_t pos, char sign, bool trims_newline) {
        std::size_t end = pos + 2;
        if (sign == '-')
            end = skip_space(end);
        else if (trims_newline && sign != '+' && at(end) == '\n')
            ++end;
        advance(end);
        line_starting_ = end > 0 && view_[end - 1] == '\n';
    }

    void comment(std::size_t inside) {
        const std::size_t end = view_.find("#}", inside);
        if (end == kNone)
            fail_here("Missing end of comment tag");
        const char sign = end > inside && (view_[end - 1] == '-' || view_[end - 1] == '+')
                              ? view_[end - 1]
                              : '\0';
        close(end, sign, true);
    }

    /// Whether "raw" and the end of its tag follow at `pos`.
    bool is_raw(std::size_t pos) const {
        pos = skip_space(pos);
        if (!starts(pos, "raw"))
            return false;
        pos = skip_space(pos + 3);
        return starts(pos, "%}") || starts(pos, "-%}");
    }

    void raw(std::size_t inside) {
        std::size_t mark = skip_space(skip_space(inside) + 3);
        const char sign = view_[mark] == '-' ? '-' : '\0';
        mark += sign != 0 ? 1 : 0;
        close(mark, sign, false);
        // The end: {% endraw %}, with signs on either side.
        for (std::size_t tag = view_.find("{%", pos_); tag != kNone;
             tag = view_.find("{%", tag + 1)) {
            const char before = at(tag + 2) == '-' || at(tag + 2) == '+' ? at(tag + 2) : '\0';
            std::size_t pos = skip_space(tag + 2 + (before != 0 ? 1 : 0));
            if (!starts(pos, "endraw"))
                continue;
            pos = skip_space(pos + 6);
            const char behind = at(pos) == '-' || at(pos) == '+' ? at(pos) : '\0';
            pos += behind != 0 ? 1 : 0;
            if (!starts(pos, "%}"))
                continue;
            emit_text(tag, before, false);
            close(pos, behind, true);
            return;
        }
        fail_here("Missing end of raw directive");
    }

    /// Tokens up to the closing mark of a tag.
    void expression(std::string_view closing, TokenType closing_type) {
        std::string open; // closing characters still to come
        while (true) {
            advance(skip_space(pos_));
            if (pos_ >= view_.size()) {
                return; // the parser finds the end of the template
            }
            if (open.empty()) {
                const char sign =
                    at(pos_) == '-' || (at(pos_) == '+' && closing == "%}") ? at(pos_) : '\0';
                const std::size_t mark = pos_ + (sign != 0 ? 1 : 0);
                if (starts(mark, closing)) {
                    emit(closing_type, "");
                    close(mark, sign, closing == "%}");
                    return;
                }
            }
            token(open);
        }
    }

    void token(std::string& open) {
        const char c = view_[pos_];
        if (is_decimal(c)) {
            number();
            return;
        }
        if (c == '\'' || c == '"') {
            string(c);
            return;
        }
        std::size_t end = pos_;
        while (end < view_.size()) {
            std::size_t next = end;
            if (!is_word(next_char(view_, next)))
                break;
            end = next;
        }
        if (end > pos_) {
            emit(TokenType::Name, std::string(view_.substr(pos_, end - pos_)));
            advance(end);
            return;
        }
        operator_token(open);
    }

    void operator_token(std::string& open) {
        static constexpr std::string_view kTwo[] = {"//", "**", "==", "!=", ">=", "<="};
        for (const std::string_view two : kTwo) {
            if (starts(pos_, two)) {
                emit(TokenType::Operator, std::string(two));
                advance(pos_ + 2);
                return;
            }
        }
        const char c = view_[pos_];
        if (std::memchr("+-*/%~[](){}><=.:|,;", c, 20) == nullptr) {
            std::size_t end = pos_;
            next_char(view_, end);
            fail_here(fmt::format("unexpected char '{}'", view_.substr(pos_, end - pos_)));
        }
        if (c == '(' || c == '[' || c == '{') {
            open += c == '(' ? ')' : (c == '[' ? ']' : '}');
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty())
                fail_here(fmt::format("unexpected '{}'", c));
            if (open.back() != c)
                fail_here(fmt::format("unexpected '{}', expected '{}'", c, open.back()));
            open.pop_back();
        }
        emit(TokenType::Operator, std::string(1, c));
        advance(pos_ + 1);
    }

    /// End of a run of digits with single underscores between them; `pos` if there is none.
    template <typename IsDigit> std::size_t digits(std::size_t pos, IsDigit is_digit_char) const {
        std::size_t end = pos;
        while (is_digit_char(at(end)) ||
               (end > pos && at(end) == '_' && is_digit_char(at(end + 1))))
            ++end;
        return end;
    }

    void number() {
        const std::size_t begin = pos_;
        const char base = static_cast<char>(at(begin + 1) | 0x20);
        if (at(begin) == '0' && (base == 'x' || base == 'o' || base == 'b')) {
            const std::size_t end = digits(begin + 2, is_hex);
            if (end > begin + 2) {
                emit_number(TokenType::Integer, end);
                return;
            }
        }
        std::size_t end = digits(begin, is_decimal);
        bool is_float = false;
        const bool behind_dot = begin > 0 && view_[begin - 1] == '.';
        if (!behind_dot) {
            if (at(end) == '.' && is_decimal(at(end + 1))) {
                end = digits(end + 1, is_decimal);
                is_float = true;
            }
            if (at(end) == 'e' || at(end) == 'E') {
                const std::size_t exponent =
                    end + 1 + (at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0);
                if (is_decimal(at(exponent))) {
                    end = digits(exponent, is_decimal);
                    is_float = true;
                }
            }
        }
        emit_number(is_float ? TokenType::Float : TokenType::Integer, end);
    }

    void emit_number(TokenType type, std::size_t end) {
        std::string text(view_.substr(pos_, end - pos_));
        std::erase(text, '_');
        emit(type, std::move(text));
        advance(end);
    }

    void string(char quote) {
        std::size_t end = pos_ + 1;
        while (end < view_.size() && view_[end] != quote)
            end += view_[end] == '\\' ? 2 : 1;
        if (end >= view_.size())
            fail_here(fmt::format("unexpected char \"{}\": the string does not end", quote));
        emit(TokenType::String, unescape(view_.substr(pos_ + 1, end - pos_ - 1)));
        advance(end + 1);
    }

    /// `n` hexadecimal digits at `pos`, which moves behind them.
    char32_t hex(std::string_view text, std::size_t& pos, std::size_t n) const {
        char32_t value = 0;
        for (std::size_t i = 0; i < n; ++i, ++pos) {
            const char c = pos < text.size() ? text[pos] : '\0';
            if (!is_hex(c))
                fail_here("a string has a truncated \\x or \\u escape");
            value =
                value * 16 + static_cast<char32_t>(is_decimal(c) ? c - '0' : (c | 0x20) - 'a' + 10);
        }
        return value;
    }

    std::string unescape(std::string_view text) const {
        std::string out;
        out.reserve(text.size());
        for (std::size_t pos = 0; pos < text.size();) {
            if (text[pos] != '\\' || pos + 1 >= text.size()) {
                out += text[pos++];
                continue;
            }
            const char c = text[pos + 1];
            pos += 2;
            escape(out, text, pos, c);
        }
        return out;
    }

    void escape(std::string& out, std::string_view text, std::size_t& pos, char c) const {
        static constexpr std::string_view kFrom = "abfnrtv\\'\"", kTo = "\a\b\f\n\r\t\v\\'\"";
        if (const std::size_t i = kFrom.find(c); i != kNone) {
            out += kTo[i];
        } else if (c == '\n') {
            // a line end behind a backslash joins the lines
        } else if (c >= '0' && c <= '7') {
            char32_t value = 0;
            --pos;
            for (int n = 0; n < 3 && pos < text.size() && text[pos] >= '0' && text[pos] <= '7'; ++n)
                value = value * 8 + static_cast<char32_t>(text[pos++] - '0');
            append_utf8(out, value);
        } else if (c == 'x') {
            append_utf8(out, hex(text, pos, 2));
        } else if (c == 'U') {
            append_utf8(out, hex(text, pos, 8));
        } else if (c == 'u') {
            char32_t value = hex(text, pos, 4);
            if (value >= 0xd800 && value < 0xdc00 &&
                text.substr(pos, 2) == "\\u") { // a surrogate pair
                std::size_t behind = pos + 2;
                const char32_t low = hex(text, behind, 4);
                if (low >= 0xdc00 && low < 0xe000) {
                    value = 0x10000 + ((value - 0xd800) << 10U) + (low - 0xdc00);
                    pos = behind;
                }
            }
            append_utf8(out, value);
        } else {
            out += '\\';
            out += c;
        }
    }

    std::string text_;
    std::string_view view_;
    std::vector<Token> tokens_;
    std::size_t pos_ = 0;
    int line_ = 1;
    bool line_starting_ = true;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) {
    return Lexer(source).run();
}

} // namespace alcove::jinja
