// `%` formatting and str.format, as far as templates use them: Python's mini-languages without
// locale forms.
#include "engine/text/jinja/methods.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace alcove::jinja {
namespace {

constexpr std::size_t kMaxPrecision = 1000;

/// How one value is to be written: the union of what both mini-languages know.
struct Spec {
    char32_t fill = ' ';
    char align = 0;  // < > ^ =; 0: by the type of the value
    char sign = '-'; // + - or space
    bool alternate = false;
    char group = 0; // , or _
    std::size_t width = 0;
    std::optional<std::size_t> precision;
    char type = 0;
};

std::size_t read_number(std::string_view text, std::size_t& pos) {
    std::size_t value = 0;
    while (pos < text.size() && text[pos] >= '0' && text[pos] <= '9') {
        value = value * 10 + static_cast<std::size_t>(text[pos++] - '0');
        if (value > 100'000'000)
            fail_runtime("a format's width is too large");
    }
    return value;
}

std::string digits_of(Int value, unsigned base, bool upper) {
    const bool negative = value < 0;
    __extension__ unsigned __int128 rest = static_cast<unsigned __int128>(value);
    if (negative)
        rest = -rest;
    std::string out;
    do {
        const auto digit = static_cast<unsigned>(rest % base);
        out += (upper ? "0123456789ABCDEF" : "0123456789abcdef")[digit];
        rest /= base;
    } while (rest != 0);
    std::reverse(out.begin(), out.end());
    return out;
}

std::string print_double(const char* format, std::size_t precision, double value) {
    const int size = std::snprintf(nullptr, 0, format, static_cast<int>(precision), value);
    std::string out(static_cast<std::size_t>(std::max(size, 0)) + 1, '\0');
    std::snprintf(out.data(), out.size(), format, static_cast<int>(precision), value);
    out.pop_back();
    return out;
}

std::string float_digits(double value, const Spec& spec) {
    const std::size_t precision = spec.precision.value_or(6);
    if (precision > kMaxPrecision)
        fail_runtime("a format's precision is too large");
    switch (spec.type) {
    case 'e':
        return print_double("%.*e", precision, value);
    case 'E':
        return print_double("%.*E", precision, value);
    case 'g':
        return print_double("%.*g", precision, value);
    case 'G':
        return print_double("%.*G", precision, value);
    case '%':
        return print_double("%.*f", precision, value * 100) + "%";
    default:
        return print_double("%.*f", precision, value);
    }
}

void group_digits(std::string& digits, char separator) {
    std::size_t end = 0;
    while (end < digits.size() && digits[end] >= '0' && digits[end] <= '9')
        ++end;
    for (std::size_t i = end; i > 3; i -= 3)
        digits.insert(i - 3, 1, separator);
}

/// Sign and digits of a number, filled to the width.
MarkedText write_number(Runtime& runtime, std::string digits, bool negative,
                        std::string_view prefix, const Spec& spec) {
    if (spec.group != 0)
        group_digits(digits, spec.group);
    std::string head;
    if (negative)
        head = "-";
    else if (spec.sign != '-')
        head = spec.sign;
    head += prefix;
    std::string fill;
    append_utf8(fill, spec.fill);
    if (spec.align == '=' && head.size() < spec.width) {
        const MarkedText padded = pad_text(runtime, MarkedText(std::move(digits), false),
                                           spec.width - head.size(), '>', fill);
        MarkedText out(std::move(head), false);
        out.append(padded);
        return out;
    }
    return pad_text(runtime, MarkedText(head + digits, false), spec.width,
                    spec.align == 0 || spec.align == '=' ? '>' : spec.align, fill);
}

MarkedText write_integer(Runtime& runtime, Int value, const Spec& spec) {
    std::string_view prefix;
    unsigned base = 10;
    switch (spec.type) {
    case 'x':
    case 'X':
        base = 16;
        prefix = spec.type == 'x' ? "0x" : "0X";
        break;
    case 'o':
        base = 8;
        prefix = "0o";
        break;
    case 'b':
        base = 2;
        prefix = "0b";
        break;
    default:
        break;
    }
    std::string digits = digits_of(value, base, spec.type == 'X');
    if (spec.precision && *spec.precision > kMaxPrecision)
        fail_runtime("a format's precision is too large");
    if (spec.precision && digits.size() < *spec.precision)
        digits.insert(0, *spec.precision - digits.size(), '0');
    return write_number(runtime, std::move(digits), value < 0, spec.alternate ? prefix : "", spec);
}

MarkedText write_float(Runtime& runtime, double value, const Spec& spec) {
    std::string digits;
    if (!std::isfinite(value))
        digits = std::isnan(value) ? "nan" : "inf";
    else if (spec.type == 0 && !spec.precision)
        digits = format_float(std::fabs(value));
    else
        digits = float_digits(std::fabs(value), spec);
    return write_number(runtime, std::move(digits), std::signbit(value) && !std::isnan(value), "",
                        spec);
}

MarkedText write_text(Runtime& runtime, MarkedText text, const Spec& spec) {
    if (spec.precision)
        text = text.slice(0, char_offset(text.view(), *spec.precision));
    std::string fill;
    append_utf8(fill, spec.fill);
    return pad_text(runtime, text, spec.width,
                    spec.align == 0 || spec.align == '=' ? '<' : spec.align, fill);
}

Int to_integer(const Value& value, char type) {
    require_defined(value);
    if (value.is_integer())
        return value.integer();
    if (!value.is(Kind::Float))
        fail_runtime(
            fmt::format("%{} format: a real number is required, not {}", type, type_name(value)));
    if (!(std::fabs(value.number()) < 1e38))
        fail_runtime("cannot convert this float to an integer");
    return static_cast<Int>(value.number());
}

double to_double(const Value& value) {
    require_defined(value);
    if (!value.is_number())
        fail_runtime(fmt::format("must be real number, not {}", type_name(value)));
    return value.number();
}

MarkedText repr_text(Runtime& runtime, const Value& value) {
    runtime.charge(value);
    runtime.require(weight_of(value) * 64);
    MarkedText out;
    append_repr(out, value);
    return out;
}

MarkedText char_text(const Value& value) {
    if (value.is_string() && value.string().n_chars == 1)
        return value.text();
    if (!value.is_integer() || value.integer() < 0 || value.integer() > 0x10ffff)
        fail_runtime("%c requires int or char");
    std::string out;
    append_utf8(out, static_cast<char32_t>(value.integer()));
    return {std::move(out), false};
}

class PercentFormatter {
public:
    PercentFormatter(Runtime& runtime, const MarkedText& pattern, const Value& values)
        : runtime_(runtime), pattern_(pattern), values_(values),
          tuple_(values.is_sequence(SequenceKind::Tuple)) {}

    MarkedText run() {
        const std::string_view text = pattern_.view();
        while (true) {
            const std::size_t percent = find_text(text, "%", pos_);
            const std::size_t end = std::min(percent, text.size());
            out_.append_range(pattern_, pos_, end - pos_);
            runtime_.charge(1);
            runtime_.require(out_.memory());
            if (percent == std::string_view::npos)
                break;
            pos_ = percent + 1;
            conversion();
        }
        const std::size_t given = tuple_ ? values_.sequence().items.size() : 1;
        if (used_ < given && !values_.is(Kind::Dict) && !values_.is_sequence(SequenceKind::List))
            fail_runtime("not all arguments converted during string formatting");
        return std::move(out_);
    }

private:
    const Value& argument() {
        const std::size_t given = tuple_ ? values_.sequence().items.size() : 1;
        if (used_ >= given)
            fail_runtime("not enough arguments for format string");
        return tuple_ ? values_.sequence().items[used_++] : (++used_, values_);
    }

    char peek() const { return pos_ < pattern_.size() ? pattern_.view()[pos_] : '\0'; }

    std::optional<Value> named() {
        if (peek() != '(')
            return {};
        const std::size_t close = find_text(pattern_.view(), ")", pos_);
        if (close == std::string_view::npos)
            fail_runtime("incomplete format key");
        if (!values_.is(Kind::Dict))
            fail_runtime("format requires a mapping");
        const std::string_view key = pattern_.view().substr(pos_ + 1, close - pos_ - 1);
        pos_ = close + 1;
        const Value* found = values_.dict().find(key);
        if (found == nullptr)
            fail_runtime(fmt::format("'{}'", key));
        return *found;
    }

    void flags(Spec& spec) {
        for (;; ++pos_) {
            switch (peek()) {
            case '-':
                spec.align = '<';
                break;
            case '0':
                if (spec.align == 0) {
                    spec.align = '=';
                    spec.fill = '0';
                }
                break;
            case '+':
            case ' ':
                spec.sign = peek();
                break;
            case '#':
                spec.alternate = true;
                break;
            default:
                return;
            }
        }
    }

    std::size_t number() {
        if (peek() != '*')
            return read_number(pattern_.view(), pos_);
        ++pos_;
        const Value& value = argument();
        if (!value.is_integer() || value.integer() < 0 || value.integer() > 100'000'000)
            fail_runtime("* wants a small whole number");
        return to_count(value.integer());
    }

    void conversion() {
        if (peek() == '%') {
            out_.append("%", false);
            ++pos_;
            return;
        }
        const std::optional<Value> by_name = named();
        Spec spec;
        flags(spec);
        spec.width = number();
        if (peek() == '.') {
            ++pos_;
            spec.precision = number();
        }
        if (pos_ >= pattern_.size())
            fail_runtime("incomplete format");
        spec.type = pattern_.view()[pos_++];
        const Value& value = by_name ? *by_name : argument();
        out_.append(converted(value, spec));
    }

    MarkedText converted(const Value& value, Spec spec) {
        switch (spec.type) {
        case 's':
        case 'r':
        case 'a':
        case 'c':
            if (spec.align != '<')
                spec.align = '>';
            spec.fill = ' ';
            if (spec.type == 'c')
                return write_text(runtime_, char_text(value), spec);
            return write_text(
                runtime_, spec.type == 's' ? runtime_.to_text(value) : repr_text(runtime_, value),
                spec);
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            return write_integer(runtime_, to_integer(value, spec.type), spec);
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            return write_float(runtime_, to_double(value), spec);
        default:
            fail_runtime(fmt::format("unsupported format character (0x{:x})",
                                     static_cast<unsigned char>(spec.type)));
        }
    }

    Runtime& runtime_;
    const MarkedText& pattern_;
    const Value& values_;
    bool tuple_;
    MarkedText out_;
    std::size_t pos_ = 0;
    std::size_t used_ = 0;
};

class BraceFormatter {
public:
    BraceFormatter(Runtime& runtime, const MarkedText& pattern, const Arguments& arguments)
        : runtime_(runtime), pattern_(pattern), arguments_(arguments) {}

    MarkedText run() {
        const std::string_view text = pattern_.view();
        while (pos_ < text.size()) {
            const std::size_t brace = std::min(text.find_first_of("{}", pos_), text.size());
            out_.append_range(pattern_, pos_, brace - pos_);
            runtime_.charge(1);
            runtime_.require(out_.memory());
            pos_ = brace;
            if (pos_ >= text.size())
                break;
            if (pos_ + 1 < text.size() && text[pos_ + 1] == text[pos_]) {
                out_.append_range(pattern_, pos_, 1);
                pos_ += 2;
            } else if (text[pos_] == '}') {
                fail_runtime("Single '}' encountered in format string");
            } else {
                ++pos_;
                field();
            }
        }
        return std::move(out_);
    }

private:
    void field() {
        const std::string_view text = pattern_.view();
        std::size_t end = pos_;
        for (int level = 0; end < text.size() && (text[end] != '}' || level > 0); ++end)
            level += text[end] == '{' ? 1 : (text[end] == '}' ? -1 : 0);
        if (end >= text.size())
            fail_runtime("expected '}' before end of string");
        const std::string_view body = text.substr(pos_, end - pos_);
        pos_ = end + 1;
        const std::size_t colon = std::min(body.find(':'), body.size());
        std::string_view name = body.substr(0, colon);
        char conversion = 0;
        if (const std::size_t mark = name.find('!'); mark != std::string_view::npos) {
            conversion = mark + 1 < name.size() ? name[mark + 1] : '\0';
            name = name.substr(0, mark);
        }
        const Value value = lookup(name);
        std::string spec_text(colon < body.size() ? body.substr(colon + 1) : "");
        if (spec_text.find('{') != std::string::npos)
            fail_runtime("fields inside a format specification are not supported");
        const Spec spec = parse_spec(spec_text);
        if (conversion != 0)
            out_.append(write_text(
                runtime_, conversion == 's' ? runtime_.to_text(value) : repr_text(runtime_, value),
                spec));
        else
            out_.append(formatted(value, spec, spec_text.empty()));
    }

    Value lookup(std::string_view name) {
        const std::size_t end = std::min(name.find_first_of(".["), name.size());
        const std::string_view first = name.substr(0, end);
        Value value;
        if (first.empty() || (first[0] >= '0' && first[0] <= '9')) {
            std::size_t at = 0;
            const std::size_t index = first.empty() ? next_index_++ : read_number(first, at);
            if (index >= arguments_.positional.size())
                fail_runtime(fmt::format(
                    "Replacement index {} out of range for positional args tuple", index));
            value = arguments_.positional[index];
        } else {
            const auto found =
                std::find_if(arguments_.keyword.begin(), arguments_.keyword.end(),
                             [&](const auto& entry) { return entry.first == first; });
            if (found == arguments_.keyword.end())
                fail_runtime(fmt::format("'{}'", first));
            value = found->second;
        }
        for (std::size_t pos = end; pos < name.size();) {
            if (name[pos] == '.') {
                const std::size_t stop = std::min(name.find_first_of(".[", pos + 1), name.size());
                value = runtime_.attribute(value, name.substr(pos + 1, stop - pos - 1));
                pos = stop;
            } else {
                const std::size_t close = std::min(name.find(']', pos), name.size());
                const std::string_view key = name.substr(pos + 1, close - pos - 1);
                std::size_t at = 0;
                const bool number = !key.empty() && key[0] >= '0' && key[0] <= '9';
                value = runtime_.item(value, number ? Value(static_cast<Int>(read_number(key, at)))
                                                    : runtime_.string(key, false));
                pos = std::min(close + 1, name.size());
            }
            require_defined(value);
        }
        return value;
    }

    static Spec parse_spec(std::string_view text) {
        Spec spec;
        std::size_t pos = 0;
        const auto peek = [&] { return pos < text.size() ? text[pos] : '\0'; };
        const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
        if (!text.empty()) {
            std::size_t behind = 0;
            const char32_t first = next_char(text, behind);
            if (behind < text.size() && is_align(text[behind])) {
                spec.fill = first;
                spec.align = text[behind];
                pos = behind + 1;
            } else if (is_align(text[0])) {
                spec.align = text[pos++];
            }
        }
        if (peek() == '+' || peek() == '-' || peek() == ' ')
            spec.sign = text[pos++];
        if (peek() == '#') {
            spec.alternate = true;
            ++pos;
        }
        if (peek() == '0') {
            if (spec.align == 0) {
                spec.align = '=';
                spec.fill = '0';
            }
            ++pos;
        }
        spec.width = read_number(text, pos);
        if (peek() == ',' || peek() == '_')
            spec.group = text[pos++];
        if (peek() == '.') {
            ++pos;
            spec.precision = read_number(text, pos);
        }
        if (pos < text.size())
            spec.type = text[pos++];
        if (pos < text.size())
            fail_runtime("Invalid format specifier");
        return spec;
    }

    MarkedText formatted(const Value& value, const Spec& spec, bool plain) {
        const std::string_view floats = "eEfFgG%";
        const bool as_float = spec.type != 0 && floats.find(spec.type) != std::string_view::npos;
        if (plain || (spec.type == 's' && value.is_string()) ||
            (spec.type == 0 && !value.is_number()))
            return write_text(runtime_, runtime_.to_text(value), spec);
        if (value.is(Kind::Float) || (as_float && value.is_number()))
            return write_float(runtime_, value.number(), spec);
        if (value.is_integer() && spec.type != 's')
            return spec.type == 'c' ? write_text(runtime_, char_text(value), spec)
                                    : write_integer(runtime_, value.integer(), spec);
        fail_runtime(fmt::format("Unknown format code '{}' for object of type '{}'", spec.type,
                                 type_name(value)));
    }

    Runtime& runtime_;
    const MarkedText& pattern_;
    const Arguments& arguments_;
    MarkedText out_;
    std::size_t pos_ = 0;
    std::size_t next_index_ = 0;
};

} // namespace

Value percent_format(Runtime& runtime, const MarkedText& pattern, const Value& values) {
    runtime.charge_bytes(pattern.size());
    return runtime.string(PercentFormatter(runtime, pattern, values).run());
}

Value brace_format(Runtime& runtime, const MarkedText& pattern, const Arguments& arguments) {
    runtime.charge_bytes(pattern.size());
    return runtime.string(BraceFormatter(runtime, pattern, arguments).run());
}

} // namespace alcove::jinja
