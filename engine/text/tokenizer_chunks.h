#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace alcove {

/// Knows which characters stand side by side inside some token. Where two neighbours of a text
/// never do, no merge can cross, so the text may be cut there without changing the result: what
/// makes vocabularies without pre-tokenizer fast. May err towards "they might join", never the
/// other way.
class JoinFilter {
public:
    JoinFilter();
    /// Notes all neighbours in `piece`, a token that merging can produce.
    void add(std::string_view piece);
    bool may_join(char32_t left, char32_t right) const noexcept;

    /// End of the chunk of `text` (valid UTF-8) that begins at `begin`.
    std::size_t chunk_end(std::string_view text, std::size_t begin) const noexcept;

private:
    std::vector<std::uint64_t> bits_; // a Bloom filter with two hashes
};

} // namespace alcove
