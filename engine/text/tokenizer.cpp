#include "engine/text/tokenizer.h"

#include "engine/text/tokenizer_base.h"
#include "engine/text/utf8.h"

#include <fmt/format.h>

namespace alcove {

namespace {

/// Two bytes of a surrogate (ED A0…BF): already hopeless, but shown together with the third byte,
/// as the reference decoder does, so that the three replacement characters of one surrogate appear
/// at once.
bool is_half_surrogate(std::string_view bytes) noexcept {
    return bytes.size() == 2 && bytes[0] == '\xED' &&
           static_cast<unsigned char>(bytes[1]) >= 0xA0 &&
           static_cast<unsigned char>(bytes[1]) <= 0xBF;
}

} // namespace

Result<std::shared_ptr<const Tokenizer>> Tokenizer::load(const GgufFile& file) {
    ALCOVE_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::read(file));
    const std::string model = vocabulary.model;
    if (model == "gpt2")
        return load_byte_bpe(std::move(vocabulary), file);
    if (model == "llama")
        return load_spm(std::move(vocabulary), file);
    if (model == "gemma4")
        return load_gemma4(std::move(vocabulary), file);
    if (model == "bert")
        return load_wordpiece(std::move(vocabulary), file);
    if (model == "t5")
        return load_unigram(std::move(vocabulary), file);
    return tokenizer_error(
        fmt::format("{}: tokenizer.ggml.model is {}, expected gpt2, llama, gemma4, "
                    "bert or t5",
                    vocabulary.file_name, quote_for_message(model)));
}

TokenStream::TokenStream(std::shared_ptr<const Tokenizer> tokenizer, bool special)
    : tokenizer_(std::move(tokenizer)), special_(special) {}

std::string TokenStream::push(TokenId id) {
    std::string bytes = tokenizer_->token_bytes(id, special_);
    const TokenKind kind = tokenizer_->kind(id);
    if (first_piece_ && kind != TokenKind::Control && kind != TokenKind::Unknown) {
        first_piece_ = false;
        if (tokenizer_->strips_first_space() && !bytes.empty() && bytes[0] == ' ')
            bytes.erase(0, 1);
    }
    pending_ += bytes;
    std::string out;
    std::size_t position = 0;
    while (position < pending_.size()) {
        const std::string_view rest = std::string_view(pending_).substr(position);
        const Utf8Step step = utf8_step(rest);
        if (step.status == Utf8Status::Incomplete || is_half_surrogate(rest))
            break;
        if (step.status == Utf8Status::Valid)
            out.append(rest.substr(0, step.length));
        else
            out.append(kReplacement);
        position += step.length;
    }
    pending_.erase(0, position);
    return out;
}

std::string TokenStream::flush() {
    std::string out = utf8_repair(pending_);
    pending_.clear();
    return out;
}

} // namespace alcove
