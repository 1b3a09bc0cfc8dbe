#pragma once

#include "engine/text/jinja/runtime.h"

#include <cstddef>
#include <string_view>
#include <vector>

/// Operations on texts that filters and methods share. All keep the origin of every byte.
namespace alcove::jinja {

/// First occurrence of `part` at or behind byte `from`, or npos; linear in the length of `text`.
std::size_t find_text(std::string_view text, std::string_view part, std::size_t from = 0);
/// Last occurrence of `part` that ends at or before byte `to`, or npos.
std::size_t find_last_text(std::string_view text, std::string_view part, std::size_t to);

MarkedText upper_text(const MarkedText& text);
MarkedText lower_text(const MarkedText& text);
MarkedText casefold_text(const MarkedText& text);
MarkedText swapcase_text(const MarkedText& text);
/// `str.capitalize`: the first character in title case, the others in lower case.
MarkedText capitalize_text(const MarkedText& text);
/// `str.title`: a word begins after each character without case.
MarkedText title_text(const MarkedText& text);

/// Without the characters `chars` (white space if null) at its ends.
MarkedText strip_text(const MarkedText& text, const MarkedText* chars, bool left, bool right);
/// At most `count` occurrences replaced, from the left.
MarkedText replace_text(Runtime& runtime, const MarkedText& text, const MarkedText& from,
                        const MarkedText& to, std::size_t count);
/// Lines without their ends, or with them.
std::vector<MarkedText> split_lines(const MarkedText& text, bool keep_ends = false);
/// `fill` `count` times.
MarkedText repeat_text(Runtime& runtime, const MarkedText& fill, std::size_t count);
/// Padded to `width` characters; `align` is '<', '>' or '^' (`str.center`).
MarkedText pad_text(Runtime& runtime, const MarkedText& text, std::size_t width, char align,
                    std::string_view fill);
/// HTML's special characters written as entities.
MarkedText escape_text(const MarkedText& text);

} // namespace alcove::jinja
