#pragma once

#include "engine/text/code_scan.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {

/// What a model puts around its reasoning.
struct ReasoningMarkers {
    std::string_view open, close;
};
std::span<const ReasoningMarkers> reasoning_markers();

/// True if a rendered prompt ends inside reasoning: its last text opens some ("…<think>\n"), so
/// that the answer begins with reasoning.
bool prompt_opens_reasoning(std::string_view prompt);

struct AnswerPart {
    enum class Kind : std::uint8_t { Text, Reasoning } kind = Kind::Text;
    std::size_t begin = 0, end = 0; ///< bytes of the answer, without the markers
    bool closed = true;             ///< false: reasoning whose end has not come
};

/// Splits an answer into reasoning and text while it grows.
/// An opening marker counts at the begin of a line; any marker inside code is text. A closing
/// marker at the begin of a line without an opening one makes what stands before it reasoning: then
/// the prompt had opened it. What could be the begin of a marker waits for the next text, so that
/// half a marker is never shown.
class ReasoningSplitter {
public:
    explicit ReasoningSplitter(bool starts_in_reasoning = false);

    void push(std::string_view text);
    /// No more text comes. Reasoning that is still open ends here, with `closed` false; where an
    /// unclosed code block hides a closing marker, the marker counts after all.
    void finish();

    const std::string& text() const { return text_; }
    /// Parts in order, empty ones left out. The last one grows; bytes that wait are in none.
    std::vector<AnswerPart> parts() const;

private:
    void scan(bool complete);
    void advance(bool complete);
    bool scan_marker(bool complete, std::size_t& size);
    void begin_part(AnswerPart::Kind kind, std::size_t end_of_last, std::size_t begin);
    void close_reasoning(std::size_t marker, std::size_t size);
    void note_hidden_close(std::size_t pos, std::size_t size);

    std::string text_;
    std::vector<AnswerPart> parts_; // the last one is open
    CodeScan code_;
    std::size_t position_ = 0;
    std::size_t shown_end_ = 0;                    // of the open part
    std::size_t hidden_close_ = std::string::npos; // in the present code block
    std::size_t hidden_size_ = 0;
    std::string_view close_; // of the reasoning that is open; empty: any
};

/// The whole of a finished answer at once.
struct SplitAnswer {
    std::string reasoning; ///< without white space at its ends; several pieces stand in paragraphs
                           ///< of their own
    std::string text;      ///< likewise
    bool unclosed = false; ///< the reasoning had no end
};
SplitAnswer split_answer(std::string_view answer, bool starts_in_reasoning = false);

} // namespace alcove
