#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace alcove::jinja {

enum class TokenType : std::uint8_t {
    Text,       ///< the template's own text between the tags
    PrintBegin, ///< {{
    PrintEnd,   ///< }}
    BlockBegin, ///< {%
    BlockEnd,   ///< %}
    Name,
    String, ///< `text` is the string's value
    Integer,
    Float,
    Operator, ///< `text` is the operator
    End,      ///< of the template
};

struct Token {
    TokenType type = TokenType::End;
    int line = 1;
    std::string text;
};

/// The tokens of a template, with trim_blocks and lstrip_blocks applied, line ends unified and the
/// last one dropped. Linear in the length of `source`. Fails with Syntax.
std::vector<Token> tokenize(std::string_view source);

} // namespace alcove::jinja
