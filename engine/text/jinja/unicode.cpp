#include "engine/text/jinja/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace alcove::jinja {
namespace {

std::uint64_t load_word(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

/// End of the run of ASCII at `pos`, found eight bytes at a time.
std::size_t ascii_end(std::string_view text, std::size_t pos) {
    while (pos + 8 <= text.size() && (load_word(text.data() + pos) & 0x8080808080808080ULL) == 0)
        pos += 8;
    while (pos < text.size() && static_cast<unsigned char>(text[pos]) < 0x80)
        ++pos;
    return pos;
}

struct SpecialCase {
    char32_t from;
    const char32_t* upper;
    const char32_t* title;
};
constexpr SpecialCase kSpecialCases[] = {
#define SPECIAL_CASE(from, upper, title) {from, upper, title},
#include "engine/text/jinja/special_casing.inc"
#undef SPECIAL_CASE
};

const SpecialCase* special_case(char32_t c) {
    const auto* found = std::lower_bound(
        std::begin(kSpecialCases), std::end(kSpecialCases), c,
        [](const SpecialCase& entry, char32_t value) { return entry.from < value; });
    return found != std::end(kSpecialCases) && found->from == c ? found : nullptr;
}

void append_all(std::string& out, const char32_t* chars) {
    for (; *chars != 0; ++chars)
        append_utf8(out, *chars);
}

utf8proc_category_t category(char32_t c) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

char32_t simple(utf8proc_int32_t (*map)(utf8proc_int32_t), char32_t c) {
    return static_cast<char32_t>(map(static_cast<utf8proc_int32_t>(c)));
}

bool is_case_ignorable(char32_t c) {
    switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return true;
    default:
        return c == '\'' || c == '.' || c == ':' || c == 0xb7 || c == 0x2019;
    }
}

/// Unicode's Final_Sigma condition: a cased letter before, none after, ignorable characters
/// skipped.
bool is_final_sigma(std::string_view text, std::size_t pos) {
    bool cased_before = false;
    for (std::size_t before = pos; before > 0;) {
        const char32_t c = previous_char(text, before);
        if (!is_case_ignorable(c)) {
            cased_before = is_cased(c);
            break;
        }
    }
    if (!cased_before)
        return false;
    std::size_t after = pos;
    next_char(text, after);
    while (after < text.size()) {
        const char32_t c = next_char(text, after);
        if (!is_case_ignorable(c))
            return !is_cased(c);
    }
    return true;
}

} // namespace

std::string repair_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    std::size_t pos = 0;
    while (pos < text.size()) {
        const auto lead = static_cast<unsigned char>(text[pos]);
        if (lead < 0x80) {
            const std::size_t end = ascii_end(text, pos);
            out.append(text.substr(pos, end - pos));
            pos = end;
            continue;
        }
        // The allowed range of the second byte excludes overlong forms, surrogates and values above
        // U+10FFFF.
        std::size_t need = 0;
        unsigned low = 0x80, high = 0xbf;
        if (lead >= 0xc2 && lead <= 0xdf) {
            need = 1;
        } else if (lead >= 0xe0 && lead <= 0xef) {
            need = 2;
            low = lead == 0xe0 ? 0xa0 : 0x80;
            high = lead == 0xed ? 0x9f : 0xbf;
        } else if (lead >= 0xf0 && lead <= 0xf4) {
            need = 3;
            low = lead == 0xf0 ? 0x90 : 0x80;
            high = lead == 0xf4 ? 0x8f : 0xbf;
        }
        std::size_t have = 0;
        while (have < need && pos + 1 + have < text.size()) {
            const auto byte = static_cast<unsigned char>(text[pos + 1 + have]);
            if (byte < low || byte > high)
                break;
            low = 0x80;
            high = 0xbf;
            ++have;
        }
        if (need > 0 && have == need)
            out.append(text.substr(pos, need + 1));
        else
            out += "\xef\xbf\xbd";
        pos += have + 1;
    }
    return out;
}

std::size_t count_chars(std::string_view text) {
    // Eight bytes at a time: a byte that continues a character has its top bits 10.
    std::size_t continuing = 0, pos = 0;
    for (; pos + 8 <= text.size(); pos += 8) {
        const std::uint64_t word = load_word(text.data() + pos);
        const std::uint64_t marks = (word >> 7U) & ~(word >> 6U) & 0x0101010101010101ULL;
        continuing += (marks * 0x0101010101010101ULL) >> 56U; // their sum
    }
    for (; pos < text.size(); ++pos)
        continuing += (static_cast<unsigned char>(text[pos]) & 0xc0U) == 0x80U ? 1 : 0;
    return text.size() - continuing;
}

std::size_t char_offset(std::string_view text, std::size_t index) {
    std::size_t pos = 0;
    for (; pos < text.size(); ++pos) {
        if ((static_cast<unsigned char>(text[pos]) & 0xc0U) != 0x80U && index-- == 0)
            return pos;
    }
    return pos;
}

char32_t next_char(std::string_view text, std::size_t& pos) {
    const auto byte = [&](std::size_t i) -> char32_t {
        return i < text.size() ? static_cast<unsigned char>(text[i]) & 0x3fU : 0U;
    };
    const auto lead = static_cast<unsigned char>(text[pos]);
    char32_t c = lead;
    std::size_t size = 1;
    if (lead >= 0xf0) {
        c = (lead & 0x07U) << 18U | byte(pos + 1) << 12U | byte(pos + 2) << 6U | byte(pos + 3);
        size = 4;
    } else if (lead >= 0xe0) {
        c = (lead & 0x0fU) << 12U | byte(pos + 1) << 6U | byte(pos + 2);
        size = 3;
    } else if (lead >= 0xc0) {
        c = (lead & 0x1fU) << 6U | byte(pos + 1);
        size = 2;
    }
    pos = std::min(pos + size, text.size());
    return c;
}

char32_t previous_char(std::string_view text, std::size_t& pos) {
    do
        --pos;
    while (pos > 0 && (static_cast<unsigned char>(text[pos]) & 0xc0U) == 0x80U);
    std::size_t behind = pos;
    return next_char(text, behind);
}

void append_utf8(std::string& out, char32_t c) {
    if (c >= 0x110000 || (c >= 0xd800 && c < 0xe000))
        c = 0xfffd;
    if (c < 0x80) {
        out += static_cast<char>(c);
        return;
    }
    if (c < 0x800) {
        out += static_cast<char>(0xc0U | c >> 6U);
    } else {
        if (c < 0x10000) {
            out += static_cast<char>(0xe0U | c >> 12U);
        } else {
            out += static_cast<char>(0xf0U | c >> 18U);
            out += static_cast<char>(0x80U | (c >> 12U & 0x3fU));
        }
        out += static_cast<char>(0x80U | (c >> 6U & 0x3fU));
    }
    out += static_cast<char>(0x80U | (c & 0x3fU));
}

bool is_space(char32_t c) {
    if (c < 0x80)
        return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x1f);
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool is_line_end(char32_t c) {
    return (c >= 10 && c <= 13) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

bool is_letter(char32_t c) {
    const auto kind = category(c);
    return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_digit(char32_t c) {
    if (c < 0x80)
        return c >= '0' && c <= '9';
    return category(c) == UTF8PROC_CATEGORY_ND || c == 0xb2 || c == 0xb3 || c == 0xb9 ||
           c == 0x2070 || (c >= 0x2074 && c <= 0x2079) || (c >= 0x2080 && c <= 0x2089);
}

bool is_number(char32_t c) {
    const auto kind = category(c);
    return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

bool is_upper(char32_t c) {
    return category(c) == UTF8PROC_CATEGORY_LU || (c >= 0x2160 && c <= 0x216f) ||
           (c >= 0x24b6 && c <= 0x24cf);
}

bool is_lower(char32_t c) {
    return category(c) == UTF8PROC_CATEGORY_LL || c == 0xaa || c == 0xba ||
           (c >= 0x2170 && c <= 0x217f) || (c >= 0x24d0 && c <= 0x24e9);
}

bool is_title(char32_t c) {
    return category(c) == UTF8PROC_CATEGORY_LT;
}

bool is_cased(char32_t c) {
    return is_upper(c) || is_lower(c) || is_title(c);
}

bool is_word(char32_t c) {
    return c == '_' || is_letter(c) || is_number(c);
}

bool is_printable(char32_t c) {
    if (c == ' ')
        return true;
    switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
        return false;
    default:
        return true;
    }
}

void append_upper(std::string& out, char32_t c) {
    if (const SpecialCase* special = special_case(c))
        append_all(out, special->upper);
    else
        append_utf8(out, simple(utf8proc_toupper, c));
}

void append_title(std::string& out, char32_t c) {
    if (const SpecialCase* special = special_case(c))
        append_all(out, special->title);
    else
        append_utf8(out, simple(utf8proc_totitle, c));
}

void append_casefold(std::string& out, char32_t c) {
    utf8proc_int32_t folded[8];
    int boundary = 0;
    const auto n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), folded, 8,
                                           UTF8PROC_CASEFOLD, &boundary);
    if (n < 1 || n > 8) {
        append_utf8(out, c);
        return;
    }
    for (utf8proc_ssize_t i = 0; i < n; ++i)
        append_utf8(out, static_cast<char32_t>(folded[i]));
}

void append_lower(std::string& out, std::string_view text, std::size_t pos) {
    std::size_t behind = pos;
    const char32_t c = next_char(text, behind);
    if (c == 0x130) { // capital I with dot: small i and a combining dot
        append_utf8(out, 'i');
        append_utf8(out, 0x307);
    } else if (c == 0x3a3) {
        append_utf8(out, is_final_sigma(text, pos) ? 0x3c2 : 0x3c3);
    } else {
        append_utf8(out, simple(utf8proc_tolower, c));
    }
}

std::string_view trim_spaces(std::string_view text, bool left, bool right) {
    std::size_t begin = 0, end = text.size();
    while (left && begin < end) {
        std::size_t next = begin;
        if (!is_space(next_char(text, next)))
            break;
        begin = next;
    }
    while (right && end > begin) {
        std::size_t previous = end;
        if (!is_space(previous_char(text, previous)))
            break;
        end = previous;
    }
    return text.substr(begin, end - begin);
}

} // namespace alcove::jinja
