#include "engine/format/gguf_file.h"
#include "engine/text/tokenizer_base.h"
#include "engine/text/tokenizer_merge_table.h"
#include "engine/text/tokenizer_pretokenizer.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

#include <array>

namespace alcove {

namespace {

/// The alphabet of byte-level BPE (GPT-2): printable bytes stand for themselves, the remaining 68
/// are written as U+0100, U+0101, … in order.
struct ByteAlphabet {
    std::array<char32_t, 256> symbol{};
    std::array<std::int16_t, 0x144> byte{}; // by code point; −1: not in the alphabet
};

constexpr ByteAlphabet make_alphabet() {
    ByteAlphabet made;
    for (auto& b : made.byte)
        b = -1;
    char32_t extra = 0x100;
    for (unsigned b = 0; b < 256; ++b) {
        const bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
        made.symbol[b] = printable ? b : extra++;
        made.byte[made.symbol[b]] = static_cast<std::int16_t>(b);
    }
    return made;
}

constexpr ByteAlphabet kAlphabet = make_alphabet();

/// Byte-level BPE (`gpt2`): text is cut into words, each word's bytes are merged by rank.
class ByteBpeTokenizer final : public TokenizerBase {
public:
    ByteBpeTokenizer(Vocabulary vocabulary, PreTokenizer pre, MergeTable merges)
        : TokenizerBase(std::move(vocabulary)), pre_(std::move(pre)), merges_(std::move(merges)) {
        add_bos_ = vocabulary_.add_bos.value_or(pre_.adds_bos());
        add_eos_ = vocabulary_.add_eos.value_or(false);
        for (std::size_t b = 0; b < 256; ++b) {
            std::string symbol;
            utf8_append(symbol, kAlphabet.symbol[b]);
            byte_ids_[b] = vocabulary_.find_text(symbol);
        }
    }
    using TokenizerBase::index_special_tokens;

protected:
    void encode_fragment(std::string_view text, bool /*fresh*/, EncodeScratch& scratch,
                         std::vector<TokenId>& out) const override {
        if (pre_.normalizes_to_nfc()) {
            scratch.text = to_nfc(text);
            text = scratch.text;
        }
        pre_.split(text, scratch);
        for (const auto& [begin, end] : scratch.splits)
            encode_word(text.substr(begin, end - begin), scratch, out);
    }

    std::string text_of(TokenId id) const override {
        const std::string_view piece = vocabulary_.piece(id);
        if (vocabulary_.kind(id) == TokenKind::UserDefined)
            return std::string(piece);
        std::string bytes;
        for (std::size_t position = 0; position < piece.size();) {
            const char32_t symbol = utf8_next(piece, position);
            if (symbol >= kAlphabet.byte.size() || kAlphabet.byte[symbol] < 0)
                return std::string(piece); // a raw token: its own text
            bytes.push_back(static_cast<char>(kAlphabet.byte[symbol]));
        }
        return bytes;
    }

private:
    void encode_word(std::string_view word, EncodeScratch& scratch,
                     std::vector<TokenId>& out) const {
        const bool cached = scratch.cache_words && WordCache::takes(word);
        const std::uint64_t hash = cached ? hash_text(word) : 0;
        if (cached && scratch.words.lookup(word, hash, out))
            return;
        const std::size_t begin = out.size();
        if (!encode_whole(word, scratch, out))
            merge(word, scratch, out);
        if (cached)
            scratch.words.store(word, hash, begin, out);
    }

    bool encode_whole(std::string_view word, EncodeScratch& scratch,
                      std::vector<TokenId>& out) const {
        if (!pre_.ignores_merges() || word.size() > vocabulary_.longest_piece())
            return false;
        scratch.word.clear();
        for (const char c : word)
            utf8_append(scratch.word, kAlphabet.symbol[static_cast<unsigned char>(c)]);
        const TokenId id = vocabulary_.find_text(scratch.word);
        if (id >= 0)
            out.push_back(id);
        return id >= 0;
    }

    void merge(std::string_view word, EncodeScratch& scratch, std::vector<TokenId>& out) const {
        auto& symbols = scratch.merge.symbols;
        symbols.clear();
        for (const char c : word) {
            const TokenId id = byte_ids_[static_cast<unsigned char>(c)];
            if (id < 0)
                continue; // some vocabularies lack a byte: it is dropped, as their own tokenizers
                          // do
            MergeSymbol symbol;
            symbol.id = id;
            symbol.length = 1;
            symbols.push_back(symbol);
        }
        merge_symbols(scratch.merge, [this](const MergeSymbol& left, const MergeSymbol& right) {
            return merges_.find(left.id, right.id);
        });
        for (const MergeSymbol& symbol : symbols)
            out.push_back(symbol.id);
    }

    PreTokenizer pre_;
    MergeTable merges_;
    std::array<TokenId, 256> byte_ids_{}; // −1: the vocabulary has no token for the byte
};

} // namespace

Result<std::shared_ptr<const Tokenizer>> load_byte_bpe(Vocabulary vocabulary,
                                                       const GgufFile& file) {
    if (file.find("tokenizer.ggml.pre") == nullptr)
        vocabulary.warnings.emplace_back(
            "tokenizer.ggml.pre is missing; text is split by the default "
            "rules, which may not be the model's");
    else if (!PreTokenizer::is_known(vocabulary.pre))
        vocabulary.warnings.push_back(
            fmt::format("the pre-tokenizer {} is not known; text is split by "
                        "the default rules, which may not be the model's",
                        quote_for_message(vocabulary.pre)));
    ALCOVE_ASSIGN_OR_RETURN(PreTokenizer pre, PreTokenizer::create(vocabulary.pre));
    ALCOVE_ASSIGN_OR_RETURN(MergeTable merges, MergeTable::read(file, vocabulary));
    auto made = std::make_shared<ByteBpeTokenizer>(std::move(vocabulary), std::move(pre),
                                                   std::move(merges));
    ALCOVE_RETURN_IF_ERROR(made->index_special_tokens());
    return std::shared_ptr<const Tokenizer>(std::move(made));
}

} // namespace alcove
