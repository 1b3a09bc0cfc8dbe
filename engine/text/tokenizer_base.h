#pragma once

#include "engine/text/tokenizer.h"
#include "engine/text/tokenizer_merge.h"
#include "engine/text/tokenizer_special.h"
#include "engine/text/tokenizer_vocabulary.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pcre2_real_match_data_8;

namespace alcove {

/// Buffers of one call of encode; never shared between threads.
struct EncodeScratch {
    MergeScratch merge;
    WordCache words;
    std::string text; // the fragment, normalised
    std::string word;
    std::vector<std::pair<std::size_t, std::size_t>> splits, next_splits;
    std::shared_ptr<pcre2_real_match_data_8> match;
    bool cache_words = false; // worth it for long texts only
};

/// What all kinds have in common: special tokens, BOS and EOS, decoding, the facts of the
/// vocabulary. A kind adds how a piece of plain text becomes ids.
class TokenizerBase : public Tokenizer {
public:
    std::vector<TokenId> encode(std::string_view text, EncodeOptions options) const final;
    std::vector<TokenId> encode_prompt(std::span<const TextSegment> segments,
                                       bool add_special) const final;
    std::string decode(std::span<const TokenId> ids, bool special) const final;
    std::string token_bytes(TokenId id, bool special) const final;
    std::string_view piece(TokenId id) const final;
    TokenKind kind(TokenId id) const final;
    std::int32_t n_vocab() const final { return vocabulary_.size(); }
    TokenId bos() const final { return vocabulary_.bos; }
    TokenId eos() const final { return vocabulary_.eos; }
    bool add_bos() const final { return add_bos_; }
    bool add_eos() const final { return add_eos_; }
    bool strips_first_space() const final { return strips_first_space_; }
    bool is_end_of_generation(TokenId id) const final;
    TokenId find(std::string_view text) const final { return vocabulary_.find(text); }
    std::span<const std::string> warnings() const final { return vocabulary_.warnings; }

protected:
    explicit TokenizerBase(Vocabulary vocabulary);

    /// Appends the ids of `text`, valid UTF-8 without special tokens, not empty. `fresh`: it begins
    /// the sequence or follows a special token, so that a space prefix belongs before it.
    virtual void encode_fragment(std::string_view text, bool fresh, EncodeScratch& scratch,
                                 std::vector<TokenId>& out) const = 0;
    /// Bytes of an ordinary or user-defined token.
    virtual std::string text_of(TokenId id) const = 0;

    /// Fills the matcher; Errc::Tokenizer for a name beyond the limit. Call once, at the end of
    /// loading.
    Status index_special_tokens();

    Vocabulary vocabulary_;
    bool add_bos_ = false, add_eos_ = false, strips_first_space_ = false;

private:
    /// Parts of the text in which names of control tokens count: ranges [begin, end), ascending,
    /// not touching.
    using TrustedRanges = std::vector<std::pair<std::size_t, std::size_t>>;
    void encode_text(std::string_view text, const TrustedRanges& trusted,
                     std::vector<TokenId>& out) const;

    SpecialMatcher specials_;
    std::vector<bool> eats_space_; // [n_vocab] or empty: white space after the token is dropped
};

/// Value of a `<0xNN>` piece, or −1.
int byte_of_piece(std::string_view piece) noexcept;

// One file per kind; each checks what only it needs.
Result<std::shared_ptr<const Tokenizer>> load_byte_bpe(Vocabulary vocabulary, const GgufFile& file);
Result<std::shared_ptr<const Tokenizer>> load_gemma4(Vocabulary vocabulary, const GgufFile& file);
Result<std::shared_ptr<const Tokenizer>> load_spm(Vocabulary vocabulary, const GgufFile& file);
Result<std::shared_ptr<const Tokenizer>> load_wordpiece(Vocabulary vocabulary,
                                                        const GgufFile& file);
Result<std::shared_ptr<const Tokenizer>> load_unigram(Vocabulary vocabulary, const GgufFile& file);

} // namespace alcove
