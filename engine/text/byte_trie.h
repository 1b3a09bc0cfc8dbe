#pragma once

#include "engine/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove {

/// A trie over byte strings with an id each, laid out in one array: children of a node are
/// neighbours, sorted by byte. Immutable once built. Used for the longest and all matches at a
/// place, and to walk a whole vocabulary at once.
class ByteTrie {
public:
    struct Node {
        std::uint32_t first_child = 0; ///< index of the first child; the others follow
        std::uint16_t n_children = 0;
        std::uint8_t byte = 0; ///< the byte that leads here
        std::uint32_t first_id =
            0; ///< ids of the strings that end here: first_id … first_id + n_ids
        std::uint32_t n_ids = 0;
    };

    ByteTrie() = default;
    /// `entries` need not be sorted and may hold equal strings; empty strings are left out. The
    /// bytes are copied.
    explicit ByteTrie(std::vector<std::pair<std::string_view, TokenId>> entries);

    static constexpr std::uint32_t kRoot = 0;
    static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

    const Node& node(std::uint32_t index) const noexcept { return nodes_[index]; }
    std::span<const TokenId> ids(const Node& node) const noexcept {
        return std::span<const TokenId>(ids_).subspan(node.first_id, node.n_ids);
    }
    /// The child of `index` by `byte`, or kNone.
    std::uint32_t child(std::uint32_t index, unsigned char byte) const noexcept;
    std::size_t size() const noexcept { return nodes_.size(); }

private:
    std::vector<Node> nodes_{Node{}};
    std::vector<TokenId> ids_;
};

} // namespace alcove
