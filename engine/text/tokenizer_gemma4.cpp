#include "engine/format/gguf_file.h"
#include "engine/text/tokenizer_base.h"
#include "engine/text/tokenizer_chunks.h"
#include "engine/text/tokenizer_merge_table.h"
#include "engine/text/utf8.h"

#include <array>

namespace alcove {

namespace {

constexpr std::string_view kBlank = "\u2581";

/// Gemma 4's BPE: merges by rank on characters, spaces written as U+2581, characters outside the
/// vocabulary as byte tokens. No pre-tokenizer, but newlines never merge with other text.
class Gemma4Tokenizer final : public TokenizerBase {
public:
    Gemma4Tokenizer(Vocabulary vocabulary, MergeTable merges)
        : TokenizerBase(std::move(vocabulary)), merges_(std::move(merges)) {
        add_bos_ = vocabulary_.add_bos.value_or(true);
        add_eos_ = vocabulary_.add_eos.value_or(false);
        space_prefix_ = strips_first_space_ = vocabulary_.add_space_prefix.value_or(false);
        byte_ids_.fill(-1);
        for (TokenId id = 0; id < vocabulary_.size(); ++id) {
            if (vocabulary_.kind(id) != TokenKind::Byte) {
                if (!vocabulary_.is_marker(id))
                    joins_.add(vocabulary_.piece(id));
            } else if (const int byte = byte_of_piece(vocabulary_.piece(id)); byte >= 0) {
                byte_ids_[static_cast<std::size_t>(byte)] = id;
            }
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
            std::size_t end = joins_.chunk_end(whole, begin);
            const bool newlines = whole[begin] == '\n';
            const std::size_t turn =
                newlines ? whole.find_first_not_of('\n', begin) : whole.find('\n', begin);
            end = std::min(end, turn);
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
    void encode_chunk(std::string_view chunk, EncodeScratch& scratch,
                      std::vector<TokenId>& out) const {
        const bool cached = scratch.cache_words && WordCache::takes(chunk);
        const std::uint64_t hash = cached ? hash_text(chunk) : 0;
        if (cached && scratch.words.lookup(chunk, hash, out))
            return;
        const std::size_t begin = out.size();
        auto& symbols = scratch.merge.symbols;
        symbols.clear();
        const auto push = [&symbols](TokenId id) {
            MergeSymbol symbol;
            symbol.id = id;
            symbol.length = 1;
            symbols.push_back(symbol);
        };
        for (std::size_t i = 0; i < chunk.size();) {
            const std::string_view character = chunk.substr(i, utf8_length(chunk[i]));
            i += character.size();
            if (const TokenId id = vocabulary_.find_text(character); id >= 0)
                push(id);
            else
                push_bytes(character, push);
        }
        merge_symbols(scratch.merge, [this](const MergeSymbol& left, const MergeSymbol& right) {
            return merges_.find(left.id, right.id);
        });
        for (const MergeSymbol& symbol : symbols)
            out.push_back(symbol.id);
        if (cached)
            scratch.words.store(chunk, hash, begin, out);
    }

    /// A character outside the vocabulary: its bytes, or the unknown token where the vocabulary
    /// lacks one of them.
    template <typename Push> void push_bytes(std::string_view character, const Push& push) const {
        bool complete = true;
        for (const char c : character)
            complete = complete && byte_ids_[static_cast<unsigned char>(c)] >= 0;
        if (complete)
            for (const char c : character)
                push(byte_ids_[static_cast<unsigned char>(c)]);
        else if (vocabulary_.unknown >= 0)
            push(vocabulary_.unknown);
    }

    MergeTable merges_;
    JoinFilter joins_;
    std::array<TokenId, 256> byte_ids_{}; // −1: none
    bool space_prefix_ = false;
};

} // namespace

Result<std::shared_ptr<const Tokenizer>> load_gemma4(Vocabulary vocabulary, const GgufFile& file) {
    ALCOVE_ASSIGN_OR_RETURN(MergeTable merges, MergeTable::read(file, vocabulary));
    auto made = std::make_shared<Gemma4Tokenizer>(std::move(vocabulary), std::move(merges));
    ALCOVE_RETURN_IF_ERROR(made->index_special_tokens());
    return std::shared_ptr<const Tokenizer>(std::move(made));
}

} // namespace alcove
