#include "engine/text/tokenizer_base.h"

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>

namespace alcove {

TokenizerBase::TokenizerBase(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

Status TokenizerBase::index_special_tokens() {
    // Phi-3's tokenizer drops white space after its control tokens, which the format cannot record;
    // the model's name is all that tells. Three names are exempt there.
    const bool phi3 = vocabulary_.name.find("phi-3") != std::string::npos ||
                      vocabulary_.name.find("phi3") != std::string::npos;
    if (phi3)
        eats_space_.assign(static_cast<std::size_t>(vocabulary_.size()), false);
    for (TokenId id = 0; id < vocabulary_.size(); ++id) {
        const bool marker = vocabulary_.is_marker(id);
        if (!marker && vocabulary_.kind(id) != TokenKind::UserDefined)
            continue;
        const std::string_view name = vocabulary_.piece(id);
        if (name.empty())
            continue;
        if (name.size() > SpecialMatcher::kMaxNameBytes)
            return tokenizer_error(fmt::format(
                "{}: tokenizer.ggml.tokens[{}] is a special token of {} bytes, expected at most {}",
                vocabulary_.file_name, id, name.size(), SpecialMatcher::kMaxNameBytes));
        specials_.add(name, id, marker);
        if (phi3)
            eats_space_[static_cast<std::size_t>(id)] =
                name != "<s>" && name != "<unk>" && name != "<|endoftext|>";
    }
    return ok();
}

void TokenizerBase::encode_text(std::string_view text, const TrustedRanges& trusted,
                                std::vector<TokenId>& out) const {
    EncodeScratch scratch;
    scratch.cache_words = text.size() >= 4096;
    auto range = trusted.begin();
    std::size_t fragment = 0; // begin of the plain text not yet encoded
    bool fresh = true;
    const auto flush = [&](std::size_t end) {
        if (end > fragment) {
            encode_fragment(text.substr(fragment, end - fragment), fresh, scratch, out);
            fresh = false;
        }
    };
    for (std::size_t position = 0; position < text.size();) {
        while (range != trusted.end() && range->second <= position)
            ++range;
        const std::size_t trusted_until =
            range != trusted.end() && range->first <= position ? range->second : 0;
        const SpecialMatcher::Match match = specials_.match(text, position, trusted_until);
        if (match.id < 0) {
            ++position;
            continue;
        }
        flush(position);
        out.push_back(match.id);
        fresh = true;
        position += match.length;
        if (!eats_space_.empty() && eats_space_[static_cast<std::size_t>(match.id)]) {
            while (position < text.size()) {
                std::size_t next = position;
                if (!is_unicode_space(utf8_next(text, next)))
                    break;
                position = next;
            }
        }
        fragment = position;
    }
    flush(text.size());
}

std::vector<TokenId> TokenizerBase::encode(std::string_view text, EncodeOptions options) const {
    std::string repaired;
    if (!utf8_is_valid(text)) {
        repaired = utf8_repair(text);
        text = repaired;
    }
    std::vector<TokenId> out;
    if (options.add_special && add_bos_ && vocabulary_.bos >= 0)
        out.push_back(vocabulary_.bos);
    TrustedRanges trusted;
    if (options.parse_special)
        trusted.emplace_back(0, text.size());
    encode_text(text, trusted, out);
    if (options.add_special && add_eos_ && vocabulary_.eos >= 0)
        out.push_back(vocabulary_.eos);
    return out;
}

std::vector<TokenId> TokenizerBase::encode_prompt(std::span<const TextSegment> segments,
                                                  bool add_special) const {
    std::string text;
    TrustedRanges trusted;
    for (const TextSegment& segment : segments) {
        const std::size_t begin = text.size();
        // Repaired one by one: bytes of a message never complete a character of the template.
        if (utf8_is_valid(segment.text))
            text += segment.text;
        else
            text += utf8_repair(segment.text);
        if (segment.from_data || text.size() == begin)
            continue;
        if (!trusted.empty() && trusted.back().second == begin)
            trusted.back().second = text.size();
        else
            trusted.emplace_back(begin, text.size());
    }
    std::vector<TokenId> out;
    encode_text(text, trusted, out);
    if (!add_special)
        return out;
    const TokenId bos = vocabulary_.bos;
    if (add_bos_ && bos >= 0 && (out.empty() || out.front() != bos))
        out.insert(out.begin(), bos);
    const TokenId eos = vocabulary_.eos;
    if (add_eos_ && eos >= 0 && (out.empty() || out.back() != eos))
        out.push_back(eos);
    return out;
}

std::string TokenizerBase::token_bytes(TokenId id, bool special) const {
    if (!vocabulary_.contains(id))
        return {};
    switch (vocabulary_.kind(id)) {
    case TokenKind::Control:
    case TokenKind::Unknown:
        return special ? std::string(vocabulary_.piece(id)) : std::string();
    case TokenKind::Byte:
        if (const int byte = byte_of_piece(vocabulary_.piece(id)); byte >= 0)
            return {static_cast<char>(byte)};
        return std::string(vocabulary_.piece(id));
    default:
        return text_of(id);
    }
}

std::string TokenizerBase::decode(std::span<const TokenId> ids, bool special) const {
    std::string out;
    bool first = strips_first_space_;
    for (const TokenId id : ids) {
        const std::string bytes = token_bytes(id, special);
        const bool strip = first && vocabulary_.contains(id) && !vocabulary_.is_marker(id);
        if (strip)
            first = false;
        out.append(bytes, strip && !bytes.empty() && bytes[0] == ' ' ? 1 : 0);
    }
    return utf8_is_valid(out) ? out : utf8_repair(out);
}

std::string_view TokenizerBase::piece(TokenId id) const {
    return vocabulary_.contains(id) ? vocabulary_.piece(id) : std::string_view();
}

TokenKind TokenizerBase::kind(TokenId id) const {
    return vocabulary_.contains(id) ? vocabulary_.kind(id) : TokenKind::Unused;
}

bool TokenizerBase::is_end_of_generation(TokenId id) const {
    return vocabulary_.contains(id) && vocabulary_.ends_generation[static_cast<std::size_t>(id)];
}

int byte_of_piece(std::string_view piece) noexcept {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>')
        return -1;
    int value = 0;
    for (const char c : piece.substr(3, 2)) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

} // namespace alcove
