#include "engine/text/tokenizer_merge_table.h"

#include "engine/format/gguf_file.h"

#include <fmt/format.h>

#include <bit>
#include <string>

namespace alcove {

Result<MergeTable> MergeTable::read(const GgufFile& file, Vocabulary& vocabulary) {
    constexpr std::string_view kKey = "tokenizer.ggml.merges";
    const GgufValue* value = file.find(kKey);
    if (value == nullptr)
        return tokenizer_error(
            fmt::format("{}: {} is missing, expected the merges of a {} vocabulary",
                        vocabulary.file_name, kKey, vocabulary.model));
    const auto* array = std::get_if<std::shared_ptr<const GgufArray>>(&value->value);
    if (array == nullptr || *array == nullptr ||
        ((*array)->size > 0 && (*array)->element_type != GgufValueType::String))
        return tokenizer_error(
            fmt::format("{}: {} is not an array of strings", vocabulary.file_name, kKey));
    static const std::vector<std::string_view> kNone;
    const auto* strings = std::get_if<std::vector<std::string_view>>(&(*array)->elements);
    const auto& merges = strings == nullptr ? kNone : *strings;
    if (merges.size() >= MergeCandidate::kNone)
        return tokenizer_error(fmt::format("{}: {} has {} entries, more than ranks can number",
                                           vocabulary.file_name, kKey, merges.size()));

    MergeTable table;
    table.slots_.resize(std::bit_ceil(merges.size() * 2 + 2));
    const std::size_t mask = table.slots_.size() - 1;
    std::size_t unusable = 0;
    std::string joined;
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const std::string_view merge = merges[rank];
        const std::size_t space = merge.find(' ', 1);
        if (space == std::string_view::npos || space + 1 == merge.size())
            return tokenizer_error(
                fmt::format("{}: {}[{}] is {}, expected two pieces with a space between them",
                            vocabulary.file_name, kKey, rank, quote_for_message(merge)));
        const std::string_view left = merge.substr(0, space);
        const std::string_view right = merge.substr(space + 1);
        const TokenId left_id = vocabulary.find_text(left);
        const TokenId right_id = left_id < 0 ? -1 : vocabulary.find_text(right);
        if (right_id < 0) {
            ++unusable;
            continue;
        }
        joined.assign(left).append(right);
        const TokenId joined_id = vocabulary.find_text(joined);
        if (joined_id < 0) {
            ++unusable;
            continue;
        }
        const std::uint64_t pair = pair_of(left_id, right_id);
        std::size_t at = hash_pair(pair) & mask;
        while (table.slots_[at].merged.id >= 0 && table.slots_[at].pair != pair)
            at = (at + 1) & mask;
        if (table.slots_[at].merged.id < 0)
            table.slots_[at] = {pair, {static_cast<std::uint32_t>(rank), joined_id}};
    }
    if (unusable > 0)
        vocabulary.warnings.push_back(
            fmt::format("{} of the {} merges name pieces that the vocabulary does not have",
                        unusable, merges.size()));
    return table;
}

MergeCandidate MergeTable::find(TokenId left, TokenId right) const noexcept {
    const std::uint64_t pair = pair_of(left, right);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash_pair(pair) & mask; slots_[at].merged.id >= 0; at = (at + 1) & mask)
        if (slots_[at].pair == pair)
            return slots_[at].merged;
    return {};
}

} // namespace alcove
