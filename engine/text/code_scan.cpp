#include "engine/text/code_scan.h"

#include <algorithm>

namespace alcove {
namespace {

std::size_t run_size(std::string_view text, std::size_t pos) {
    std::size_t end = pos;
    while (end < text.size() && text[end] == text[pos])
        ++end;
    return end - pos;
}

std::size_t line_end(std::string_view text, std::size_t pos) {
    return std::min(text.find('\n', pos), text.size());
}

} // namespace

bool CodeScan::at_line_begin(std::string_view text, std::size_t pos) {
    while (pos > 0 && (text[pos - 1] == ' ' || text[pos - 1] == '\t'))
        --pos;
    return pos == 0 || text[pos - 1] == '\n';
}

std::size_t CodeScan::step_in_fence(std::string_view text, std::size_t pos, bool complete) {
    const std::size_t end = line_end(text, pos);
    if (text[pos] != fence_char_ || !at_line_begin(text, pos))
        return std::max<std::size_t>(1, std::min(text.find(fence_char_, pos), end) - pos);
    const std::size_t run = run_size(text, pos);
    if (pos + run == text.size() && !complete)
        return kMore;
    const bool blank_behind = text.find_first_not_of(" \t\r", pos + run) >= end;
    if (run >= fence_size_ && blank_behind) {
        if (end == text.size() && !complete)
            return kMore;
        fence_size_ = 0;
        return end - pos;
    }
    return run;
}

std::size_t CodeScan::step(std::string_view text, std::size_t pos, bool complete) {
    if (fence_size_ > 0)
        return step_in_fence(text, pos, complete);
    const char c = text[pos];
    if (c != '`' && c != '~')
        return 0;
    const std::size_t run = run_size(text, pos);
    if (pos + run == text.size() && !complete)
        return kMore;
    if (run >= 3 && at_line_begin(text, pos)) {
        fence_char_ = c;
        fence_size_ = run;
        fence_begin_ = pos;
        return run;
    }
    if (c == '~')
        return run;
    // An inline span ends at a run of the same size on the same line; without one the backticks are
    // text.
    const std::size_t end = line_end(text, pos);
    for (std::size_t at = pos + run; at < end;) {
        at = std::min(text.find('`', at), end);
        const std::size_t closing = at < end ? run_size(text, at) : 0;
        if (at + closing == text.size() && !complete)
            return kMore;
        if (closing == run)
            return at + closing - pos;
        at += closing;
    }
    return end == text.size() && !complete ? kMore : run;
}

} // namespace alcove
