#include "engine/text/tokenizer_merge.h"

#include <cstring>

namespace alcove {

bool WordCache::lookup(std::string_view word, std::uint64_t hash, std::vector<TokenId>& out) const {
    if (slots_.empty())
        return false;
    const Slot& slot = slots_[hash % kSlots];
    if (slot.size != word.size() || word.empty() ||
        std::memcmp(slot.text, word.data(), word.size()) != 0)
        return false;
    const std::size_t begin = out.size();
    out.resize(begin + slot.count);
    std::copy_n(out.begin() + slot.begin, slot.count,
                out.begin() + static_cast<std::ptrdiff_t>(begin));
    return true;
}

void WordCache::store(std::string_view word, std::uint64_t hash, std::size_t begin,
                      const std::vector<TokenId>& out) {
    if (out.size() > std::numeric_limits<std::uint32_t>::max())
        return;
    if (slots_.empty())
        slots_.resize(kSlots);
    Slot& slot = slots_[hash % kSlots];
    std::memcpy(slot.text, word.data(), word.size());
    slot.size = static_cast<std::uint8_t>(word.size());
    slot.begin = static_cast<std::uint32_t>(begin);
    slot.count = static_cast<std::uint32_t>(out.size() - begin);
}

} // namespace alcove
