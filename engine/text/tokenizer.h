#pragma once

#include "engine/result.h"
#include "engine/text/text_segment.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {

class GgufFile;

using TokenId = std::int32_t;

/// Kinds of vocabulary entries, numbered as `tokenizer.ggml.token_type`.
enum class TokenKind : std::uint8_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct EncodeOptions {
    bool add_special = true;    ///< add BOS/EOS as the file's keys say
    bool parse_special = false; ///< the text of a control token becomes that token
};

/// Text to token ids and back for one model file. Immutable after load, safe to use from several threads.
/// One file per algorithm: byte-level BPE (`gpt2`), SPM (`llama`), Gemma's BPE (`gemma4`), WordPiece (`bert`), unigram (`t5`).
class Tokenizer {
public:
    /// Reads `tokenizer.ggml.*`. Fails with Errc::Tokenizer and the key in the message when tokens, scores, merges or
    /// ids contradict each other. An unknown pre-tokenizer name loads with a warning (see warnings()).
    static Result<std::shared_ptr<const Tokenizer>> load(const GgufFile& file);

    virtual ~Tokenizer() = default;

    /// Ids of `text`. Invalid UTF-8 is replaced by U+FFFD (one per maximal invalid part) first.
    virtual std::vector<TokenId> encode(std::string_view text, EncodeOptions options = {}) const = 0;

    /// Ids of a rendered prompt: control tokens are recognised only where every byte of the token's text came from
    /// the template. No BOS is added except as `add_special` says; a doubled BOS is dropped.
    virtual std::vector<TokenId> encode_prompt(std::span<const TextSegment> segments, bool add_special) const = 0;

    /// Text of `ids`; control tokens are left out unless `special`. Never returns invalid UTF-8.
    virtual std::string decode(std::span<const TokenId> ids, bool special = false) const = 0;

    /// Raw bytes that token `id` stands for, possibly a part of a character. Control tokens: empty unless `special`.
    virtual std::string token_bytes(TokenId id, bool special = false) const = 0;

    /// The vocabulary's own spelling of `id` ("Ġthe", "▁the", "<0x0A>").
    virtual std::string_view piece(TokenId id) const = 0;

    virtual TokenKind kind(TokenId id) const = 0;
    virtual std::int32_t n_vocab() const = 0;
    virtual TokenId bos() const = 0; ///< −1 if there is none
    virtual TokenId eos() const = 0; ///< −1 if there is none
    virtual bool add_bos() const = 0;
    virtual bool add_eos() const = 0;
    /// True: one leading space of the first text piece of a sequence is not shown (SPM's space prefix).
    virtual bool strips_first_space() const = 0;
    /// True for every token that ends an answer: eos, eot, eom and the turn ends that the family is known for.
    virtual bool is_end_of_generation(TokenId id) const = 0;
    /// The id whose piece is exactly `text`, or −1.
    virtual TokenId find(std::string_view text) const = 0;
    /// Sentences about what was guessed while loading; shown in the model's details.
    virtual std::span<const std::string> warnings() const = 0;
};

/// Turns a stream of tokens into text that never shows half a character: bytes of an unfinished UTF-8 sequence wait,
/// a sequence that can no longer become valid is U+FFFD at once (one per maximal subpart).
class TokenStream {
public:
    explicit TokenStream(std::shared_ptr<const Tokenizer> tokenizer, bool special = false);
    /// Text to append after `id`; may be empty.
    std::string push(TokenId id);
    /// Text to append when generation ends: U+FFFD per maximal part of the bytes that are waiting, else empty.
    std::string flush();

private:
    std::shared_ptr<const Tokenizer> tokenizer_;
    std::string pending_; // 0 to 3 bytes of an unfinished sequence
    bool special_;
    bool first_piece_ = true;
};

} // namespace alcove
