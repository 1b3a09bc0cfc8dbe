#pragma once

#include "engine/text/tokenizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

/// The merging at the heart of byte-pair encoding and of SPM: again and again the best adjacent
/// pair becomes one symbol, ties go to the leftmost. O(n log n) for n symbols.
namespace alcove {

struct MergeSymbol {
    TokenId id = -1;          ///< −1: no token stands for it
    std::uint32_t begin = 0;  ///< place in the text, where the kind needs it
    std::uint32_t length = 0; ///< bytes; 0 once merged into its left neighbour
    std::int32_t prev = -1, next = -1;
    std::uint32_t stamp = 0; ///< changes whenever the symbol does
};

/// What merging two symbols would give. Lower keys go first.
struct MergeCandidate {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t key = kNone;
    TokenId id = -1;
};

/// Buffers of `merge_symbols`, kept by the caller to save allocations. `symbols` is input and
/// result.
struct MergeScratch {
    struct Pending {
        std::uint64_t order = 0; // key, then position of the left symbol
        std::uint32_t left_stamp = 0, right_stamp = 0;
        TokenId id = -1;
        bool operator<(const Pending& other) const noexcept {
            return order > other.order;
        } // for a min-heap
    };
    std::vector<MergeSymbol> symbols;
    std::vector<Pending> heap;
    std::vector<MergeCandidate> candidates;
};

namespace detail {

/// Few symbols: scanning for the minimum beats a heap.
template <typename Candidate> void merge_few(MergeScratch& scratch, const Candidate& candidate) {
    auto& symbols = scratch.symbols;
    auto& pairs = scratch.candidates; // pairs[i]: symbols[i] with symbols[i + 1]
    std::size_t n = symbols.size();
    pairs.resize(n);
    for (std::size_t i = 0; i + 1 < n; ++i)
        pairs[i] = candidate(symbols[i], symbols[i + 1]);
    while (n > 1) {
        std::size_t best = 0;
        for (std::size_t i = 1; i + 1 < n; ++i)
            if (pairs[i].key < pairs[best].key)
                best = i;
        if (pairs[best].key == MergeCandidate::kNone)
            break;
        symbols[best].id = pairs[best].id;
        symbols[best].length += symbols[best + 1].length;
        std::copy(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 2,
                  symbols.begin() + static_cast<std::ptrdiff_t>(n),
                  symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        std::copy(pairs.begin() + static_cast<std::ptrdiff_t>(best) + 2,
                  pairs.begin() + static_cast<std::ptrdiff_t>(n),
                  pairs.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        --n;
        if (best > 0)
            pairs[best - 1] = candidate(symbols[best - 1], symbols[best]);
        if (best + 1 < n)
            pairs[best] = candidate(symbols[best], symbols[best + 1]);
    }
    symbols.resize(n);
}

template <typename Candidate> void merge_many(MergeScratch& scratch, const Candidate& candidate) {
    auto& symbols = scratch.symbols;
    auto& heap = scratch.heap;
    heap.clear();
    const auto n = static_cast<std::int32_t>(symbols.size());
    const auto at = [&symbols](std::int32_t i) -> MergeSymbol& {
        return symbols[static_cast<std::size_t>(i)];
    };
    const auto propose = [&](std::int32_t left) {
        const MergeCandidate found = candidate(at(left), at(at(left).next));
        if (found.key == MergeCandidate::kNone)
            return false;
        heap.push_back(
            {static_cast<std::uint64_t>(found.key) << 32U | static_cast<std::uint32_t>(left),
             at(left).stamp, at(at(left).next).stamp, found.id});
        return true;
    };
    for (std::int32_t i = 0; i < n; ++i) {
        at(i).prev = i - 1;
        at(i).next = i + 1 < n ? i + 1 : -1;
        at(i).stamp = 0;
    }
    for (std::int32_t i = 0; i + 1 < n; ++i)
        propose(i);
    std::make_heap(heap.begin(), heap.end());
    while (!heap.empty()) {
        std::pop_heap(heap.begin(), heap.end());
        const MergeScratch::Pending top = heap.back();
        heap.pop_back();
        const auto left = static_cast<std::int32_t>(top.order & 0xFFFFFFFFU);
        MergeSymbol& symbol = at(left);
        if (symbol.length == 0 || symbol.stamp != top.left_stamp || symbol.next < 0 ||
            at(symbol.next).stamp != top.right_stamp)
            continue;
        MergeSymbol& right = at(symbol.next);
        symbol.id = top.id;
        symbol.length += right.length;
        ++symbol.stamp;
        right.length = 0;
        ++right.stamp;
        symbol.next = right.next;
        if (symbol.next >= 0)
            at(symbol.next).prev = left;
        if (symbol.next >= 0 && propose(left))
            std::push_heap(heap.begin(), heap.end());
        if (symbol.prev >= 0 && propose(symbol.prev))
            std::push_heap(heap.begin(), heap.end());
    }
    symbols.erase(std::remove_if(symbols.begin(), symbols.end(),
                                 [](const MergeSymbol& s) { return s.length == 0; }),
                  symbols.end());
}

} // namespace detail

/// Merges `scratch.symbols` (each with a length of at least 1) in place. `candidate(left, right)`
/// says what a pair gives.
template <typename Candidate>
void merge_symbols(MergeScratch& scratch, const Candidate& candidate) {
    constexpr std::size_t kFew = 40;
    if (scratch.symbols.size() <= kFew)
        detail::merge_few(scratch, candidate);
    else
        detail::merge_many(scratch, candidate);
}

/// Results of words met before in the same text: a direct-mapped table into the ids written so far.
/// Natural text repeats most of its words.
class WordCache {
public:
    /// Appends the ids of `word` if it is known.
    bool lookup(std::string_view word, std::uint64_t hash, std::vector<TokenId>& out) const;
    /// Remembers that `out` from `begin` to its end are the ids of `word`.
    void store(std::string_view word, std::uint64_t hash, std::size_t begin,
               const std::vector<TokenId>& out);
    static bool takes(std::string_view word) noexcept { return word.size() <= kMaxBytes; }

private:
    static constexpr std::size_t kMaxBytes = 23;
    static constexpr std::size_t kSlots = 4096;
    struct Slot {
        char text[kMaxBytes];
        std::uint8_t size;
        std::uint32_t begin;
        std::uint32_t count;
    };
    std::vector<Slot> slots_;
};

} // namespace alcove
