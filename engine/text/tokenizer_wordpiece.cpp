#include "engine/format/gguf_file.h"
#include "engine/text/tokenizer_base.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

#include <algorithm>
#include <unordered_map>

namespace alcove {

namespace {

constexpr std::string_view kBlank = "\u2581";
constexpr std::size_t kLongestWord = 100; // characters; BERT gives up on longer words

struct TextHash {
    std::size_t operator()(std::string_view text) const noexcept { return hash_text(text); }
};
using PieceMap = std::unordered_map<std::string_view, TokenId, TextHash>;

/// Chinese characters stand alone in BERT. The ranges are those of its reference implementation.
bool is_chinese(char32_t c) noexcept {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

/// WordPiece (`bert`): text is cleaned, lower-cased and stripped of accents, cut at blanks and
/// punctuation; each word is covered greedily by the longest pieces. The format marks pieces that
/// begin a word with U+2581.
class WordPieceTokenizer final : public TokenizerBase {
public:
    explicit WordPieceTokenizer(Vocabulary vocabulary) : TokenizerBase(std::move(vocabulary)) {
        add_bos_ = vocabulary_.add_bos.value_or(true);
        add_eos_ = vocabulary_.add_eos.value_or(true);
        strips_first_space_ = true;
        // The format knows [CLS] and [SEP] where others have BOS and EOS.
        if (vocabulary_.bos < 0)
            vocabulary_.bos = vocabulary_.cls;
        if (vocabulary_.eos < 0)
            vocabulary_.eos = vocabulary_.separator;
        for (TokenId id = 0; id < vocabulary_.size(); ++id) {
            if (vocabulary_.kind(id) != TokenKind::Normal)
                continue;
            const std::string_view piece = vocabulary_.piece(id);
            if (piece.starts_with(kBlank))
                first_.try_emplace(piece.substr(kBlank.size()), id);
            else if (!piece.empty())
                later_.try_emplace(piece, id);
        }
    }
    using TokenizerBase::index_special_tokens;

protected:
    void encode_fragment(std::string_view text, bool /*fresh*/, EncodeScratch& scratch,
                         std::vector<TokenId>& out) const override {
        scratch.word.clear();
        std::size_t characters = 0;
        const auto end_word = [&] {
            if (!scratch.word.empty())
                encode_word(scratch.word, characters, out);
            scratch.word.clear();
            characters = 0;
        };
        // Case and accents go before the text is cut, since decomposing can bring forth punctuation
        // and blanks.
        for (const char32_t c : to_nfd(clean(text))) {
            if (is_nonspacing_mark(c))
                continue;
            const char32_t lower = to_lower(c);
            const bool alone = is_bert_punctuation(lower);
            if (alone || is_unicode_space(lower))
                end_word();
            if (is_unicode_space(lower))
                continue;
            utf8_append(scratch.word, lower);
            ++characters;
            if (alone)
                end_word();
        }
        end_word();
    }

    std::string text_of(TokenId id) const override {
        const std::string_view piece = vocabulary_.piece(id);
        if (piece.starts_with(kBlank))
            return std::string(1, ' ').append(piece.substr(kBlank.size()));
        return std::string(piece);
    }

private:
    /// Control characters gone, every blank a space, Chinese characters set apart by spaces.
    static std::string clean(std::string_view text) {
        std::string out;
        out.reserve(text.size());
        for (std::size_t position = 0; position < text.size();) {
            const char32_t c = utf8_next(text, position);
            if (is_unicode_space(c) &&
                (c < 0x80 ? c == ' ' || c == '\t' || c == '\n' || c == '\r' : c != 0x85)) {
                out.push_back(' ');
            } else if (c != U'\uFFFD' && !is_control_like(c)) {
                const bool chinese = is_chinese(c);
                if (chinese)
                    out.push_back(' ');
                utf8_append(out, c);
                if (chinese)
                    out.push_back(' ');
            }
        }
        return out;
    }

    void encode_word(std::string_view word, std::size_t characters,
                     std::vector<TokenId>& out) const {
        const std::size_t begin = out.size();
        bool covered = characters <= kLongestWord;
        for (std::size_t from = 0; covered && from < word.size();) {
            std::size_t to = word.size();
            TokenId found = -1;
            while (to > from && found < 0) {
                const PieceMap& pieces = from == 0 ? first_ : later_;
                if (const auto it = pieces.find(word.substr(from, to - from)); it != pieces.end()) {
                    found = it->second;
                    break;
                }
                do
                    --to;
                while (to > from && (static_cast<unsigned char>(word[to]) & 0xC0U) == 0x80U);
            }
            covered = found >= 0;
            if (covered)
                out.push_back(found);
            from = to;
        }
        if (!covered) {
            out.resize(begin);
            if (vocabulary_.unknown >= 0)
                out.push_back(vocabulary_.unknown);
        }
    }

    PieceMap first_, later_; // keys are views into the vocabulary
};

} // namespace

Result<std::shared_ptr<const Tokenizer>> load_wordpiece(Vocabulary vocabulary,
                                                        const GgufFile& /*file*/) {
    auto made = std::make_shared<WordPieceTokenizer>(std::move(vocabulary));
    ALCOVE_RETURN_IF_ERROR(made->index_special_tokens());
    return std::shared_ptr<const Tokenizer>(std::move(made));
}

} // namespace alcove
