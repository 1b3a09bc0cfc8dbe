#pragma once

#include "engine/text/text_segment.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace alcove::jinja {

/// UTF-8 text that knows of every byte whether it came from data (a message, a tool, any variable)
/// or from the template's own text. Kept as the origin of the first byte and the ascending offsets
/// where the origin changes, so that the usual text of one origin costs nothing extra.
class MarkedText {
public:
    MarkedText() = default;
    MarkedText(std::string text, bool from_data)
        : bytes_(std::move(text)), first_(from_data && !bytes_.empty()), last_(first_) {}

    std::string_view view() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }

    void append(std::string_view text, bool from_data);
    void append(const MarkedText& text);
    /// Bytes [pos, pos + size) of `text` with their origins.
    void append_range(const MarkedText& text, std::size_t pos, std::size_t size);
    MarkedText slice(std::size_t pos, std::size_t size) const;

    bool any_data() const { return first_ || !changes_.empty(); }
    /// Origin of the byte at `pos` < size().
    bool from_data(std::size_t pos) const;
    /// First offset behind `pos` where the origin changes, or size().
    std::size_t run_end(std::size_t pos) const;

    /// Bytes held, for the memory limit.
    std::size_t memory() const {
        return bytes_.capacity() + changes_.capacity() * sizeof(std::size_t);
    }
    void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
    /// Drops spare capacity once the text is complete.
    void shrink() {
        if (bytes_.capacity() > bytes_.size() + bytes_.size() / 4 + 64)
            bytes_.shrink_to_fit();
    }
    TextSegments segments() const;

private:
    std::string bytes_;
    bool first_ = false; // origin of the first byte
    bool last_ = false;  // origin of the last byte
    std::vector<std::size_t> changes_;
};

} // namespace alcove::jinja
