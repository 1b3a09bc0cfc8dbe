#pragma once

#include "engine/text/tokenizer_merge.h"
#include "engine/text/tokenizer_vocabulary.h"

#include <cstdint>
#include <vector>

namespace alcove {

/// The merges of a BPE vocabulary: two ids to rank and joined id. Immutable once read.
class MergeTable {
public:
    /// Reads `tokenizer.ggml.merges`. Errc::Tokenizer if they are missing or one is not two pieces.
    /// Merges that name pieces the vocabulary lacks can never apply and are left out; `vocabulary`
    /// gets a warning with their number.
    static Result<MergeTable> read(const GgufFile& file, Vocabulary& vocabulary);

    MergeCandidate find(TokenId left, TokenId right) const noexcept;

private:
    static std::uint64_t pair_of(TokenId left, TokenId right) noexcept {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U |
               static_cast<std::uint32_t>(right);
    }
    struct Slot {
        std::uint64_t pair = 0;
        MergeCandidate merged;
    };
    std::vector<Slot> slots_; // open addressing, a power of two, at most half full
};

} // namespace alcove
