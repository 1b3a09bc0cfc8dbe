#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// UTF-8 without surprises: well-formedness as in the Unicode Standard, table 3-7; damage is
/// replaced by U+FFFD once per maximal subpart (section 3.9, "U+FFFD Substitution of Maximal
/// Subparts"), as browsers and Python do.
namespace alcove {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; ///< U+FFFD

enum class Utf8Status : std::uint8_t {
    Valid,     ///< `code_point` in `length` bytes
    Invalid,   ///< the first `length` bytes can never become a character
    Incomplete ///< all `length` bytes are the begin of a character that the text cuts off
};

struct Utf8Step {
    Utf8Status status = Utf8Status::Invalid;
    std::uint8_t length = 0; ///< 1…4
    char32_t code_point = 0; ///< meaningful if Valid
};

/// The first character of `bytes`, which must not be empty.
Utf8Step utf8_step(std::string_view bytes) noexcept;

/// The code point at `text[position]` of valid UTF-8; moves `position` behind it.
char32_t utf8_next(std::string_view text, std::size_t& position) noexcept;

/// Bytes of the character that begins with `lead` in valid UTF-8.
inline std::size_t utf8_length(char lead) noexcept {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Appends `code_point` (a scalar value) to `out`.
void utf8_append(std::string& out, char32_t code_point);

bool utf8_is_valid(std::string_view bytes) noexcept;

/// `bytes` with each maximal invalid part replaced by U+FFFD; valid text comes back unchanged.
std::string utf8_repair(std::string_view bytes);

} // namespace alcove
