// Filters that make text or numbers from one value.
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/methods.h"
#include "engine/text/jinja/text_ops.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace alcove::jinja {
namespace {

using Names = std::string_view;
constexpr std::size_t kNone = std::string_view::npos;

template <MarkedText (*convert)(const MarkedText&)>
Value convert_text(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "filter", {}, 0);
    const MarkedText text = runtime.to_text(value);
    runtime.charge_bytes(text.size() * 8);
    return runtime.string(convert(text));
}

/// The `title` filter: words begin after white space and after - ( { [ <.
MarkedText title_words(const MarkedText& text) {
    MarkedText out;
    bool first = true;
    const std::string_view view = text.view();
    for (std::size_t pos = 0; pos < view.size();) {
        const std::size_t at = pos;
        const char32_t c = next_char(view, pos);
        std::string changed;
        if (is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<') {
            first = true;
            changed = view.substr(at, pos - at);
        } else if (first) {
            append_upper(changed, c);
            first = false;
        } else {
            append_lower(changed, view, at);
        }
        out.append(changed, text.from_data(at));
    }
    return out;
}

Value string_filter(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "string", {}, 0);
    return runtime.str(value);
}

Value trim(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"chars"};
    const Parameters given(arguments, "trim", kNames, 0);
    return runtime.string(strip_text(runtime.to_text(value),
                                     given.optional(0) == nullptr ? nullptr : given.text(0), true,
                                     true));
}

Value replace(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"old", "new", "count"};
    const Parameters given(arguments, "replace", kNames, 2);
    const Int count = given.optional(2) == nullptr ? Int{-1} : given.integer(2, -1);
    return runtime.string(replace_text(
        runtime, runtime.to_text(value), runtime.to_text(given.at(0)), runtime.to_text(given.at(1)),
        count < 0 ? std::numeric_limits<std::size_t>::max() : to_count(count)));
}

Value indent(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"width", "first", "blank"};
    const Parameters given(arguments, "indent", kNames, 0);
    MarkedText lead;
    if (given.has(0) && given.at(0).is_string())
        lead = given.at(0).text();
    else
        lead = repeat_text(runtime, MarkedText(" ", false), to_count(given.integer(0, 4)));
    const bool first = given.boolean(1, false), blank = given.boolean(2, false);
    MarkedText text = runtime.to_text(value);
    text.append("\n", false); // so that an empty last line counts
    const std::vector<MarkedText> lines = split_lines(text);
    runtime.charge(lines.size());
    MarkedText out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0)
            out.append("\n", false);
        if (i == 0 ? first : (blank || !lines[i].empty()))
            out.append(lead);
        out.append(lines[i]);
        runtime.require(out.memory());
    }
    return runtime.string(std::move(out));
}

Value truncate(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"length", "killwords", "end", "leeway"};
    const Parameters given(arguments, "truncate", kNames, 0);
    const MarkedText text = runtime.to_text(value);
    const MarkedText end = given.has(2) ? *given.text(2) : MarkedText("...", false);
    const Int length = given.integer(0, 255);
    const Int leeway = given.optional(3) == nullptr ? Int{5} : given.integer(3, 5);
    const Int end_chars = static_cast<Int>(count_chars(end.view()));
    if (length < end_chars || leeway < 0)
        fail_runtime(fmt::format(
            "truncate() expected a length of at least {} and a leeway of at least 0", end_chars));
    const auto n_chars = static_cast<Int>(count_chars(text.view()));
    if (n_chars <= length || n_chars - length <= leeway)
        return runtime.string(text);
    MarkedText out = text.slice(0, char_offset(text.view(), to_count(length - end_chars)));
    if (!given.boolean(1, false))
        if (const std::size_t space = out.view().rfind(' '); space != kNone)
            out = out.slice(0, space);
    out.append(end);
    return runtime.string(std::move(out));
}

Value center(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"width"};
    const Parameters given(arguments, "center", kNames, 0);
    return runtime.string(
        pad_text(runtime, runtime.to_text(value), to_count(given.integer(0, 80)), '^', " "));
}

Value wordcount(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "wordcount", {}, 0);
    const MarkedText text = runtime.to_text(value);
    Int n = 0;
    bool in_word = false;
    for (std::size_t pos = 0; pos < text.size();) {
        const bool word = is_word(next_char(text.view(), pos));
        n += word && !in_word ? 1 : 0;
        in_word = word;
    }
    return Value(n);
}

Value wordwrap(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"width", "break_long_words", "wrapstring"};
    const Parameters given(arguments, "wordwrap", kNames, 0);
    const std::size_t width = std::max<std::size_t>(1, to_count(given.integer(0, 79)));
    const bool break_words = given.boolean(1, true);
    const MarkedText wrap = given.optional(2) == nullptr ? MarkedText("\n", false) : *given.text(2);
    MarkedText out;
    bool first_line = true;
    for (const MarkedText& line : split_lines(runtime.to_text(value))) {
        if (!first_line)
            out.append(wrap);
        first_line = false;
        std::size_t column = 0;
        std::string_view rest = line.view();
        while (!rest.empty()) {
            const std::size_t begin = rest.find_first_not_of(' ');
            if (begin == kNone)
                break;
            const std::size_t end = std::min(rest.find(' ', begin), rest.size());
            std::size_t at = static_cast<std::size_t>(rest.data() - line.view().data()) + begin;
            std::size_t size = end - begin;
            std::size_t n_chars = count_chars(rest.substr(begin, size));
            if (column > 0 && column + begin + n_chars > width) {
                out.append(wrap);
                column = 0;
            } else if (column > 0) {
                out.append_range(line, at - begin, begin);
                column += begin;
            }
            while (break_words && n_chars > width - column) {
                const std::size_t bytes = char_offset(line.view().substr(at, size), width - column);
                out.append_range(line, at, bytes);
                out.append(wrap);
                at += bytes;
                size -= bytes;
                n_chars -= width - column;
                column = 0;
            }
            out.append_range(line, at, size);
            column += n_chars;
            rest = rest.substr(end);
            runtime.charge(1);
            runtime.require(out.memory());
        }
    }
    return runtime.string(std::move(out));
}

/// Text between tags, white space runs as single spaces. The origin is that of the whole where it
/// is mixed.
Value striptags(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "striptags", {}, 0);
    const MarkedText text = runtime.to_text(value);
    const std::string_view view = text.view();
    std::string bare;
    bool comments_close = true, tags_close = true;
    for (std::size_t pos = 0; pos < view.size();) {
        const bool comment = view.substr(pos, 4) == "<!--";
        bool& closes = comment ? comments_close : tags_close;
        const std::size_t end =
            view[pos] != '<' || !closes ? kNone : find_text(view, comment ? "-->" : ">", pos + 1);
        closes =
            closes && (view[pos] != '<' || end != kNone); // an end that is missing is searched once
        if (end == kNone)
            bare += view[pos++];
        else
            pos = end + (comment ? 3 : 1);
    }
    std::string out;
    for (std::string_view rest = trim_spaces(bare, true, true); !rest.empty();) {
        std::size_t end = 0;
        while (end < rest.size()) {
            std::size_t next = end;
            if (is_space(next_char(rest, next)))
                break;
            end = next;
        }
        out += rest.substr(0, end);
        rest = trim_spaces(rest.substr(end), true, false);
        if (!rest.empty())
            out += ' ';
    }
    for (const auto& [entity, plain] : {std::pair{"&lt;", "<"},
                                        {"&gt;", ">"},
                                        {"&#34;", "\""},
                                        {"&quot;", "\""},
                                        {"&#39;", "'"},
                                        {"&amp;", "&"}}) {
        const std::string_view wanted = entity;
        std::string replaced;
        std::size_t pos = 0;
        for (std::size_t found = 0; (found = find_text(out, wanted, pos)) != kNone;
             pos = found + wanted.size()) {
            replaced += out.substr(pos, found - pos);
            replaced += plain;
        }
        out = replaced + out.substr(pos);
    }
    return runtime.string(MarkedText(std::move(out), text.any_data()));
}

void append_url_quoted(MarkedText& out, const MarkedText& text, bool keep_slash) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text.view()[i];
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' || c == '~' ||
                           (keep_slash && c == '/');
        out.append(plain ? std::string(1, c)
                         : fmt::format("%{:02X}", static_cast<unsigned char>(c)),
                   text.from_data(i));
    }
}

Value urlencode(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "urlencode", {}, 0);
    MarkedText out;
    if (value.is_string() || !(value.is(Kind::Dict) || value.is(Kind::Sequence))) {
        append_url_quoted(out, runtime.to_text(value), true);
        return runtime.string(std::move(out));
    }
    const std::vector<Value> pairs =
        value.is(Kind::Dict) ? dict_items(runtime, value.dict()) : runtime.to_vector(value);
    for (const Value& entry : pairs) {
        const std::vector<Value> pair = runtime.to_vector(entry);
        if (pair.size() != 2)
            fail_runtime("urlencode() wants pairs of key and value");
        if (!out.empty())
            out.append("&", false);
        append_url_quoted(out, runtime.to_text(pair[0]), false);
        out.append("=", false);
        append_url_quoted(out, runtime.to_text(pair[1]), false);
    }
    return runtime.string(std::move(out));
}

Value xmlattr(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"autospace"};
    const Parameters given(arguments, "xmlattr", kNames, 0);
    if (!value.is(Kind::Dict))
        fail_runtime(fmt::format("xmlattr() wants a mapping, not {}", type_name(value)));
    MarkedText out;
    for (const auto& [key, item] : value.dict().entries) {
        if (item.is_none() || item.is_undefined())
            continue;
        if (!out.empty() || given.boolean(0, true))
            out.append(" ", false);
        out.append(escape_text(runtime.to_text(key)));
        out.append("=\"", false);
        out.append(escape_text(runtime.to_text(item)));
        out.append("\"", false);
        runtime.require(out.memory());
    }
    return runtime.string(std::move(out));
}

Value pprint(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "pprint", {}, 0);
    runtime.charge(value);
    MarkedText out;
    append_repr(out, value);
    return runtime.string(std::move(out));
}

Value format(Runtime& runtime, const Value& value, const Arguments& arguments) {
    if (!arguments.keyword.empty()) {
        DictBuilder dict(&runtime.budget());
        for (const auto& [name, argument] : arguments.keyword)
            dict.set(runtime.string(name, false), argument);
        return percent_format(runtime, runtime.to_text(value), dict.build());
    }
    return percent_format(runtime, runtime.to_text(value), runtime.tuple(arguments.positional));
}

Value safe(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "safe", {}, 0);
    return runtime.str(value);
}

JsonStyle json_style(Runtime& runtime, const Parameters& given) {
    JsonStyle style;
    style.ensure_ascii = given.boolean(0, false);
    style.sort_keys = given.boolean(3, false);
    if (const Value* indent_by = given.optional(1)) {
        style.indent = indent_by->is_string() ? indent_by->text()
                                              : repeat_text(runtime, MarkedText(" ", false),
                                                            to_count(given.integer(1, 0)));
    }
    style.item_separator = MarkedText(style.indent ? "," : ", ", false);
    style.key_separator = MarkedText(": ", false);
    if (const Value* separators = given.optional(2)) {
        const std::vector<Value> pair = runtime.to_vector(*separators);
        if (pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
            fail_runtime("tojson() wants two strings as separators");
        style.item_separator = pair[0].text();
        style.key_separator = pair[1].text();
    }
    return style;
}

Value tojson(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"ensure_ascii", "indent", "separators", "sort_keys"};
    const Parameters given(arguments, "tojson", kNames, 0);
    return runtime.string(runtime.json(value, json_style(runtime, given)));
}

/// Python's int(text, base): spaces around, a sign, single underscores, a prefix that fits the
/// base.
std::optional<Int> parse_integer(std::string_view text, unsigned base) {
    text = trim_spaces(text, true, true);
    bool negative = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text.size() > 2 && text[0] == '0') {
        const char letter = static_cast<char>(text[1] | 0x20);
        const unsigned implied = letter == 'x' ? 16 : (letter == 'o' ? 8 : (letter == 'b' ? 2 : 0));
        if (implied != 0 && (base == implied || base == 0)) {
            base = implied;
            text.remove_prefix(2);
        }
    }
    base = base == 0 ? 10 : base;
    if (text.empty() || text.back() == '_' || text.front() == '_')
        return {};
    Int value = 0;
    char previous = '0';
    for (const char c : text) {
        if (c == '_' && previous != '_') {
            previous = c;
            continue;
        }
        unsigned digit = 99;
        if (c >= '0' && c <= '9')
            digit = static_cast<unsigned>(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
            digit = static_cast<unsigned>((c | 0x20) - 'a') + 10;
        if (digit >= base)
            return {};
        if (__builtin_mul_overflow(value, static_cast<Int>(base), &value) ||
            __builtin_add_overflow(value, static_cast<Int>(digit), &value))
            fail_runtime("a whole number exceeds the 128 bits that it may have here");
        previous = c;
    }
    return negative ? -value : value;
}

std::optional<double> parse_float(std::string_view text) {
    std::string digits(trim_spaces(text, true, true));
    std::erase(digits, '_');
    const char* begin = digits.c_str();
    if (*begin == '+' && begin[1] != '-')
        ++begin;
    double value = 0;
    const char* end = digits.c_str() + digits.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (stop != end || begin == end || error == std::errc::invalid_argument)
        return {};
    if (error == std::errc::result_out_of_range)
        return std::strtod(begin, nullptr); // infinity or zero, as Python has it
    return value;
}

Value int_filter(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"default", "base"};
    const Parameters given(arguments, "int", kNames, 0);
    require_defined(value);
    const Value fallback = given.has(0) ? given.at(0) : Value(Int{0});
    if (value.is_integer())
        return Value(value.integer());
    double number = 0;
    if (value.is_string()) {
        const Int base = given.integer(1, 10);
        if (base != 0 && (base < 2 || base > 36))
            return fallback;
        if (const auto parsed = parse_integer(value.view(), static_cast<unsigned>(base)))
            return Value(*parsed);
        const auto parsed = parse_float(value.view());
        if (!parsed)
            return fallback;
        number = *parsed;
    } else if (value.is(Kind::Float)) {
        number = value.number();
    } else {
        return fallback;
    }
    if (!std::isfinite(number))
        return fallback;
    if (!(std::fabs(number) < 1.7e38))
        fail_runtime("a whole number exceeds the 128 bits that it may have here");
    return Value(static_cast<Int>(number));
}

Value float_filter(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"default"};
    const Parameters given(arguments, "float", kNames, 0);
    require_defined(value);
    if (value.is_number())
        return Value(value.number());
    if (value.is_string())
        if (const auto parsed = parse_float(value.view()))
            return Value(*parsed);
    return given.has(0) ? given.at(0) : Value(0.0);
}

Value abs_filter(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "abs", {}, 0);
    require_defined(value);
    if (!value.is_number())
        fail_runtime(fmt::format("bad operand type for abs(): '{}'", type_name(value)));
    if (value.is(Kind::Float))
        return Value(std::fabs(value.number()));
    if (value.integer() == std::numeric_limits<Int>::min())
        fail_runtime("a whole number exceeds the 128 bits that it may have here");
    return Value(value.integer() < 0 ? -value.integer() : value.integer());
}

Value round_filter(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"precision", "method"};
    const Parameters given(arguments, "round", kNames, 0);
    require_defined(value);
    if (!value.is_number())
        fail_runtime(fmt::format("type {} doesn't define __round__ method", type_name(value)));
    const Int precision = given.integer(0, 0);
    if (precision < -300 || precision > 300)
        fail_runtime("round() wants a precision from -300 to 300");
    const std::string_view method = given.has(1) ? given.text(1)->view() : "common";
    const double scale = std::pow(10.0, static_cast<double>(precision));
    if (method == "ceil" || method == "floor") {
        const double scaled = value.number() * scale;
        return Value((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
    }
    if (method != "common")
        fail_runtime("method must be common, ceil or floor");
    if (value.is_integer() && precision >= 0)
        return Value(value.integer());
    if (precision < 0) {
        const double rounded = std::nearbyint(value.number() * scale) / scale;
        return value.is_integer() ? Value(static_cast<Int>(rounded)) : Value(rounded);
    }
    // Decimal rounding of the exact value, ties to even: what printf does too.
    char buffer[700];
    std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(precision), value.number());
    return Value(std::strtod(buffer, nullptr));
}

Value filesizeformat(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"binary"};
    const Parameters given(arguments, "filesizeformat", kNames, 0);
    require_defined(value);
    const double bytes = value.is_string() ? parse_float(value.view()).value_or(0)
                                           : (value.is_number() ? value.number() : 0);
    const bool binary = given.boolean(0, false);
    const double base = binary ? 1024 : 1000;
    if (bytes == 1)
        return runtime.string("1 Byte", false);
    if (bytes < base)
        return runtime.string(
            fmt::format("{} Bytes", static_cast<long long>(std::max(bytes, -1e15))), false);
    static constexpr Names kPrefixes = "kMGTPEZY";
    double unit = base;
    std::size_t i = 0;
    while (i + 1 < kPrefixes.size() && bytes >= unit * base) {
        unit *= base;
        ++i;
    }
    const char prefix = binary && i == 0 ? 'K' : kPrefixes[i];
    return runtime.string(fmt::format("{:.1f} {}{}B", bytes / unit, prefix, binary ? "i" : ""),
                          false);
}

constexpr Filter kFilters[] = {
    {"abs", abs_filter},
    {"capitalize", convert_text<capitalize_text>},
    {"center", center},
    {"e", convert_text<escape_text>},
    {"escape", convert_text<escape_text>},
    {"filesizeformat", filesizeformat},
    {"float", float_filter},
    {"forceescape", convert_text<escape_text>},
    {"format", format},
    {"indent", indent},
    {"int", int_filter},
    {"lower", convert_text<lower_text>},
    {"pprint", pprint},
    {"replace", replace},
    {"round", round_filter},
    {"safe", safe},
    {"string", string_filter},
    {"striptags", striptags},
    {"title", convert_text<title_words>},
    {"tojson", tojson},
    {"trim", trim},
    {"truncate", truncate},
    {"upper", convert_text<upper_text>},
    {"urlencode", urlencode},
    {"wordcount", wordcount},
    {"wordwrap", wordwrap},
    {"xmlattr", xmlattr},
};

} // namespace

std::span<const Filter> text_filters() {
    return kFilters;
}

} // namespace alcove::jinja
