#include "engine/text/tokenizer_special.h"

namespace alcove {

SpecialMatcher::SpecialMatcher() : nodes_(1) {}

std::uint32_t SpecialMatcher::child_of(std::uint32_t node, unsigned char byte) const noexcept {
    std::uint32_t child = nodes_[node].first_child;
    while (child != 0 && nodes_[child].byte != byte)
        child = nodes_[child].sibling;
    return child;
}

void SpecialMatcher::add(std::string_view name, TokenId id, bool marker) {
    std::uint32_t node = 0;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        std::uint32_t child = node == 0 ? roots_[byte] : child_of(node, byte);
        if (child == 0) {
            child = static_cast<std::uint32_t>(nodes_.size());
            Node fresh;
            fresh.byte = byte;
            if (node != 0) {
                fresh.sibling = nodes_[node].first_child;
                nodes_[node].first_child = child;
            } else {
                roots_[byte] = child;
            }
            nodes_.push_back(fresh);
        }
        node = child;
    }
    TokenId& slot = marker ? nodes_[node].marker : nodes_[node].plain;
    if (slot < 0)
        slot = id;
}

SpecialMatcher::Match SpecialMatcher::match(std::string_view text, std::size_t position,
                                            std::size_t trusted_until) const noexcept {
    Match best;
    std::uint32_t node = roots_[static_cast<unsigned char>(text[position])];
    for (std::size_t end = position + 1; node != 0; ++end) {
        const Node& at = nodes_[node];
        if (at.marker >= 0 && end <= trusted_until)
            best = {at.marker, end - position};
        else if (at.plain >= 0)
            best = {at.plain, end - position};
        if (end == text.size())
            break;
        node = child_of(node, static_cast<unsigned char>(text[end]));
    }
    return best;
}

} // namespace alcove
