#include "engine/text/jinja/text_ops.h"

#include "engine/text/jinja/unicode.h"

#include <algorithm>
#include <cstring>

namespace alcove::jinja {
namespace {

/// Rewrites each character; `write(run, view, pos)` gets the byte position of the character in the
/// whole text.
template <typename Write> MarkedText rewrite(const MarkedText& text, Write write) {
    MarkedText out;
    out.reserve(text.size());
    std::string run;
    const std::string_view view = text.view();
    for (std::size_t pos = 0; pos < view.size();) {
        const bool from_data = text.from_data(pos);
        const std::size_t end = text.run_end(pos);
        run.clear();
        while (pos < end) {
            write(run, view, pos);
            next_char(view, pos);
        }
        out.append(run, from_data);
    }
    return out;
}

char32_t char_at(std::string_view view, std::size_t pos) {
    return next_char(view, pos);
}

} // namespace

std::size_t find_text(std::string_view text, std::string_view part, std::size_t from) {
    if (from > text.size())
        return std::string_view::npos;
    if (part.empty())
        return from;
    // memmem is linear in the worst case, std::string_view::find is not.
    const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
    return found == nullptr
               ? std::string_view::npos
               : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t find_last_text(std::string_view text, std::string_view part, std::size_t to) {
    text = text.substr(0, to);
    if (part.empty())
        return text.size();
    // The mirror image makes this a search for the first occurrence.
    const std::string mirrored(text.rbegin(), text.rend());
    const std::string mirrored_part(part.rbegin(), part.rend());
    const std::size_t found = find_text(mirrored, mirrored_part);
    return found == std::string_view::npos ? found : text.size() - found - part.size();
}

MarkedText upper_text(const MarkedText& text) {
    return rewrite(text, [](std::string& run, std::string_view view, std::size_t pos) {
        append_upper(run, char_at(view, pos));
    });
}

MarkedText lower_text(const MarkedText& text) {
    return rewrite(text, [](std::string& run, std::string_view view, std::size_t pos) {
        append_lower(run, view, pos);
    });
}

MarkedText casefold_text(const MarkedText& text) {
    return rewrite(text, [](std::string& run, std::string_view view, std::size_t pos) {
        append_casefold(run, char_at(view, pos));
    });
}

MarkedText swapcase_text(const MarkedText& text) {
    return rewrite(text, [](std::string& run, std::string_view view, std::size_t pos) {
        const char32_t c = char_at(view, pos);
        if (is_lower(c))
            append_upper(run, c);
        else if (is_upper(c))
            append_lower(run, view, pos);
        else
            append_utf8(run, c);
    });
}

MarkedText capitalize_text(const MarkedText& text) {
    return rewrite(text, [](std::string& run, std::string_view view, std::size_t pos) {
        if (pos == 0)
            append_title(run, char_at(view, pos));
        else
            append_lower(run, view, pos);
    });
}

MarkedText title_text(const MarkedText& text) {
    bool in_word = false;
    return rewrite(text, [&](std::string& run, std::string_view view, std::size_t pos) {
        const char32_t c = char_at(view, pos);
        if (in_word)
            append_lower(run, view, pos);
        else
            append_title(run, c);
        in_word = is_cased(c);
    });
}

MarkedText strip_text(const MarkedText& text, const MarkedText* chars, bool left, bool right) {
    const std::string_view view = text.view();
    if (chars == nullptr) {
        const std::string_view kept = trim_spaces(view, left, right);
        return text.slice(static_cast<std::size_t>(kept.data() - view.data()), kept.size());
    }
    std::u32string set;
    for (std::size_t pos = 0; pos < chars->size();)
        set += next_char(chars->view(), pos);
    std::sort(set.begin(), set.end());
    const auto contains = [&](char32_t c) { return std::binary_search(set.begin(), set.end(), c); };
    std::size_t begin = 0, end = view.size();
    while (left && begin < end) {
        std::size_t next = begin;
        if (!contains(next_char(view, next)))
            break;
        begin = next;
    }
    while (right && end > begin) {
        std::size_t previous = end;
        if (!contains(previous_char(view, previous)))
            break;
        end = previous;
    }
    return text.slice(begin, end - begin);
}

MarkedText replace_text(Runtime& runtime, const MarkedText& text, const MarkedText& from,
                        const MarkedText& to, std::size_t count) {
    runtime.charge_bytes(text.size());
    MarkedText out;
    const std::string_view view = text.view();
    std::size_t pos = 0;
    const auto emit = [&] {
        out.append(to);
        if (out.size() > 4096)
            runtime.require(out.memory());
    };
    if (from.empty()) { // before each character and at the end
        while (count > 0) {
            emit();
            --count;
            if (pos >= view.size())
                return out;
            const std::size_t begin = pos;
            next_char(view, pos);
            out.append_range(text, begin, pos - begin);
        }
    }
    for (; count > 0; --count) {
        const std::size_t found = find_text(view, from.view(), pos);
        if (found == std::string_view::npos)
            break;
        out.append_range(text, pos, found - pos);
        emit();
        pos = found + from.size();
    }
    out.append_range(text, pos, view.size() - pos);
    return out;
}

std::vector<MarkedText> split_lines(const MarkedText& text, bool keep_ends) {
    std::vector<MarkedText> lines;
    const std::string_view view = text.view();
    std::size_t begin = 0;
    for (std::size_t pos = 0; pos < view.size();) {
        const std::size_t end = pos;
        const char32_t c = next_char(view, pos);
        if (!is_line_end(c))
            continue;
        if (c == '\r' && pos < view.size() && view[pos] == '\n')
            ++pos;
        lines.push_back(text.slice(begin, (keep_ends ? pos : end) - begin));
        begin = pos;
    }
    if (begin < view.size())
        lines.push_back(text.slice(begin, view.size() - begin));
    return lines;
}

MarkedText repeat_text(Runtime& runtime, const MarkedText& fill, std::size_t count) {
    MarkedText out;
    if (fill.empty() || count == 0)
        return out;
    runtime.require(count > runtime.limits().max_value_bytes / fill.memory() ? SIZE_MAX
                                                                             : count * fill.size());
    runtime.charge_bytes(count * fill.size());
    runtime.charge(count);
    out.reserve(count * fill.size());
    for (std::size_t i = 0; i < count; ++i)
        out.append(fill);
    return out;
}

MarkedText pad_text(Runtime& runtime, const MarkedText& text, std::size_t width, char align,
                    std::string_view fill) {
    const std::size_t n_chars = count_chars(text.view());
    if (width <= n_chars)
        return text;
    const std::size_t missing = width - n_chars;
    // str.center puts the odd one to the left only where the width is odd too.
    std::size_t left = 0;
    if (align == '>')
        left = missing;
    else if (align == '^')
        left = missing / 2 + (missing & width & 1U);
    const MarkedText unit{std::string(fill), false};
    MarkedText out = repeat_text(runtime, unit, left);
    out.append(text);
    out.append(repeat_text(runtime, unit, missing - left));
    return out;
}

MarkedText escape_text(const MarkedText& text) {
    return rewrite(text, [](std::string& run, std::string_view view, std::size_t pos) {
        switch (const char32_t c = char_at(view, pos)) {
        case '&':
            run += "&amp;";
            break;
        case '<':
            run += "&lt;";
            break;
        case '>':
            run += "&gt;";
            break;
        case '"':
            run += "&#34;";
            break;
        case '\'':
            run += "&#39;";
            break;
        default:
            append_utf8(run, c);
        }
    });
}

} // namespace alcove::jinja
