#include "engine/text/tokenizer_vocabulary.h"

#include "engine/format/gguf_file.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace alcove {

namespace {

constexpr std::size_t kMaxVocabularyBytes = 1U << 30U;

std::uint64_t random_seed() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U | device()) | 1U;
}

const std::uint64_t kSeed = random_seed();

/// Full 128-bit product folded to 64 bits: every input bit reaches every output bit.
std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// Names that well-known model families give to the token with which they end a turn or a document.
/// A file whose eos_token_id names only one of several such tokens would otherwise run on past the
/// end of its answer.
constexpr std::array kEndPieces{
    std::string_view("<|eot_id|>"),
    std::string_view("<|eom_id|>"),
    std::string_view("<|im_end|>"),
    std::string_view("<|end|>"),
    std::string_view("<|endoftext|>"),
    std::string_view("<|end_of_text|>"),
    std::string_view("<|end_of_turn|>"),
    std::string_view("<|END_OF_TURN_TOKEN|>"),
    std::string_view("<end_of_turn>"),
    std::string_view("<end_of_utterance>"),
    std::string_view("<turn|>"),
    std::string_view("<|tool_response>"),
    std::string_view("<|return|>"),
    std::string_view("<|call|>"),
    std::string_view("<|flush|>"),
    std::string_view("<|calls|>"),
    std::string_view("<|eod|>"),
    std::string_view("<|eod_id|>"),
    std::string_view("<eos>"),
    std::string_view("[EOS]"),
    std::string_view("<EOT>"),
    std::string_view("[EOT]"),
    std::string_view("<|eot|>"),
    std::string_view("<|eom|>"),
    std::string_view("<｜end▁of▁sentence｜>"),
    std::string_view("<|end▁of▁sentence|>"),
    std::string_view("[e~["),
    std::string_view("<|role_end|>"),
    // Separators of code models: after one of these another document begins.
    std::string_view("<fim_pad>"),
    std::string_view("<fim-pad>"),
    std::string_view("<|fim_pad|>"),
    std::string_view("<PAD>"),
    std::string_view("<|fim_repo|>"),
    std::string_view("<|repo_name|>"),
    std::string_view("<fim-repo>"),
    std::string_view("<REPO>"),
    std::string_view("<reponame>"),
    std::string_view("<|file_sep|>"),
};

Error key_error(const GgufFile& file, std::string_view message) {
    return tokenizer_error(fmt::format("{}: {}", file.path().filename().string(), message));
}

/// The array `key`, which must hold `n` entries; nullptr if the key is absent.
Result<const GgufArray*> array_of(const GgufFile& file, std::string_view key, std::size_t n) {
    const GgufValue* value = file.find(key);
    if (value == nullptr)
        return nullptr;
    const auto* array = std::get_if<std::shared_ptr<const GgufArray>>(&value->value);
    if (array == nullptr || *array == nullptr)
        return key_error(file, fmt::format("{} is not an array", key));
    if ((*array)->size != n)
        return key_error(file, fmt::format("{} has {} entries, expected {}, one per token", key,
                                           (*array)->size, n));
    return array->get();
}

std::string lower_ascii(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return out;
}

/// An error of typed access, as one of this room: the code says which stage refused the file.
template <typename T> Result<T> as_tokenizer(Result<T> result) {
    if (!result)
        return tokenizer_error(result.error().message);
    return result;
}

} // namespace

Error tokenizer_error(std::string message) {
    return {Errc::Tokenizer, std::move(message)};
}

std::string quote_for_message(std::string_view text) {
    constexpr std::size_t kShown = 40;
    std::string out = "\"";
    const std::string whole = utf8_repair(text.substr(0, std::min(text.size(), kShown + 4)));
    for (std::size_t i = 0; i < whole.size() && i < kShown;) {
        const std::size_t n = utf8_length(whole[i]);
        if (n == 1 && (static_cast<unsigned char>(whole[i]) < 0x20 || whole[i] == 0x7F))
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(whole[i]));
        else
            out.append(whole, i, n);
        i += n;
    }
    out += text.size() > kShown ? "…\"" : "\"";
    return out;
}

std::uint64_t hash_text(std::string_view text) noexcept {
    std::uint64_t hash = kSeed ^ text.size();
    while (text.size() > 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), 8);
        hash = fold_multiply(hash ^ word, 0x9E3779B97F4A7C15U ^ kSeed);
        text.remove_prefix(8);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), text.size());
    return fold_multiply(hash ^ word, 0x9E3779B97F4A7C15U ^ kSeed);
}

std::uint64_t hash_pair(std::uint64_t pair) noexcept {
    return fold_multiply(pair ^ kSeed, 0x9E3779B97F4A7C15U ^ kSeed);
}

Result<Vocabulary> Vocabulary::read(const GgufFile& file) {
    Vocabulary v;
    v.file_name = file.path().filename().string();
    ALCOVE_ASSIGN_OR_RETURN(const auto model,
                            as_tokenizer(file.get_string("tokenizer.ggml.model")));
    if (!model)
        return key_error(file, "tokenizer.ggml.model is missing: the file has no tokenizer");
    v.model = utf8_repair(*model);
    ALCOVE_ASSIGN_OR_RETURN(const auto pre, as_tokenizer(file.get_string("tokenizer.ggml.pre")));
    v.pre = utf8_repair(pre.value_or("default"));
    ALCOVE_ASSIGN_OR_RETURN(const auto name, as_tokenizer(file.get_string("general.name")));
    v.name = lower_ascii(name.value_or(""));

    ALCOVE_RETURN_IF_ERROR(v.read_pieces(file));
    ALCOVE_RETURN_IF_ERROR(v.read_kinds_and_scores(file));
    ALCOVE_RETURN_IF_ERROR(v.check_against_model(file));
    ALCOVE_RETURN_IF_ERROR(v.read_roles(file));
    v.build_index();
    return v;
}

Status Vocabulary::read_pieces(const GgufFile& file) {
    constexpr std::string_view kKey = "tokenizer.ggml.tokens";
    const GgufValue* value = file.find(kKey);
    if (value == nullptr)
        return key_error(file, fmt::format("{} is missing", kKey));
    const auto* array = std::get_if<std::shared_ptr<const GgufArray>>(&value->value);
    if (array == nullptr || *array == nullptr || (*array)->element_type != GgufValueType::String)
        return key_error(file, fmt::format("{} is not an array of strings", kKey));
    const auto* strings = std::get_if<std::vector<std::string_view>>(&(*array)->elements);
    if (strings == nullptr || strings->empty())
        return key_error(file, fmt::format("{} is empty, expected at least one token", kKey));
    if (strings->size() > static_cast<std::size_t>(std::numeric_limits<TokenId>::max()))
        return key_error(file, fmt::format("{} has {} entries, more than ids can number", kKey,
                                           strings->size()));

    std::size_t total = 0;
    for (std::size_t i = 0; i < strings->size(); ++i) {
        if ((*strings)[i].size() > kMaxPieceBytes)
            return key_error(file, fmt::format("{}[{}] has {} bytes, expected at most {}", kKey, i,
                                               (*strings)[i].size(), kMaxPieceBytes));
        total += (*strings)[i].size();
    }
    if (total > kMaxVocabularyBytes)
        return key_error(file, fmt::format("{} holds {} bytes, expected at most {}", kKey, total,
                                           kMaxVocabularyBytes));

    arena_.reserve(total);
    offsets_.reserve(strings->size() + 1);
    offsets_.push_back(0);
    std::size_t damaged = 0;
    std::size_t empty = 0;
    for (const std::string_view piece : *strings) {
        if (utf8_is_valid(piece)) {
            arena_.append(piece);
        } else {
            arena_.append(utf8_repair(piece));
            ++damaged;
        }
        empty += piece.empty() ? 1 : 0;
        offsets_.push_back(static_cast<std::uint32_t>(arena_.size()));
        longest_piece_ =
            std::max<std::size_t>(longest_piece_, offsets_.back() - offsets_[offsets_.size() - 2]);
    }
    if (damaged > 0)
        warnings.push_back(fmt::format("{} of the {} tokens are not UTF-8; the bad bytes are shown "
                                       "as replacement characters",
                                       damaged, strings->size()));
    if (empty > 0)
        warnings.push_back(fmt::format("{} of the {} tokens are empty", empty, strings->size()));
    return ok();
}

Status Vocabulary::read_kinds_and_scores(const GgufFile& file) {
    const std::size_t n = offsets_.size() - 1;
    constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
    ALCOVE_ASSIGN_OR_RETURN(const GgufArray* types, array_of(file, kTypes, n));
    kinds.assign(n, TokenKind::Normal);
    if (types == nullptr) {
        warnings.emplace_back("tokenizer.ggml.token_type is missing; only tokens named by other "
                              "keys are taken as control tokens");
    } else {
        const auto* numbers = std::get_if<std::vector<std::int64_t>>(&types->elements);
        if (numbers == nullptr)
            return key_error(file, fmt::format("{} is not an array of integers", kTypes));
        std::size_t strange = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if ((*numbers)[i] >= 1 && (*numbers)[i] <= 6)
                kinds[i] = static_cast<TokenKind>((*numbers)[i]);
            else
                ++strange;
        }
        if (strange > 0)
            warnings.push_back(fmt::format("{} tokens have a type outside 1 to 6 in {}; they are "
                                           "taken as ordinary text",
                                           strange, kTypes));
    }

    constexpr std::string_view kScores = "tokenizer.ggml.scores";
    ALCOVE_ASSIGN_OR_RETURN(const GgufArray* values, array_of(file, kScores, n));
    if (values == nullptr)
        return ok();
    const auto* numbers = std::get_if<std::vector<double>>(&values->elements);
    if (numbers == nullptr)
        return key_error(file, fmt::format("{} is not an array of floats", kScores));
    scores.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan((*numbers)[i]))
            return key_error(file, fmt::format("{}[{}] is not a number", kScores, i));
        scores.push_back(static_cast<float>((*numbers)[i]) + 0.0F); // −0 becomes 0: they must tie
    }
    return ok();
}

Status Vocabulary::check_against_model(const GgufFile& file) {
    if (const GgufTensor* embedding = file.find_tensor("token_embd.weight")) {
        const std::uint64_t rows = embedding->dims[1];
        const auto n = static_cast<std::uint64_t>(size());
        if (n > rows)
            return key_error(file, fmt::format("tokenizer.ggml.tokens has {} entries, but "
                                               "token_embd.weight has only {} rows",
                                               n, rows));
        if (n < rows)
            warnings.push_back(fmt::format("the vocabulary has {} tokens and the model {} rows; "
                                           "the rest stands for nothing",
                                           n, rows));
    }
    ALCOVE_ASSIGN_OR_RETURN(const auto architecture,
                            as_tokenizer(file.get_string("general.architecture")));
    if (architecture) {
        const std::string key = fmt::format("{}.vocab_size", *architecture);
        ALCOVE_ASSIGN_OR_RETURN(const auto declared, as_tokenizer(file.get_u64(key)));
        if (declared && *declared < static_cast<std::uint64_t>(size()))
            warnings.push_back(fmt::format("{} is {}, but there are {} tokens", utf8_repair(key),
                                           *declared, size()));
    }
    return ok();
}

Status Vocabulary::read_roles(const GgufFile& file) {
    const auto id_of = [&](std::string_view key, TokenId fallback) -> Result<TokenId> {
        const std::string full = fmt::format("tokenizer.ggml.{}", key);
        const GgufValue* value = file.find(full);
        if (value == nullptr)
            return contains(fallback) ? fallback : -1;
        if (const auto* number = std::get_if<std::int64_t>(&value->value)) {
            // Converters write "none" as −1 in either signedness.
            if (*number == -1 || (*number == 0xFFFFFFFFLL))
                return -1;
            if (*number >= 0 && *number < size())
                return static_cast<TokenId>(*number);
            return key_error(
                file, fmt::format("{} is {}, expected an id below {}", full, *number, size()));
        }
        if (const auto* number = std::get_if<std::uint64_t>(&value->value)) {
            if (*number == 0xFFFFFFFFU)
                return -1;
            if (*number < static_cast<std::uint64_t>(size()))
                return static_cast<TokenId>(*number);
            return key_error(
                file, fmt::format("{} is {}, expected an id below {}", full, *number, size()));
        }
        return key_error(file, fmt::format("{} is not an integer", full));
    };

    // Where the keys are absent the families' own conventions hold, if the pieces confirm them.
    const auto named = [&](TokenId id, std::string_view text) {
        return contains(id) && piece(id) == text ? id : -1;
    };
    const bool spm = model == "llama";
    const bool bert = model == "bert";
    const bool t5 = model == "t5";
    ALCOVE_ASSIGN_OR_RETURN(cls, id_of("cls_token_id", bert ? named(101, "[CLS]") : -1));
    ALCOVE_ASSIGN_OR_RETURN(bos, id_of("bos_token_id", spm ? named(1, "<s>") : bert ? cls : -1));
    // The format spells the key so; some converters spell it right.
    ALCOVE_ASSIGN_OR_RETURN(const TokenId right_spelling,
                            id_of("separator_token_id", bert ? named(102, "[SEP]") : -1));
    ALCOVE_ASSIGN_OR_RETURN(separator, id_of("seperator_token_id", right_spelling));
    ALCOVE_ASSIGN_OR_RETURN(eos, id_of("eos_token_id", spm    ? named(2, "</s>")
                                                       : t5   ? named(1, "</s>")
                                                       : bert ? separator
                                                              : -1));
    ALCOVE_ASSIGN_OR_RETURN(unknown, id_of("unknown_token_id", spm    ? named(0, "<unk>")
                                                               : t5   ? named(2, "<unk>")
                                                               : bert ? named(100, "[UNK]")
                                                                      : -1));
    ALCOVE_ASSIGN_OR_RETURN(const TokenId eot, id_of("eot_token_id", -1));
    ALCOVE_ASSIGN_OR_RETURN(const TokenId eom, id_of("eom_token_id", -1));
    for (const std::string_view key : {"padding_token_id", "mask_token_id"}) {
        ALCOVE_ASSIGN_OR_RETURN([[maybe_unused]] const TokenId checked, id_of(key, -1));
    }

    if (file.find("tokenizer.ggml.token_type") == nullptr)
        for (const TokenId id : {bos, eos, eot, eom, separator, cls})
            if (id >= 0)
                kinds[static_cast<std::size_t>(id)] = TokenKind::Control;

    ALCOVE_ASSIGN_OR_RETURN(add_bos, as_tokenizer(file.get_bool("tokenizer.ggml.add_bos_token")));
    ALCOVE_ASSIGN_OR_RETURN(add_eos, as_tokenizer(file.get_bool("tokenizer.ggml.add_eos_token")));
    ALCOVE_ASSIGN_OR_RETURN(add_space_prefix,
                            as_tokenizer(file.get_bool("tokenizer.ggml.add_space_prefix")));
    mark_ends({eos, eot, eom});
    return ok();
}

void Vocabulary::mark_ends(const std::vector<TokenId>& named) {
    ends_generation.assign(kinds.size(), false);
    for (const TokenId id : named)
        if (id >= 0)
            ends_generation[static_cast<std::size_t>(id)] = true;
    TokenId returns = -1;
    TokenId calls = -1;
    TokenId end = -1;
    for (TokenId id = 0; id < size(); ++id) {
        const std::string_view text = piece(id);
        if (text.size() < 4 || text.size() > 32)
            continue;
        // "</s>" is a name and also a piece of HTML: an end only where it is declared as a marker,
        // or stands beside its "<s>" which begins every text.
        if (text == "</s>") {
            const bool paired = bos >= 0 && piece(bos) == "<s>";
            if (kind(id) == TokenKind::Control || (kind(id) == TokenKind::UserDefined && paired))
                ends_generation[static_cast<std::size_t>(id)] = true;
            continue;
        }
        if (std::find(kEndPieces.begin(), kEndPieces.end(), text) == kEndPieces.end())
            continue;
        if (kind(id) != TokenKind::Control && kind(id) != TokenKind::UserDefined &&
            kind(id) != TokenKind::Unknown)
            continue;
        ends_generation[static_cast<std::size_t>(id)] = true;
        returns = text == "<|return|>" ? id : returns;
        calls = text == "<|call|>" ? id : calls;
        end = text == "<|end|>" ? id : end;
    }
    // What ends an answer, or begins a text, must not be within reach of message text: some files
    // declare it as an ordinary or a user-defined token. ("</s>" may be HTML and stays what it is,
    // unless a key names it.)
    for (TokenId id = 0; id < size(); ++id) {
        const bool by_name = ends_generation[static_cast<std::size_t>(id)] && piece(id) != "</s>";
        const bool by_key = id == bos || std::find(named.begin(), named.end(), id) != named.end();
        if ((by_name || by_key) && !is_marker(id))
            kinds[static_cast<std::size_t>(id)] = TokenKind::Control;
    }
    // The harmony format ends a message inside an answer with <|end|>; the answer goes on.
    if (returns >= 0 && calls >= 0 && end >= 0 && end != eos)
        ends_generation[static_cast<std::size_t>(end)] = false;
}

void Vocabulary::build_index() {
    slots_.assign(std::bit_ceil(kinds.size() * 2 + 2), Slot{});
    const std::size_t mask = slots_.size() - 1;
    for (TokenId id = 0; id < size(); ++id) {
        const std::uint64_t hash = hash_text(piece(id));
        const auto tag = static_cast<std::uint32_t>(hash >> 32U);
        std::size_t at = hash & mask;
        while (slots_[at].id >= 0 && !(slots_[at].tag == tag && piece(slots_[at].id) == piece(id)))
            at = (at + 1) & mask;
        if (slots_[at].id < 0 || (is_marker(slots_[at].id) && !is_marker(id)))
            slots_[at] = {tag, id};
    }
}

TokenId Vocabulary::find(std::string_view text) const noexcept {
    if (text.size() > longest_piece_)
        return -1;
    const std::uint64_t hash = hash_text(text);
    const auto tag = static_cast<std::uint32_t>(hash >> 32U);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].id >= 0; at = (at + 1) & mask)
        if (slots_[at].tag == tag && piece(slots_[at].id) == text)
            return slots_[at].id;
    return -1;
}

TokenId Vocabulary::find_text(std::string_view text) const noexcept {
    const TokenId id = find(text);
    return id >= 0 && !is_marker(id) && kind(id) != TokenKind::Byte ? id : -1;
}

} // namespace alcove
