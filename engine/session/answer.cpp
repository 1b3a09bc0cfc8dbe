#include "engine/session/answer.h"

#include <algorithm>
#include <fmt/format.h>

namespace alcove {

namespace {

constexpr std::chrono::milliseconds kReportInterval{40};

/// Tokens of a chunk that reads as fast, per token, as a longer one.
constexpr std::size_t kEnough = 128;

std::int32_t to_count(std::size_t n) {
    return static_cast<std::int32_t>(n);
}

} // namespace

Status check(const GenerateRequest& request) {
    if (request.n_predict < -1)
        return Error{Errc::InvalidArgument,
                     fmt::format("the number of tokens to write is {}, expected -1 or more",
                                 request.n_predict)};
    for (const std::string& stop : request.stop) {
        if (stop.empty())
            return Error{Errc::InvalidArgument, "a stop string is empty, expected text"};
    }
    return validate(request.sampling);
}

// Padding rows of the output layer, which no token belongs to, are never chosen.
EngineSession::Answer::Answer(EngineSession& session, const GenerateRequest& request,
                              const GenerateCallbacks& callbacks, std::stop_token stop)
    : session_(session), request_(request), callbacks_(callbacks), stop_(std::move(stop)),
      begin_(Clock::now()), first_token_(begin_), last_report_(begin_),
      sampler_(request.sampling,
               std::min(session.loaded().hparams.n_vocab, session.model_->tokenizer().n_vocab())),
      text_(session.model_->shared_tokenizer(), request.stop) {
    if (request.grammar)
        grammar_.emplace(request.grammar, session.model_->grammar_vocabulary());
}

double EngineSession::Answer::seconds_since(Clock::time_point begin) const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<GenerateResult> EngineSession::Answer::run() {
    GenerateStats& stats = result_.stats;
    stats.prompt_tokens = to_count(request_.prompt.size());
    stats.n_ctx = session_.options_.n_ctx;
    sampler_.reset(request_.prompt);
    if (!read_prompt()) {
        finish(FinishReason::Cancel);
        return std::move(result_);
    }
    if (request_.n_predict == 0) {
        finish(FinishReason::Length);
        return std::move(result_);
    }
    for (;;) {
        ALCOVE_ASSIGN_OR_RETURN(const bool ended, write_token());
        if (ended)
            return std::move(result_);
        if (!read_token()) {
            finish(FinishReason::Cancel);
            return std::move(result_);
        }
    }
}

std::size_t EngineSession::Answer::chunk_size(std::size_t n_left) const {
    // What a stop request throws away is the chunk that it falls into. A long one reads faster,
    // but no faster than kEnough; the answer does not depend on where chunks end.
    constexpr double kSeconds = 1.5;
    std::size_t n = static_cast<std::size_t>(session_.options_.n_batch);
    if (session_.recurrent_.empty() && n > kEnough) {
        const double seconds = session_.seconds_per_read_token_;
        const double fits = seconds > 0 ? kSeconds / seconds : 0;
        n = fits >= static_cast<double>(n)
                ? n
                : std::max(kEnough, static_cast<std::size_t>(fits) / kEnough * kEnough);
        // A last token alone would be read as one that is written, with other roundings.
        if (n_left == n + 1)
            --n;
    }
    return std::min(n_left, n);
}

bool EngineSession::Answer::read_prompt() {
    const std::vector<TokenId>& prompt = request_.prompt;
    const std::vector<TokenId>& tokens = session_.tokens_;
    const auto common = std::mismatch(tokens.begin(), tokens.end(), prompt.begin(), prompt.end());
    // The last token is read again in any case: its logits are what the answer begins with.
    const std::size_t n_keep = session_.keep(
        std::min(static_cast<std::size_t>(common.first - tokens.begin()), prompt.size() - 1));
    // Where layers have a state, it is kept before the last token, for the next answer to this
    // prompt: that token is then read alone.
    const bool keeps_state = !session_.recurrent_.empty();
    result_.stats.cached_tokens = to_count(n_keep);
    report();
    for (std::size_t at = n_keep; at < prompt.size();) {
        std::size_t n = chunk_size(prompt.size() - at);
        if (keeps_state && at + 1 == prompt.size())
            session_.recurrent_.save();
        else if (keeps_state && at + n == prompt.size())
            --n;
        n_chunk_ = to_count(n);
        model::Batch batch;
        batch.tokens = std::span(prompt).subspan(at, n);
        batch.logits_from = at + n == prompt.size() ? n_chunk_ - 1 : n_chunk_;
        batch.logits = session_.logits_.data();
        batch.observer = this;
        batch.stop = stop_;
        const Clock::time_point chunk_begin = Clock::now();
        const bool complete = session_.read(batch);
        if (complete && n >= kEnough)
            session_.seconds_per_read_token_ = seconds_since(chunk_begin) / static_cast<double>(n);
        if (failure_)
            std::rethrow_exception(failure_);
        if (complete)
            n_read_ += n_chunk_;
        result_.stats.prefilled_tokens = n_read_;
        result_.stats.prefill_seconds = seconds_since(begin_);
        report();
        if (!complete)
            return false;
        at += n;
    }
    return !stop_.stop_requested();
}

void EngineSession::Answer::layer_done(std::int32_t il) noexcept {
    if (failure_ || Clock::now() - last_report_ < kReportInterval)
        return;
    try {
        const std::int64_t part = std::int64_t{n_chunk_} * (il + 1);
        result_.stats.prefilled_tokens =
            n_read_ + static_cast<std::int32_t>(part / session_.loaded().hparams.n_layer);
        result_.stats.prefill_seconds = seconds_since(begin_);
        report();
    } catch (...) {
        failure_ = std::current_exception();
    }
}

Status EngineSession::Answer::apply_grammar() {
    if (!grammar_)
        return ok();
    const std::span<const std::uint64_t> allowed = grammar_->allowed();
    if (std::all_of(allowed.begin(), allowed.end(), [](std::uint64_t bits) { return bits == 0; }))
        return Error{Errc::Grammar,
                     fmt::format("after {} tokens the grammar asks for characters that no token of "
                                 "this model can write",
                                 text_.ids().size())};
    grammar_->mask(session_.logits_);
    return ok();
}

Result<bool> EngineSession::Answer::write_token() {
    GenerateStats& stats = result_.stats;
    const auto n_vocab = static_cast<std::size_t>(
        std::min(session_.loaded().hparams.n_vocab, session_.model_->tokenizer().n_vocab()));
    ALCOVE_RETURN_IF_ERROR(apply_grammar());
    Result<TokenId> chosen = sampler_.sample(std::span(session_.logits_).first(n_vocab));
    if (!chosen && chosen.error().code == Errc::Numeric)
        return session_.not_a_number(n_chunk_);
    ALCOVE_ASSIGN_OR_RETURN(const TokenId id, std::move(chosen));
    sampler_.accept(id);
    ++stats.generated_tokens;
    if (stats.generated_tokens == 1) {
        first_token_ = Clock::now();
        stats.first_token_seconds = seconds_since(begin_);
    }
    stats.decode_seconds = seconds_since(first_token_);

    const bool is_end = session_.model_->tokenizer().is_end_of_generation(id);
    if (is_end && (grammar_ || !request_.ignore_end)) {
        finish(grammar_ && grammar_->is_finished() ? FinishReason::Grammar : FinishReason::Stop);
        return true;
    }
    if (grammar_ && !grammar_->accept(id))
        return Error{Errc::Grammar, fmt::format("token {} was chosen against the grammar", id)};
    show(text_.push(id), id);
    if (text_.stopped()) {
        finish(FinishReason::Stop, text_.matched());
        return true;
    }
    report();
    if (grammar_ && grammar_->is_finished()) {
        finish(FinishReason::Grammar);
        return true;
    }
    if (request_.n_predict >= 0 && stats.generated_tokens >= request_.n_predict) {
        finish(FinishReason::Length);
        return true;
    }
    const auto n_used = to_count(session_.tokens_.size());
    if (n_used >= session_.options_.n_ctx) {
        finish(FinishReason::Context, fmt::format("the context is full: {} of {} tokens", n_used,
                                                  session_.options_.n_ctx));
        return true;
    }
    return false;
}

bool EngineSession::Answer::read_token() {
    const TokenId id = text_.ids().back();
    n_chunk_ = 1;
    model::Batch batch;
    batch.tokens = std::span(&id, 1);
    batch.logits = session_.logits_.data();
    batch.stop = stop_;
    return !stop_.stop_requested() && session_.read(batch);
}

void EngineSession::Answer::finish(FinishReason reason, std::string detail) {
    const TokenId last = text_.ids().empty() ? -1 : text_.ids().back();
    show(text_.flush(), last);
    if (text_.stopped() && detail.empty() && reason != FinishReason::Cancel) {
        // The last held bytes completed a stop string.
        reason = FinishReason::Stop;
        detail = text_.matched();
    }
    result_.text = text_.text();
    result_.ids = text_.ids();
    result_.finish = reason;
    result_.finish_detail = std::move(detail);
    report();
}

void EngineSession::Answer::show(const std::string& text, TokenId id) {
    if (!text.empty() && callbacks_.on_text)
        callbacks_.on_text(text, id);
}

void EngineSession::Answer::report() {
    last_report_ = Clock::now();
    result_.stats.n_ctx_used = to_count(session_.tokens_.size());
    if (callbacks_.on_progress)
        callbacks_.on_progress(result_.stats);
}

} // namespace alcove
