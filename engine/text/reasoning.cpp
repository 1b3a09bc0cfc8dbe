#include "engine/text/reasoning.h"

#include <algorithm>
#include <array>

namespace alcove {
namespace {

constexpr std::array kMarkers = {
    ReasoningMarkers{"<think>", "</think>"},
    ReasoningMarkers{"<thinking>", "</thinking>"},
    ReasoningMarkers{"<thought>", "</thought>"},
    ReasoningMarkers{"<reasoning>", "</reasoning>"},
    ReasoningMarkers{"<seed:think>", "</seed:think>"},
    ReasoningMarkers{"[THINK]", "[/THINK]"},
    ReasoningMarkers{"<|begin_of_thought|>", "<|end_of_thought|>"},
    ReasoningMarkers{"<|START_THINKING|>", "<|END_THINKING|>"},
    ReasoningMarkers{"<|channel>thought", "<channel|>"},
    ReasoningMarkers{"<|channel|>analysis<|message|>", "<|end|>"},
};

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

/// Whether `text` has `marker` at `pos`: yes, no, or perhaps once more has come.
enum class Match { No, Partly, Yes };
Match match(std::string_view text, std::size_t pos, std::string_view marker) {
    const std::string_view there = text.substr(pos, marker.size());
    if (there == marker)
        return Match::Yes;
    return pos + there.size() == text.size() && marker.substr(0, there.size()) == there
               ? Match::Partly
               : Match::No;
}

void append_paragraph(std::string& out, std::string_view text) {
    text = trimmed(text);
    if (text.empty())
        return;
    if (!out.empty())
        out += "\n\n";
    out += text;
}

} // namespace

std::span<const ReasoningMarkers> reasoning_markers() {
    return kMarkers;
}

bool prompt_opens_reasoning(std::string_view prompt) {
    prompt = prompt.substr(0, prompt.find_last_not_of(kSpaces) + 1);
    return std::any_of(kMarkers.begin(), kMarkers.end(), [&](const ReasoningMarkers& markers) {
        return prompt.size() >= markers.open.size() &&
               prompt.substr(prompt.size() - markers.open.size()) == markers.open;
    });
}

ReasoningSplitter::ReasoningSplitter(bool starts_in_reasoning) {
    AnswerPart first;
    first.kind = starts_in_reasoning ? AnswerPart::Kind::Reasoning : AnswerPart::Kind::Text;
    first.closed = !starts_in_reasoning;
    parts_.push_back(first);
}

void ReasoningSplitter::push(std::string_view text) {
    text_ += text;
    scan(false);
}

void ReasoningSplitter::finish() {
    scan(true);
    const bool hidden = parts_.back().kind == AnswerPart::Kind::Reasoning && code_.in_fence() &&
                        hidden_close_ != std::string::npos;
    if (!hidden)
        return;
    code_.leave_fence();
    close_reasoning(hidden_close_, hidden_size_);
    scan(true);
}

std::vector<AnswerPart> ReasoningSplitter::parts() const {
    std::vector<AnswerPart> out;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        AnswerPart part = parts_[i];
        if (i + 1 == parts_.size())
            part.end = std::max(part.begin, shown_end_);
        if (part.end > part.begin)
            out.push_back(part);
    }
    return out;
}

void ReasoningSplitter::begin_part(AnswerPart::Kind kind, std::size_t end_of_last,
                                   std::size_t begin) {
    parts_.back().end = end_of_last;
    parts_.push_back({kind, begin, begin, kind == AnswerPart::Kind::Text});
    position_ = begin;
    hidden_close_ = std::string::npos;
}

void ReasoningSplitter::close_reasoning(std::size_t marker, std::size_t size) {
    parts_.back().closed = true;
    close_ = {};
    begin_part(AnswerPart::Kind::Text, marker, marker + size);
}

/// Looks for a marker at position_. True if there is one, which was taken; else `size` says how
/// many bytes are certain to be none (0: that depends on text still to come).
bool ReasoningSplitter::scan_marker(bool complete, std::size_t& size) {
    const bool reasoning = parts_.back().kind == AnswerPart::Kind::Reasoning;
    const bool line_begin =
        CodeScan::at_line_begin(text_, position_) || position_ == parts_.back().begin;
    size = 1;
    for (const ReasoningMarkers& markers : kMarkers) {
        // Open ones and stray closing ones count at the begin of a line only.
        if (!reasoning && line_begin) {
            const Match open = match(text_, position_, markers.open);
            if (open == Match::Yes) {
                const std::size_t behind = position_ + markers.open.size();
                begin_part(AnswerPart::Kind::Reasoning, position_, behind);
                close_ = markers.close;
                return true;
            }
            if (open == Match::Partly && !complete)
                size = 0;
        }
        const bool only_text = parts_.size() == 1;
        if (reasoning ? (close_.empty() || close_ == markers.close) : (line_begin && only_text)) {
            const Match close = match(text_, position_, markers.close);
            if (close == Match::Yes) {
                parts_.back().kind = AnswerPart::Kind::Reasoning;
                close_reasoning(position_, markers.close.size());
                return true;
            }
            if (close == Match::Partly && !complete)
                size = 0;
        }
    }
    return false;
}

void ReasoningSplitter::note_hidden_close(std::size_t pos, std::size_t size) {
    if (hidden_close_ != std::string::npos || parts_.back().kind != AnswerPart::Kind::Reasoning)
        return;
    for (const ReasoningMarkers& markers : kMarkers) {
        if (!close_.empty() && close_ != markers.close)
            continue;
        // From the line's begin: the marker may have come in two pieces.
        const std::size_t line =
            text_.rfind('\n', pos) == std::string::npos ? 0 : text_.rfind('\n', pos) + 1;
        const std::string_view seen = std::string_view(text_).substr(0, pos + size);
        const std::size_t found = seen.find(markers.close, line);
        if (found != std::string_view::npos && CodeScan::at_line_begin(text_, found)) {
            hidden_close_ = found;
            hidden_size_ = markers.close.size();
            return;
        }
    }
}

void ReasoningSplitter::scan(bool complete) {
    advance(complete);
    shown_end_ = position_;
    if (position_ < text_.size() &&
        text_[position_] == '`') // open code holds back only what may be a marker
        shown_end_ = std::min(text_.find_first_of("<[", position_), text_.size());
}

void ReasoningSplitter::advance(bool complete) {
    while (position_ < text_.size()) {
        const bool was_in_fence = code_.in_fence();
        const std::size_t skip = code_.step(text_, position_, complete);
        if (skip == CodeScan::kMore)
            return;
        if (skip > 0) {
            if (was_in_fence)
                note_hidden_close(position_, skip);
            if (was_in_fence && !code_.in_fence())
                hidden_close_ = std::string::npos; // the block ended: it was code
            position_ += skip;
            continue;
        }
        if (text_[position_] != '<' && text_[position_] != '[') {
            ++position_;
            continue;
        }
        std::size_t size = 0;
        if (scan_marker(complete, size))
            continue;
        if (size == 0)
            return;
        position_ += size;
    }
}

SplitAnswer split_answer(std::string_view answer, bool starts_in_reasoning) {
    ReasoningSplitter splitter(starts_in_reasoning);
    splitter.push(answer);
    splitter.finish();
    SplitAnswer out;
    for (const AnswerPart& part : splitter.parts()) {
        const std::string_view text =
            std::string_view(splitter.text()).substr(part.begin, part.end - part.begin);
        append_paragraph(part.kind == AnswerPart::Kind::Reasoning ? out.reasoning : out.text, text);
        out.unclosed = out.unclosed || !part.closed;
    }
    return out;
}

} // namespace alcove
