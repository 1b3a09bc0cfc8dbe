#include "engine/text/tool_values.h"

#include <algorithm>
#include <charconv>

namespace alcove::tool_values {
namespace {

constexpr std::string_view kGemmaQuote = "<|\"|>";

bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/// A number, or one of the words for true, false and nothing.
std::optional<Json> take_scalar(std::string_view text, std::size_t& pos) {
    static constexpr std::pair<std::string_view, int> kWords[] = {
        {"true", 1}, {"True", 1}, {"false", 0}, {"False", 0}, {"null", 2}, {"None", 2}};
    std::size_t end = pos;
    while (end < text.size() && (is_name_char(text[end]) || text[end] == '+'))
        ++end;
    const std::string_view word = text.substr(pos, end - pos);
    for (const auto& [spelling, meaning] : kWords) {
        if (word == spelling) {
            pos = end;
            return meaning == 2 ? Json(nullptr) : Json(meaning == 1);
        }
    }
    std::int64_t whole = 0;
    double real = 0;
    const char* last = word.data() + word.size();
    if (const auto [stop, error] = std::from_chars(word.data(), last, whole);
        error == std::errc{} && stop == last && !word.empty()) {
        pos = end;
        return Json(whole);
    }
    if (const auto [stop, error] = std::from_chars(word.data(), last, real);
        error == std::errc{} && stop == last && !word.empty() &&
        (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'))) {
        pos = end;
        return Json(real);
    }
    return {};
}

void append_utf8(std::string& out, unsigned c) {
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xc0U | c >> 6U);
        out += static_cast<char>(0x80U | (c & 0x3fU));
    } else {
        out += static_cast<char>(0xe0U | c >> 12U);
        out += static_cast<char>(0x80U | (c >> 6U & 0x3fU));
        out += static_cast<char>(0x80U | (c & 0x3fU));
    }
}

/// The character that a backslash and `c` at `pos` mean in Python; `pos` moves behind it.
void append_escape(std::string& out, std::string_view text, std::size_t& pos) {
    static constexpr std::string_view kFrom = "nrtbf0", kTo{"\n\r\t\b\f\0", 6};
    const char c = text[pos++];
    if (const std::size_t i = kFrom.find(c); i != std::string_view::npos) {
        out += kTo[i];
        return;
    }
    const std::size_t digits = c == 'x' ? 2 : (c == 'u' ? 4 : 0);
    unsigned value = 0;
    if (digits > 0 && pos + digits <= text.size() &&
        std::from_chars(text.data() + pos, text.data() + pos + digits, value, 16).ptr ==
            text.data() + pos + digits &&
        (value < 0xd800 || value > 0xdfff)) {
        append_utf8(out, value);
        pos += digits;
        return;
    }
    if (c != '\\' && c != '\'' && c != '"' && c != '/')
        out += '\\';
    out += c;
}

std::optional<Json> take_python_text(std::string_view text, std::size_t& pos) {
    const char quote = text[pos];
    std::string out;
    for (std::size_t at = pos + 1; at < text.size();) {
        if (text[at] == quote) {
            pos = at + 1;
            return Json(std::move(out));
        }
        if (text[at] == '\\' && at + 1 < text.size())
            append_escape(out, text, ++at);
        else
            out += text[at++];
    }
    return {};
}

/// Elements up to `close`, each read by `element`; commas between them.
template <typename Element>
bool take_elements(std::string_view text, std::size_t& pos, char close, Element element) {
    for (bool first = true;; first = false) {
        skip_spaces(text, pos);
        if (take(text, pos, std::string_view(&close, 1)))
            return true;
        if (!first) {
            if (!take(text, pos, ","))
                return false;
            skip_spaces(text, pos);
            if (take(text, pos, std::string_view(&close, 1))) // a comma behind the last one
                return true;
        }
        if (!element())
            return false;
    }
}

using Reader = std::optional<Json> (*)(std::string_view, std::size_t&, int);

std::optional<Json> take_list(std::string_view text, std::size_t& pos, char close, int depth,
                              Reader read) {
    Json out = Json::array();
    ++pos;
    const bool complete = take_elements(text, pos, close, [&] {
        auto value = read(text, pos, depth + 1);
        if (value)
            out.push_back(*std::move(value));
        return value.has_value();
    });
    return complete ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::string> take_gemma_text(std::string_view text, std::size_t& pos) {
    const std::size_t begin = pos + kGemmaQuote.size();
    const std::size_t end = text.find(kGemmaQuote, begin);
    if (text.substr(pos, kGemmaQuote.size()) != kGemmaQuote || end == std::string_view::npos)
        return {};
    pos = end + kGemmaQuote.size();
    return std::string(text.substr(begin, end - begin));
}

} // namespace

void skip_spaces(std::string_view text, std::size_t& pos) {
    pos = std::min(text.find_first_not_of(" \t\r\n", pos), text.size());
}

bool take(std::string_view text, std::size_t& pos, std::string_view what) {
    if (text.substr(std::min(pos, text.size()), what.size()) != what)
        return false;
    pos += what.size();
    return true;
}

std::string_view take_name(std::string_view text, std::size_t& pos) {
    const std::size_t begin = pos;
    while (pos < text.size() && is_name_char(text[pos]))
        ++pos;
    return text.substr(begin, pos - begin);
}

std::optional<Json> take_json(std::string_view text, std::size_t& pos) {
    int depth = 0;
    bool in_text = false;
    for (std::size_t at = pos; at < text.size(); ++at) {
        const char c = text[at];
        if (in_text) {
            if (c == '\\')
                ++at;
            else if (c == '"')
                in_text = false;
            continue;
        }
        if (c == '"')
            in_text = true;
        else if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']')
            --depth;
        if (depth > kMaxToolDepth || (depth == 0 && at == pos))
            return {};
        if (depth > 0)
            continue;
        Json value =
            Json::parse(text.substr(pos, at + 1 - pos), nullptr, /*allow_exceptions=*/false);
        if (value.is_discarded())
            return {};
        pos = at + 1;
        return value;
    }
    return {};
}

std::optional<Json> take_python(std::string_view text, std::size_t& pos, int depth) {
    skip_spaces(text, pos);
    if (pos >= text.size() || depth > kMaxToolDepth)
        return {};
    switch (text[pos]) {
    case '"':
    case '\'':
        return take_python_text(text, pos);
    case '[':
        return take_list(text, pos, ']', depth, take_python);
    case '(':
        return take_list(text, pos, ')', depth, take_python);
    case '{':
        break;
    default:
        return take_scalar(text, pos);
    }
    Json out = Json::object();
    ++pos;
    const bool complete = take_elements(text, pos, '}', [&] {
        const auto key = take_python(text, pos, depth + 1);
        skip_spaces(text, pos);
        if (!key || !key->is_string() || !take(text, pos, ":"))
            return false;
        auto value = take_python(text, pos, depth + 1);
        if (value)
            out[key->get_ref<const std::string&>()] = *std::move(value);
        return value.has_value();
    });
    return complete ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Json> take_gemma(std::string_view text, std::size_t& pos, int depth) {
    skip_spaces(text, pos);
    if (pos >= text.size() || depth > kMaxToolDepth)
        return {};
    if (text[pos] == '[')
        return take_list(text, pos, ']', depth, take_gemma);
    if (text[pos] == '<') {
        auto quoted = take_gemma_text(text, pos);
        return quoted ? std::optional<Json>(*std::move(quoted)) : std::nullopt;
    }
    if (text[pos] != '{')
        return take_scalar(text, pos);
    Json out = Json::object();
    ++pos;
    const bool complete = take_elements(text, pos, '}', [&] {
        const auto quoted = take_gemma_text(text, pos);
        std::string key;
        if (quoted) {
            key = *quoted;
        } else { // bare: up to the colon
            const std::size_t colon = text.find_first_of(":,{}[]<", pos);
            if (colon == std::string_view::npos || text[colon] != ':')
                return false;
            key = text.substr(pos, colon - pos);
            pos = colon;
        }
        if (!take(text, pos, ":"))
            return false;
        auto value = take_gemma(text, pos, depth + 1);
        if (value)
            out[key] = *std::move(value);
        return value.has_value();
    });
    return complete ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alcove::tool_values
