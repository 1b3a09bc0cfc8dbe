#pragma once

#include "engine/text/tokenizer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace alcove {

/// Finds the names of special tokens in a text, longest first: a trie over their bytes. A text
/// without such names costs one table look-up per byte, however many thousand tokens there are.
/// Immutable once filled.
class SpecialMatcher {
public:
    /// A limit against hostile files: the cost of a match is bounded by it.
    static constexpr std::size_t kMaxNameBytes = 512;

    SpecialMatcher();

    /// `name` must not be empty; of equal names the first stays. `marker`: recognised only where
    /// the text is trusted.
    void add(std::string_view name, TokenId id, bool marker);

    struct Match {
        TokenId id = -1; ///< −1: none begins here
        std::size_t length = 0;
    };
    /// The longest name that begins at `text[position]`. Markers count only while they end at or
    /// before `trusted_until`, the end of the trusted range that contains `position` (`position` or
    /// less if there is none).
    Match match(std::string_view text, std::size_t position,
                std::size_t trusted_until) const noexcept;

    bool empty() const noexcept { return nodes_.size() == 1; }

private:
    struct Node {
        TokenId plain = -1;            // user-defined token that ends here
        TokenId marker = -1;           // control or unknown token that ends here
        std::uint32_t first_child = 0; // 0: none; the root is nobody's child
        std::uint32_t sibling = 0;
        unsigned char byte = 0;
    };
    std::uint32_t child_of(std::uint32_t node, unsigned char byte) const noexcept;

    std::vector<Node> nodes_;
    std::array<std::uint32_t, 256> roots_{}; // child of the root for each first byte
};

} // namespace alcove
