#include "engine/text/unicode.h"

#include "engine/text/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

namespace alcove {

namespace {

utf8proc_category_t category(char32_t code_point) noexcept {
    return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

unsigned combining_class(utf8proc_int32_t code_point) noexcept {
    return static_cast<unsigned>(utf8proc_get_property(code_point)->combining_class);
}

/// Canonical decomposition in canonical order. utf8proc's own ordering pass is a bubble sort,
/// quadratic for a text that is one long run of combining marks; sorting each run here keeps
/// hostile text cheap.
std::vector<utf8proc_int32_t> decompose(std::string_view text) {
    std::vector<utf8proc_int32_t> out;
    out.reserve(text.size());
    constexpr int kLongest = 32; // Unicode guarantees 4 for canonical decomposition
    for (std::size_t position = 0; position < text.size();) {
        const auto code_point = static_cast<utf8proc_int32_t>(utf8_next(text, position));
        if (code_point < 0xC0) {
            out.push_back(code_point);
            continue;
        }
        utf8proc_int32_t buffer[kLongest];
        const utf8proc_ssize_t n =
            utf8proc_decompose_char(code_point, buffer, kLongest, UTF8PROC_DECOMPOSE, nullptr);
        if (n < 1 || n > kLongest)
            out.push_back(code_point);
        else
            out.insert(out.end(), buffer, buffer + n);
    }
    for (std::size_t i = 0; i < out.size();) {
        if (out[i] < 0x300 || combining_class(out[i]) == 0) {
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        while (end < out.size() && out[end] >= 0x300 && combining_class(out[end]) != 0)
            ++end;
        if (end - i > 1)
            std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(i),
                             out.begin() + static_cast<std::ptrdiff_t>(end), [](auto a, auto b) {
                                 return combining_class(a) < combining_class(b);
                             });
        i = end;
    }
    return out;
}

} // namespace

bool is_unicode_space(char32_t code_point) noexcept {
    if (code_point < 0x80)
        return code_point == ' ' || (code_point >= 0x09 && code_point <= 0x0D);
    if (code_point == 0x85)
        return true;
    const utf8proc_category_t c = category(code_point);
    return c == UTF8PROC_CATEGORY_ZS || c == UTF8PROC_CATEGORY_ZL || c == UTF8PROC_CATEGORY_ZP;
}

bool is_bert_punctuation(char32_t code_point) noexcept {
    if (code_point < 0x80)
        return (code_point >= 33 && code_point <= 47) || (code_point >= 58 && code_point <= 64) ||
               (code_point >= 91 && code_point <= 96) || (code_point >= 123 && code_point <= 126);
    const utf8proc_category_t c = category(code_point);
    return c >= UTF8PROC_CATEGORY_PC && c <= UTF8PROC_CATEGORY_PO;
}

bool is_nonspacing_mark(char32_t code_point) noexcept {
    return category(code_point) == UTF8PROC_CATEGORY_MN;
}

bool is_control_like(char32_t code_point) noexcept {
    const utf8proc_category_t c = category(code_point);
    return c >= UTF8PROC_CATEGORY_CC && c <= UTF8PROC_CATEGORY_CO;
}

char32_t to_lower(char32_t code_point) noexcept {
    return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

std::string to_nfc(std::string_view text) {
    // Nothing below U+0300 (lead byte 0xCC) changes under NFC, and that is most text.
    const bool plain = std::all_of(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0xCC; });
    if (plain)
        return std::string(text);
    std::vector<utf8proc_int32_t> points = decompose(text);
    const utf8proc_ssize_t n = utf8proc_normalize_utf32(
        points.data(), static_cast<utf8proc_ssize_t>(points.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (n < 0)
        return std::string(text);
    std::string out;
    out.reserve(text.size());
    for (utf8proc_ssize_t i = 0; i < n; ++i)
        utf8_append(out, static_cast<char32_t>(points[static_cast<std::size_t>(i)]));
    return out;
}

std::u32string to_nfd(std::string_view text) {
    const std::vector<utf8proc_int32_t> points = decompose(text);
    return {points.begin(), points.end()};
}

} // namespace alcove
