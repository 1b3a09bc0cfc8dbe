#include "engine/text/byte_trie.h"

#include <algorithm>

namespace alcove {

ByteTrie::ByteTrie(std::vector<std::pair<std::string_view, TokenId>> entries) {
    std::erase_if(entries, [](const auto& entry) { return entry.first.empty(); });
    std::sort(entries.begin(), entries.end());
    struct Range {
        std::size_t begin, end, depth;
    };
    // Breadth first: when a node is met, all its strings share `depth` bytes, and its children get
    // the next places.
    std::vector<Range> ranges{{0, entries.size(), 0}};
    for (std::size_t index = 0; index < ranges.size(); ++index) {
        auto [begin, end, depth] = ranges[index];
        nodes_[index].first_id = static_cast<std::uint32_t>(ids_.size());
        while (begin < end && entries[begin].first.size() == depth)
            ids_.push_back(entries[begin++].second);
        nodes_[index].n_ids = static_cast<std::uint32_t>(ids_.size()) - nodes_[index].first_id;
        nodes_[index].first_child = static_cast<std::uint32_t>(nodes_.size());
        while (begin < end) {
            const char byte = entries[begin].first[depth];
            std::size_t next = begin;
            while (next < end && entries[next].first[depth] == byte)
                ++next;
            Node child;
            child.byte = static_cast<std::uint8_t>(byte);
            nodes_.push_back(child);
            ranges.push_back({begin, next, depth + 1});
            ++nodes_[index].n_children;
            begin = next;
        }
    }
}

std::uint32_t ByteTrie::child(std::uint32_t index, unsigned char byte) const noexcept {
    const Node& parent = nodes_[index];
    std::uint32_t low = parent.first_child;
    std::uint32_t high = low + parent.n_children;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (nodes_[middle].byte < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low < parent.first_child + parent.n_children && nodes_[low].byte == byte ? low : kNone;
}

} // namespace alcove
