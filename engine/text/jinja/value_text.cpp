// Values as text: Python's str() and repr(), and JSON as json.dumps writes it.
#include "engine/text/jinja/error.h"
#include "engine/text/jinja/unicode.h"
#include "engine/text/jinja/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace alcove::jinja {
namespace {

void append_repr_char(std::string& out, char32_t c, char quote) {
    switch (c) {
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        break;
    }
    if (c == static_cast<unsigned char>(quote)) {
        out += '\\';
        out += quote;
    } else if (is_printable(c)) {
        append_utf8(out, c);
    } else if (c < 0x100) {
        out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else if (c < 0x10000) {
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
        out += fmt::format("\\U{:08x}", static_cast<unsigned>(c));
    }
}

void append_json_char(std::string& out, char32_t c, bool ensure_ascii) {
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    case '\f':
        out += "\\f";
        return;
    case '\b':
        out += "\\b";
        return;
    default:
        break;
    }
    if (c >= 0x20 && (c < 0x7f || !ensure_ascii)) {
        append_utf8(out, c);
    } else if (c < 0x10000) {
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
        const auto rest = static_cast<unsigned>(c - 0x10000);
        out +=
            fmt::format("\\u{:04x}\\u{:04x}", 0xd800U + (rest >> 10U), 0xdc00U + (rest & 0x3ffU));
    }
}

/// Appends `text` with every character rewritten by `escape`, origins kept.
template <typename Escape>
void append_escaped(MarkedText& out, const MarkedText& text, Escape escape) {
    std::string run;
    for (std::size_t pos = 0; pos < text.size();) {
        const bool from_data = text.from_data(pos);
        const std::string_view part = text.view().substr(0, text.run_end(pos));
        run.clear();
        while (pos < part.size())
            escape(run, next_char(part, pos));
        out.append(run, from_data);
    }
}

void append_string_repr(MarkedText& out, const MarkedText& text) {
    const bool has_single = text.view().find('\'') != std::string_view::npos;
    const bool has_double = text.view().find('"') != std::string_view::npos;
    const char quote = has_single && !has_double ? '"' : '\'';
    out.append(std::string_view(&quote, 1), false);
    append_escaped(out, text,
                   [&](std::string& run, char32_t c) { append_repr_char(run, c, quote); });
    out.append(std::string_view(&quote, 1), false);
}

void append_items_repr(MarkedText& out, const std::vector<Value>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0)
            out.append(", ", false);
        append_repr(out, items[i]);
    }
}

void append_sequence_repr(MarkedText& out, const Sequence& sequence, std::string_view name) {
    const bool tuple = sequence.kind == SequenceKind::Tuple;
    const bool named = !tuple && sequence.kind != SequenceKind::List;
    if (named) {
        out.append(name, false);
        out.append("(", false);
    }
    out.append(tuple ? "(" : "[", false);
    append_items_repr(out, sequence.items);
    if (tuple && sequence.items.size() == 1)
        out.append(",", false);
    out.append(tuple ? ")" : "]", false);
    if (named)
        out.append(")", false);
}

void append_dict_repr(MarkedText& out, const Dict& dict) {
    out.append("{", false);
    bool first = true;
    for (const auto& [key, value] : dict.entries) {
        if (!first)
            out.append(", ", false);
        first = false;
        append_repr(out, key);
        out.append(": ", false);
        append_repr(out, value);
    }
    out.append("}", false);
}

std::string json_float(double value) {
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "Infinity" : "-Infinity";
    return format_float(value);
}

class JsonWriter {
public:
    JsonWriter(MarkedText& out, const JsonStyle& style, const Budget& budget)
        : out_(out), style_(style), budget_(budget) {}

    void write(const Value& value) {
        budget_.require(out_.size());
        switch (value.kind()) {
        case Kind::None:
            out_.append("null", false);
            return;
        case Kind::Bool:
            out_.append(value.boolean() ? "true" : "false", false);
            return;
        case Kind::Integer:
            out_.append(format_int(value.integer()), false);
            return;
        case Kind::Float:
            out_.append(json_float(value.number()), false);
            return;
        case Kind::String:
            write_string(value.text());
            return;
        case Kind::Dict:
            write_dict(value.dict());
            return;
        case Kind::Sequence:
            if (value.sequence().kind == SequenceKind::List ||
                value.sequence().kind == SequenceKind::Tuple) {
                write_list(value.sequence());
                return;
            }
            break;
        default:
            break;
        }
        fail_runtime(fmt::format("Object of type {} is not JSON serializable", type_name(value)));
    }

private:
    void write_string(const MarkedText& text) {
        out_.append("\"", false);
        append_escaped(out_, text, [&](std::string& run, char32_t c) {
            append_json_char(run, c, style_.ensure_ascii);
        });
        out_.append("\"", false);
    }

    void new_line() {
        if (!style_.indent)
            return;
        out_.append("\n", false);
        for (int i = 0; i < level_; ++i)
            out_.append(*style_.indent);
    }

    void write_list(const Sequence& list) {
        if (list.items.empty()) {
            out_.append("[]", false);
            return;
        }
        out_.append("[", false);
        ++level_;
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            if (i > 0)
                out_.append(style_.item_separator);
            new_line();
            write(list.items[i]);
        }
        --level_;
        new_line();
        out_.append("]", false);
    }

    void write_key(const Value& key) {
        if (key.is_string()) {
            write_string(key.text());
            return;
        }
        if (!key.is_none() && !key.is_number())
            fail_runtime(
                fmt::format("keys must be str, int, float, bool or None, not {}", type_name(key)));
        out_.append("\"", false);
        write(key);
        out_.append("\"", false);
    }

    void write_dict(const Dict& dict) {
        if (dict.entries.empty()) {
            out_.append("{}", false);
            return;
        }
        std::vector<const std::pair<Value, Value>*> entries;
        entries.reserve(dict.entries.size());
        for (const auto& entry : dict.entries)
            entries.push_back(&entry);
        if (style_.sort_keys)
            std::stable_sort(entries.begin(), entries.end(),
                             [](const auto* a, const auto* b) { return less(a->first, b->first); });
        out_.append("{", false);
        ++level_;
        bool first = true;
        for (const auto* entry : entries) {
            if (!first)
                out_.append(style_.item_separator);
            first = false;
            new_line();
            write_key(entry->first);
            out_.append(style_.key_separator);
            write(entry->second);
        }
        --level_;
        new_line();
        out_.append("}", false);
    }

    MarkedText& out_;
    const JsonStyle& style_;
    const Budget& budget_;
    int level_ = 0;
};

} // namespace

std::string format_int(Int value) {
    return fmt::format("{}", value);
}

std::string format_float(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    // The shortest digits that read back equal; Python changes to an exponent below 1e-4 and from
    // 1e16 on.
    char buffer[64];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    const std::size_t e = text.find('e');
    int exponent = 0;
    const char* exponent_begin = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
    std::from_chars(exponent_begin, text.data() + text.size(), exponent);
    if (exponent >= -4 && exponent < 16) {
        const auto fixed_end =
            std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
        std::string fixed(buffer, fixed_end);
        if (fixed.find('.') == std::string::npos)
            fixed += ".0";
        return fixed;
    }
    return std::string(text);
}

void append_str(MarkedText& out, const Value& value) {
    if (value.is_string())
        out.append(value.text());
    else if (!value.is_undefined())
        append_repr(out, value);
}

void append_repr(MarkedText& out, const Value& value) {
    switch (value.kind()) {
    case Kind::Undefined:
        out.append("Undefined", false);
        break;
    case Kind::None:
        out.append("None", false);
        break;
    case Kind::Bool:
        out.append(value.boolean() ? "True" : "False", false);
        break;
    case Kind::Integer:
        out.append(format_int(value.integer()), false);
        break;
    case Kind::Float:
        out.append(format_float(value.number()), false);
        break;
    case Kind::String:
        append_string_repr(out, value.text());
        break;
    case Kind::Sequence:
        append_sequence_repr(out, value.sequence(), type_name(value));
        break;
    case Kind::Dict:
        append_dict_repr(out, value.dict());
        break;
    case Kind::Object:
        out.append(fmt::format("<{}>", value.object()->type_name()), false);
        break;
    }
}

void append_json(MarkedText& out, const Value& value, const JsonStyle& style,
                 const Budget& budget) {
    JsonWriter(out, style, budget).write(value);
}

} // namespace alcove::jinja
