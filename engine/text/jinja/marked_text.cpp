#include "engine/text/jinja/marked_text.h"

#include <algorithm>

namespace alcove::jinja {

void MarkedText::append(std::string_view text, bool from_data) {
    if (text.empty())
        return;
    if (bytes_.empty())
        first_ = from_data;
    else if (last_ != from_data)
        changes_.push_back(bytes_.size());
    last_ = from_data;
    bytes_.append(text);
}

void MarkedText::append(const MarkedText& text) {
    if (text.empty())
        return;
    const std::size_t base = bytes_.size();
    if (base == 0)
        first_ = text.first_;
    else if (last_ != text.first_)
        changes_.push_back(base);
    for (const std::size_t change : text.changes_)
        changes_.push_back(base + change);
    last_ = text.last_;
    bytes_.append(text.bytes_);
}

void MarkedText::append_range(const MarkedText& text, std::size_t pos, std::size_t size) {
    const std::size_t end = pos + size;
    while (pos < end) {
        const std::size_t stop = std::min(end, text.run_end(pos));
        append(text.view().substr(pos, stop - pos), text.from_data(pos));
        pos = stop;
    }
}

MarkedText MarkedText::slice(std::size_t pos, std::size_t size) const {
    MarkedText out;
    out.append_range(*this, pos, size);
    return out;
}

bool MarkedText::from_data(std::size_t pos) const {
    if (changes_.empty())
        return first_;
    const auto n = std::upper_bound(changes_.begin(), changes_.end(), pos) - changes_.begin();
    return first_ != (n % 2 != 0);
}

std::size_t MarkedText::run_end(std::size_t pos) const {
    const auto found = std::upper_bound(changes_.begin(), changes_.end(), pos);
    return found == changes_.end() ? bytes_.size() : *found;
}

TextSegments MarkedText::segments() const {
    TextSegments out;
    for (std::size_t pos = 0; pos < bytes_.size();) {
        const std::size_t end = run_end(pos);
        out.push_back({bytes_.substr(pos, end - pos), from_data(pos)});
        pos = end;
    }
    return out;
}

} // namespace alcove::jinja
