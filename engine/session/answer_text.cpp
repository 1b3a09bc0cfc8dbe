#include "engine/session/answer_text.h"

#include <algorithm>
#include <utility>

namespace alcove {

namespace {

/// Length of the longest end of `text` that is a proper begin of `stop`.
std::size_t overlap(std::string_view text, std::string_view stop) {
    std::size_t n = std::min(text.size(), stop.size() - 1);
    while (n > 0 && !text.ends_with(stop.substr(0, n)))
        --n;
    return n;
}

} // namespace

AnswerText::AnswerText(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stop)
    : stream_(std::move(tokenizer)), stop_(std::move(stop)) {}

std::string AnswerText::push(TokenId id) {
    held_ += stream_.push(id);
    ids_.push_back(id);
    ends_.push_back(text_.size() + held_.size());
    return release();
}

std::string AnswerText::flush() {
    if (stopped())
        return {};
    held_ += stream_.flush();
    std::string shown = release();
    if (!stopped()) {
        text_ += held_;
        shown += std::exchange(held_, {});
    }
    return shown;
}

std::string AnswerText::release() {
    std::size_t first = std::string::npos;
    std::size_t keep = 0;
    for (std::size_t i = 0; i < stop_.size(); ++i) {
        const std::size_t at = held_.find(stop_[i]);
        if (at < first) { // npos is the greatest
            first = at;
            matched_ = static_cast<std::ptrdiff_t>(i);
        }
        keep = std::max(keep, overlap(held_, stop_[i]));
    }
    if (stopped())
        return cut_at(first);
    std::string shown = held_.substr(0, held_.size() - keep);
    held_.erase(0, shown.size());
    text_ += shown;
    return shown;
}

std::string AnswerText::cut_at(std::size_t begin) {
    std::string shown = held_.substr(0, begin);
    text_ += shown;
    held_.clear();
    while (!ids_.empty() && ends_.back() > text_.size()) {
        ids_.pop_back();
        ends_.pop_back();
    }
    // Tokens without text just before the cut hold the first bytes of a character inside it.
    while (!ids_.empty() && ends_.back() == (ends_.size() > 1 ? ends_[ends_.size() - 2] : 0)) {
        ids_.pop_back();
        ends_.pop_back();
    }
    return shown;
}

} // namespace alcove
