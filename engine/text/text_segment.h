#pragma once

#include <string>
#include <vector>

namespace alcove {

/// A piece of a prompt with its origin. What the chat template itself wrote may name control tokens; what came from
/// a message, a tool or a document may not: a user who types "<|im_end|>" gets ordinary tokens.
struct TextSegment {
    std::string text;        ///< UTF-8
    bool from_data = false;  ///< true: came from a variable (message, tool, document), not from the template's own text
};

using TextSegments = std::vector<TextSegment>;

} // namespace alcove
