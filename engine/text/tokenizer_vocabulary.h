#pragma once

#include "engine/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {

/// What every kind of tokenizer takes from a model file: the pieces with their kinds and scores,
/// the ids with a role, the switches. Owns all its strings: the file may be closed after load.
/// Pieces are valid UTF-8, repaired where the file's are not, so that nothing downstream can show
/// raw bytes as text.
class Vocabulary {
public:
    /// Reads and checks `tokenizer.ggml.*` except merges and the character map. Errc::Tokenizer
    /// with file, key, what was found and what was expected.
    static Result<Vocabulary> read(const GgufFile& file);

    std::int32_t size() const noexcept { return static_cast<std::int32_t>(kinds.size()); }
    bool contains(TokenId id) const noexcept { return id >= 0 && id < size(); }
    std::string_view piece(TokenId id) const noexcept {
        const auto i = static_cast<std::size_t>(id);
        return std::string_view(arena_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
    }
    TokenKind kind(TokenId id) const noexcept { return kinds[static_cast<std::size_t>(id)]; }
    /// Control and unknown tokens: never made from text, only from their own name where that is
    /// trusted.
    bool is_marker(TokenId id) const noexcept {
        return kind(id) == TokenKind::Control || kind(id) == TokenKind::Unknown;
    }
    /// The id of `piece`; among equal pieces an ordinary token goes before a control token, then
    /// the first. −1 if none.
    TokenId find(std::string_view piece) const noexcept;
    /// The same, but −1 where that is a token which text must not become (control, unknown, byte).
    TokenId find_text(std::string_view piece) const noexcept;
    std::size_t longest_piece() const noexcept { return longest_piece_; }

    std::string model;     ///< tokenizer.ggml.model
    std::string pre;       ///< tokenizer.ggml.pre, "default" if absent
    std::string name;      ///< general.name in lower case
    std::string file_name; ///< name of the file, for messages

    std::vector<TokenKind> kinds;
    std::vector<float> scores; ///< empty if the file has none; never NaN

    TokenId bos = -1, eos = -1, unknown = -1, separator = -1, cls = -1;
    std::vector<bool> ends_generation; ///< [size()]
    std::optional<bool> add_bos, add_eos, add_space_prefix;
    std::vector<std::string> warnings;

private:
    Status read_pieces(const GgufFile& file);
    Status read_kinds_and_scores(const GgufFile& file);
    Status read_roles(const GgufFile& file);
    Status check_against_model(const GgufFile& file);
    void mark_ends(const std::vector<TokenId>& named);
    void build_index();

    std::string arena_;                  // all pieces, one after the other
    std::vector<std::uint32_t> offsets_; // [size() + 1] into arena_
    std::size_t longest_piece_ = 0;
    struct Slot {
        std::uint32_t tag = 0; // upper half of the hash
        TokenId id = -1;
    };
    std::vector<Slot> slots_; // open addressing, a power of two, at most half full
};

/// A limit against hostile files; real pieces stay far below.
inline constexpr std::size_t kMaxPieceBytes = 4096;

/// An Error of kind Tokenizer.
Error tokenizer_error(std::string message);
/// `text` for a message: valid UTF-8, control characters escaped, cut after 40 bytes.
std::string quote_for_message(std::string_view text);

/// Hash of `text`, seeded per process: a vocabulary cannot be built so that all its pieces collide.
std::uint64_t hash_text(std::string_view text) noexcept;
/// Hash of two ids, for merge tables; seeded likewise.
std::uint64_t hash_pair(std::uint64_t pair) noexcept;

} // namespace alcove
