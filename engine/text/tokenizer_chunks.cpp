#include "engine/text/tokenizer_chunks.h"

#include "engine/text/tokenizer_vocabulary.h"
#include "engine/text/utf8.h"

namespace alcove {

namespace {

constexpr unsigned kBitsLog2 = 22; // 512 KiB; under 1 % errors for the pairs of 256,000 tokens

struct Places {
    std::uint64_t first, second;
};

Places places_of(char32_t left, char32_t right) noexcept {
    const std::uint64_t hash = hash_pair(static_cast<std::uint64_t>(left) << 32U | right);
    return {hash & ((1U << kBitsLog2) - 1), hash >> (64U - kBitsLog2)};
}

} // namespace

JoinFilter::JoinFilter() : bits_((1U << kBitsLog2) / 64) {}

void JoinFilter::add(std::string_view piece) {
    if (piece.empty())
        return;
    std::size_t position = 0;
    char32_t left = utf8_next(piece, position);
    while (position < piece.size()) {
        const char32_t right = utf8_next(piece, position);
        const Places at = places_of(left, right);
        bits_[at.first / 64] |= std::uint64_t{1} << (at.first % 64);
        bits_[at.second / 64] |= std::uint64_t{1} << (at.second % 64);
        left = right;
    }
}

bool JoinFilter::may_join(char32_t left, char32_t right) const noexcept {
    const Places at = places_of(left, right);
    return (bits_[at.first / 64] >> (at.first % 64) & 1U) != 0 &&
           (bits_[at.second / 64] >> (at.second % 64) & 1U) != 0;
}

std::size_t JoinFilter::chunk_end(std::string_view text, std::size_t begin) const noexcept {
    std::size_t position = begin;
    char32_t left = utf8_next(text, position);
    while (position < text.size()) {
        const std::size_t end = position;
        const char32_t right = utf8_next(text, position);
        if (!may_join(left, right))
            return end;
        left = right;
    }
    return text.size();
}

} // namespace alcove
