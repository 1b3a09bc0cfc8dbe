#pragma once

#include <string>
#include <string_view>

/// Unicode properties and normal forms, from utf8proc. Linear in the length of the text, whatever
/// the text is.
namespace alcove {

/// White_Space of the Unicode Character Database, which is what `\s` means to the published
/// tokenizers.
bool is_unicode_space(char32_t code_point) noexcept;
/// General category P*, or an ASCII symbol: what BERT splits off.
bool is_bert_punctuation(char32_t code_point) noexcept;
/// General category Mn.
bool is_nonspacing_mark(char32_t code_point) noexcept;
/// General category Cc, Cf, Cs or Co: what BERT removes (unassigned code points stay).
bool is_control_like(char32_t code_point) noexcept;
/// Simple lower-case mapping.
char32_t to_lower(char32_t code_point) noexcept;

/// Normal form C of valid UTF-8.
std::string to_nfc(std::string_view text);
/// Normal form D of valid UTF-8, as code points.
std::u32string to_nfd(std::string_view text);

} // namespace alcove
