#include "engine/format/gguf_file.h"
#include "engine/text/byte_trie.h"
#include "engine/text/tokenizer_base.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace alcove {

namespace {

constexpr std::string_view kBlank = "\u2581";
constexpr float kUnknownPenalty = 10.0F; // below the lowest score, as SentencePiece has it

/// SentencePiece's precompiled character map: a double-array trie ("darts-clone" units, 32 bits
/// each) from byte strings to places in a block of replacement strings that end with NUL. Every
/// index is checked: the map comes from a file.
class CharacterMap {
public:
    CharacterMap() = default;

    /// Errc::Tokenizer where the sizes in `blob` contradict each other.
    static Result<CharacterMap> parse(std::string blob, const std::string& file) {
        CharacterMap map;
        if (blob.empty())
            return map;
        const auto bad = [&file](std::string_view what) {
            return tokenizer_error(
                fmt::format("{}: tokenizer.ggml.precompiled_charsmap {}", file, what));
        };
        if (blob.size() < 4)
            return bad("is shorter than its header of 4 bytes");
        const std::uint32_t bytes = word_at(blob, 0);
        if (bytes % 4 != 0 || bytes == 0 || bytes > blob.size() - 4)
            return bad(fmt::format("claims a trie of {} bytes, expected a multiple of 4 up to {}",
                                   bytes, blob.size() - 4));
        map.units_.reserve(bytes / 4);
        for (std::size_t i = 0; i < bytes / 4; ++i)
            map.units_.push_back(word_at(blob, 4 + i * 4));
        map.replacements_ = blob.substr(4 + bytes);
        return map;
    }

    /// The longest prefix of `text` that is replaced: its length (0: none) and what it becomes.
    std::pair<std::size_t, std::string_view> match(std::string_view text) const noexcept {
        std::size_t length = 0;
        std::size_t place = 0;
        if (units_.empty())
            return {0, {}};
        std::size_t node = offset_of(units_[0]);
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            node ^= byte;
            if (node >= units_.size() || label_of(units_[node]) != byte)
                break;
            const std::uint32_t unit = units_[node];
            node ^= offset_of(unit);
            if (has_leaf(unit) && node < units_.size()) {
                length = i + 1;
                place = units_[node] & 0x7FFFFFFFU;
            }
        }
        if (length == 0 || place >= replacements_.size())
            return {0, {}};
        const std::string_view rest = std::string_view(replacements_).substr(place);
        return {length, rest.substr(0, rest.find('\0'))};
    }

private:
    static std::uint32_t word_at(std::string_view bytes, std::size_t at) noexcept {
        std::uint32_t word = 0;
        for (std::size_t i = 0; i < 4; ++i)
            word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]))
                    << (8 * i);
        return word;
    }
    static bool has_leaf(std::uint32_t unit) noexcept { return (unit >> 8U & 1U) != 0; }
    static std::uint32_t label_of(std::uint32_t unit) noexcept { return unit & 0x800000FFU; }
    static std::size_t offset_of(std::uint32_t unit) noexcept {
        return static_cast<std::size_t>(unit >> 10U) << ((unit & 1U << 9U) >> 6U);
    }

    std::vector<std::uint32_t> units_;
    std::string replacements_; // valid UTF-8 is not assumed; what comes out is repaired
};

/// SentencePiece's Unigram (`t5`): the cover of the text by pieces with the highest sum of scores
/// (Viterbi).
class UnigramTokenizer final : public TokenizerBase {
public:
    UnigramTokenizer(Vocabulary vocabulary, CharacterMap map, bool squeeze)
        : TokenizerBase(std::move(vocabulary)), map_(std::move(map)), squeezes_blanks_(squeeze) {
        add_bos_ = vocabulary_.add_bos.value_or(false);
        add_eos_ = vocabulary_.add_eos.value_or(true);
        space_prefix_ = strips_first_space_ = vocabulary_.add_space_prefix.value_or(true);
        byte_ids_.fill(-1);
        std::vector<std::pair<std::string_view, TokenId>> entries;
        float lowest = std::numeric_limits<float>::max();
        for (TokenId id = 0; id < vocabulary_.size(); ++id) {
            const std::string_view piece = vocabulary_.piece(id);
            if (vocabulary_.kind(id) == TokenKind::Byte) {
                if (const int byte = byte_of_piece(piece); byte >= 0)
                    byte_ids_[static_cast<std::size_t>(byte)] = id;
            } else if (vocabulary_.kind(id) == TokenKind::Normal) {
                entries.emplace_back(piece, id);
                lowest = std::min(lowest, vocabulary_.scores[static_cast<std::size_t>(id)]);
            }
        }
        unknown_score_ = (entries.empty() ? 0.0F : lowest) - kUnknownPenalty;
        has_all_bytes_ =
            std::all_of(byte_ids_.begin(), byte_ids_.end(), [](TokenId id) { return id >= 0; });
        pieces_ = ByteTrie(std::move(entries));
    }
    using TokenizerBase::index_special_tokens;

protected:
    void encode_fragment(std::string_view text, bool fresh, EncodeScratch& scratch,
                         std::vector<TokenId>& out) const override {
        scratch.text = normalize(text, fresh);
        if (!scratch.text.empty())
            cover(scratch.text, out);
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
    /// Character map, blanks squeezed and written as U+2581, the space prefix.
    std::string normalize(std::string_view text, bool fresh) const {
        std::string mapped;
        mapped.reserve(text.size());
        for (std::size_t position = 0; position < text.size();) {
            auto [length, replacement] = map_.match(text.substr(position));
            if (length == 0) {
                length = utf8_length(text[position]);
                replacement = text.substr(position, length);
            }
            mapped.append(replacement);
            // A map may cut inside a character only if it is damaged; the rest of the character
            // then goes with it.
            position += length;
            while (position < text.size() &&
                   (static_cast<unsigned char>(text[position]) & 0xC0U) == 0x80U)
                ++position;
        }
        if (!utf8_is_valid(mapped))
            mapped = utf8_repair(mapped);

        std::string out;
        bool after_blank = squeezes_blanks_; // leading blanks go, too
        for (const char c : mapped) {
            if (c != ' ') {
                if (out.empty() && space_prefix_ && fresh)
                    out.append(kBlank);
                out.push_back(c);
            } else if (!after_blank) {
                if (out.empty() && space_prefix_ && fresh)
                    out.append(kBlank);
                out.append(kBlank);
            }
            after_blank = squeezes_blanks_ && c == ' ';
        }
        while (squeezes_blanks_ && out.ends_with(kBlank))
            out.resize(out.size() - kBlank.size());
        return out;
    }

    struct Step {
        float score = 0;
        std::uint32_t from = 0;
        TokenId id = -1;
        bool reached = false;
    };

    void cover(std::string_view text, std::vector<TokenId>& out) const {
        std::vector<Step> best(text.size() + 1);
        best[0].reached = true;
        const auto relax = [&best](std::size_t from, std::size_t to, float score, TokenId id) {
            const float sum = best[from].score + score;
            if (!best[to].reached || sum > best[to].score)
                best[to] = {sum, static_cast<std::uint32_t>(from), id, true};
        };
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t character = utf8_length(text[from]);
            bool has_single = false;
            std::uint32_t node = ByteTrie::kRoot;
            for (std::size_t to = from; to < text.size();) {
                node = pieces_.child(node, static_cast<unsigned char>(text[to++]));
                if (node == ByteTrie::kNone)
                    break;
                const ByteTrie::Node& at = pieces_.node(node);
                if (at.n_ids == 0)
                    continue;
                const TokenId id = pieces_.ids(at)[0];
                relax(from, to, vocabulary_.scores[static_cast<std::size_t>(id)], id);
                has_single = has_single || to - from == character;
            }
            if (!has_single)
                relax(from, from + character, unknown_score_, -1);
            from += character;
        }
        emit(text, best, out);
    }

    /// Walks back from the end; neighbouring unknown characters are one unknown token, or all their
    /// bytes.
    void emit(std::string_view text, const std::vector<Step>& best,
              std::vector<TokenId>& out) const {
        const std::size_t begin = out.size();
        bool after_unknown = false;
        for (std::size_t at = text.size(); at > 0; at = best[at].from) {
            const Step& step = best[at];
            if (step.id >= 0) {
                out.push_back(step.id);
            } else if (has_all_bytes_) {
                for (std::size_t i = at; i > step.from; --i)
                    out.push_back(byte_ids_[static_cast<unsigned char>(text[i - 1])]);
            } else if (!after_unknown && vocabulary_.unknown >= 0) {
                out.push_back(vocabulary_.unknown);
            }
            after_unknown = step.id < 0;
        }
        std::reverse(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
    }

    CharacterMap map_;
    ByteTrie pieces_;
    std::array<TokenId, 256> byte_ids_{}; // −1: none
    float unknown_score_ = 0;
    bool has_all_bytes_ = false, space_prefix_ = true, squeezes_blanks_ = true;
};

Result<std::string> read_charsmap(const GgufFile& file, const std::string& name) {
    constexpr std::string_view kKey = "tokenizer.ggml.precompiled_charsmap";
    const GgufValue* value = file.find(kKey);
    if (value == nullptr)
        return std::string();
    const auto* array = std::get_if<std::shared_ptr<const GgufArray>>(&value->value);
    const auto* bytes = array == nullptr || *array == nullptr
                            ? nullptr
                            : std::get_if<std::vector<std::int64_t>>(&(*array)->elements);
    if (bytes == nullptr)
        return tokenizer_error(fmt::format("{}: {} is not an array of bytes", name, kKey));
    std::string blob;
    blob.reserve(bytes->size());
    for (const std::int64_t byte : *bytes)
        blob.push_back(static_cast<char>(byte));
    return blob;
}

} // namespace

Result<std::shared_ptr<const Tokenizer>> load_unigram(Vocabulary vocabulary, const GgufFile& file) {
    if (vocabulary.scores.empty())
        return tokenizer_error(
            fmt::format("{}: tokenizer.ggml.scores is missing, expected a score for each of the "
                        "{} tokens of a unigram vocabulary",
                        vocabulary.file_name, vocabulary.size()));
    ALCOVE_ASSIGN_OR_RETURN(std::string blob, read_charsmap(file, vocabulary.file_name));
    ALCOVE_ASSIGN_OR_RETURN(CharacterMap map,
                            CharacterMap::parse(std::move(blob), vocabulary.file_name));
    const auto squeeze = file.get_bool("tokenizer.ggml.remove_extra_whitespaces");
    if (!squeeze)
        return tokenizer_error(squeeze.error().message);
    auto made = std::make_shared<UnigramTokenizer>(std::move(vocabulary), std::move(map),
                                                   squeeze->value_or(true));
    ALCOVE_RETURN_IF_ERROR(made->index_special_tokens());
    return std::shared_ptr<const Tokenizer>(std::move(made));
}

} // namespace alcove
