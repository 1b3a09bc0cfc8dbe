#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Unicode as Python's `str` sees it: code points, white space, full case mappings.
/// Every function but repair_utf8 expects valid UTF-8, which is what the template engine holds
/// everywhere.
namespace alcove::jinja {

/// `text` with each maximal invalid part replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

/// Number of code points.
std::size_t count_chars(std::string_view text);
/// Byte offset of code point `index`, or text.size() if there are not that many.
std::size_t char_offset(std::string_view text, std::size_t index);
/// The code point at byte `pos`; moves `pos` behind it.
char32_t next_char(std::string_view text, std::size_t& pos);
/// The code point that ends before byte `pos` > 0; moves `pos` to its first byte.
char32_t previous_char(std::string_view text, std::size_t& pos);
void append_utf8(std::string& out, char32_t c);

/// White space as `str.isspace` and `\s` define it (a no-break space and U+3000 count).
bool is_space(char32_t c);
/// Line ends of `str.splitlines`; "\r\n" counts as one end and is the caller's business.
bool is_line_end(char32_t c);
bool is_letter(char32_t c); ///< categories L*
bool is_digit(char32_t c);  ///< decimal digits and digits like superscripts
bool is_number(char32_t c); ///< categories N*
bool is_upper(char32_t c);
bool is_lower(char32_t c);
bool is_title(char32_t c);
bool is_cased(char32_t c);
/// Letters, numbers and the underscore (`\w`).
bool is_word(char32_t c);
/// False for what `repr` escapes: controls, formats, unassigned, separators other than the space.
bool is_printable(char32_t c);

void append_upper(std::string& out, char32_t c);
void append_title(std::string& out, char32_t c);
void append_casefold(std::string& out, char32_t c);
/// Lower case of the character at byte `pos` of `text`; the context decides the form of a capital
/// sigma.
void append_lower(std::string& out, std::string_view text, std::size_t pos);

std::string_view trim_spaces(std::string_view text, bool left, bool right);

} // namespace alcove::jinja
