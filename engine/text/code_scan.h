#pragma once

#include <cstddef>
#include <string_view>

namespace alcove {

/// Tells which bytes of a Markdown text are code, while the text is still growing: marks of models
/// inside code are plain text. Code is a fence (``` or ~~~, three or more, at the begin of a line,
/// up to its end or the end of the text) and what stands between two equal runs of backticks on one
/// line.
class CodeScan {
public:
    /// The next step over `text` at `pos`: how many bytes to skip because they are code, a fence or
    /// backticks; 0 if the character at `pos` is ordinary text; kMore if that depends on text still
    /// to come. With `complete`, no more will come. Must be asked for every position, in order,
    /// that it did not skip.
    std::size_t step(std::string_view text, std::size_t pos, bool complete);

    bool in_fence() const { return fence_size_ > 0; }
    std::size_t fence_begin() const { return fence_begin_; }
    /// Only spaces stand before `pos` on its line.
    static bool at_line_begin(std::string_view text, std::size_t pos);
    void leave_fence() { fence_size_ = 0; }

    static constexpr std::size_t kMore = std::string_view::npos;

private:
    std::size_t step_in_fence(std::string_view text, std::size_t pos, bool complete);

    char fence_char_ = '`';
    std::size_t fence_size_ = 0; // 0: not in one
    std::size_t fence_begin_ = 0;
};

} // namespace alcove
