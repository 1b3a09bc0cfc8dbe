#include "engine/format/gguf_file.h"
#include "engine/text/tokenizer_base.h"
#include "engine/text/tokenizer_chunks.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <unordered_map>

namespace alcove {

namespace {

constexpr std::string_view kBlank = "\u2581";

/// A key that sorts scores downwards as unsigned integers.
std::uint32_t key_of_score(float score) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(score);
    const std::uint32_t ascending = (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
    return ~ascending;
}

/// SentencePiece's BPE (`llama`): no list of merges; two neighbours may join where the joined text
/// is a token, the highest score first. Spaces are U+2581; characters outside the vocabulary become
/// byte tokens.
class SpmTokenizer final : public TokenizerBase {
public:
    explicit SpmTokenizer(Vocabulary vocabulary) : TokenizerBase(std::move(vocabulary)) {
        add_bos_ = vocabulary_.add_bos.value_or(true);
        add_eos_ = vocabulary_.add_eos.value_or(false);
        space_prefix_ = strips_first_space_ = vocabulary_.add_space_prefix.value_or(true);
        byte_ids_.fill(-1);
        for (TokenId id = 0; id < vocabulary_.size(); ++id) {
            const TokenKind kind = vocabulary_.kind(id);
            if (is_mergeable(id))
                joins_.add(vocabulary_.piece(id));
            else if (const int byte = byte_of_piece(vocabulary_.piece(id));
                     kind == TokenKind::Byte && byte >= 0)
                byte_ids_[static_cast<std::size_t>(byte)] = id;
        }
    }
    using TokenizerBase::index_special_tokens;

protected:
    void encode_fragment(std::string_view text, bool fresh, EncodeScratch& scratch,
                         std::vector<TokenId>& out) const override {
        std::string& blanked = scratch.text;
        blanked.assign(space_prefix_ && fresh ? kBlank : std::string_view());
        for (const char c : text)
            if (c == ' ')
                blanked.append(kBlank);
            else
                blanked.push_back(c);
        const std::string_view whole = blanked;
        for (std::size_t begin = 0; begin < whole.size();) {
            const std::size_t end = joins_.chunk_end(whole, begin);
            encode_chunk(whole.substr(begin, end - begin), scratch, out);
            begin = end;
        }
    }

    std::string text_of(TokenId id) const override {
        std::string text;
        const std::string_view piece = vocabulary_.piece(id);
        for (std::size_t i = 0; i < piece.size();) {
            const bool blank = piece.substr(i).starts_with(kBlank);
            text.push_back(blank ? ' ' : piece[i]);
            i += blank ? kBlank.size() : 1;
        }
        return text;
    }

private:
    using Splits =
        std::unordered_map<TokenId, std::uint32_t>; // unused token to the length of its left half

    bool is_mergeable(TokenId id) const noexcept {
        return vocabulary_.kind(id) == TokenKind::Normal ||
               vocabulary_.kind(id) == TokenKind::Unused;
    }

    TokenId mergeable(std::string_view text) const noexcept {
        const TokenId id = vocabulary_.find_text(text);
        return id >= 0 && is_mergeable(id) ? id : -1;
    }

    void encode_chunk(std::string_view chunk, EncodeScratch& scratch,
                      std::vector<TokenId>& out) const {
        const bool cached = scratch.cache_words && WordCache::takes(chunk);
        const std::uint64_t hash = cached ? hash_text(chunk) : 0;
        if (cached && scratch.words.lookup(chunk, hash, out))
            return;
        const std::size_t begin = out.size();
        auto& symbols = scratch.merge.symbols;
        symbols.clear();
        for (std::size_t i = 0; i < chunk.size();) {
            MergeSymbol symbol;
            symbol.begin = static_cast<std::uint32_t>(i);
            symbol.length = static_cast<std::uint32_t>(utf8_length(chunk[i]));
            symbol.id = mergeable(chunk.substr(i, symbol.length));
            i += symbol.length;
            symbols.push_back(symbol);
        }
        Splits splits;
        merge_symbols(scratch.merge, [&](const MergeSymbol& left, const MergeSymbol& right) {
            const std::size_t length = std::size_t{left.length} + right.length;
            if (length > vocabulary_.longest_piece())
                return MergeCandidate{};
            const TokenId id = mergeable(chunk.substr(left.begin, length));
            if (id < 0)
                return MergeCandidate{};
            if (vocabulary_.kind(id) == TokenKind::Unused)
                splits[id] = left.length;
            return MergeCandidate{key_of_score(vocabulary_.scores[static_cast<std::size_t>(id)]),
                                  id};
        });
        for (const MergeSymbol& symbol : symbols)
            emit(chunk.substr(symbol.begin, symbol.length), symbol.id, splits, out);
        if (cached)
            scratch.words.store(chunk, hash, begin, out);
    }

    /// Writes the token of `text`. Unused tokens serve as steps of merging only and are taken apart
    /// again; what has no token becomes bytes.
    void emit(std::string_view text, TokenId id, const Splits& splits,
              std::vector<TokenId>& out) const {
        if (id >= 0 && vocabulary_.kind(id) == TokenKind::Unused) {
            if (const auto split = splits.find(id);
                split != splits.end() && split->second < text.size()) {
                const std::string_view left = text.substr(0, split->second);
                const std::string_view right = text.substr(split->second);
                emit(left, mergeable(left), splits, out);
                emit(right, mergeable(right), splits, out);
                return;
            }
        }
        if (id >= 0) {
            out.push_back(id);
            return;
        }
        for (const char c : text) {
            const TokenId byte = byte_ids_[static_cast<unsigned char>(c)];
            if (byte >= 0) {
                out.push_back(byte);
            } else if (vocabulary_.unknown >= 0) {
                out.push_back(
                    vocabulary_.unknown); // a vocabulary without bytes: one unknown per character
                return;
            }
        }
    }

    JoinFilter joins_;
    std::array<TokenId, 256> byte_ids_{}; // −1: none
    bool space_prefix_ = true;
};

} // namespace

Result<std::shared_ptr<const Tokenizer>> load_spm(Vocabulary vocabulary, const GgufFile& /*file*/) {
    if (vocabulary.scores.empty())
        return tokenizer_error(
            fmt::format("{}: tokenizer.ggml.scores is missing, expected a score for each "
                        "of the {} tokens of an SPM vocabulary",
                        vocabulary.file_name, vocabulary.size()));
    auto made = std::make_shared<SpmTokenizer>(std::move(vocabulary));
    ALCOVE_RETURN_IF_ERROR(made->index_special_tokens());
    return std::shared_ptr<const Tokenizer>(std::move(made));
}

} // namespace alcove
