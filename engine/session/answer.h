#pragma once

#include "engine/session/answer_text.h"
#include "engine/session/engine_session.h"
#include "engine/session/sampler.h"
#include "engine/text/grammar.h"

#include <chrono>
#include <exception>
#include <optional>

namespace alcove {

/// InvalidArgument for settings of `request` that make no sense.
Status check(const GenerateRequest& request);

/// One call of generate(): reads what the session does not hold yet, then writes token by token.
class EngineSession::Answer final : private model::LayerObserver {
public:
    Answer(EngineSession& session, const GenerateRequest& request,
           const GenerateCallbacks& callbacks, std::stop_token stop);

    Result<GenerateResult> run();

private:
    using Clock = std::chrono::steady_clock;

    bool read_prompt();
    /// Tokens of the next chunk of `n_left`: at most n_batch, on a slow machine fewer.
    std::size_t chunk_size(std::size_t n_left) const;
    /// The next token is chosen and shown; true if the answer ends with it.
    Result<bool> write_token();
    /// Closes the logits that the grammar does not allow. Errc::Grammar if none is left.
    Status apply_grammar();
    bool read_token();
    void finish(FinishReason reason, std::string detail = {});
    void show(const std::string& text, TokenId id);
    void report();
    void layer_done(std::int32_t il) noexcept override;
    double seconds_since(Clock::time_point begin) const;

    EngineSession& session_;
    const GenerateRequest& request_;
    const GenerateCallbacks& callbacks_;
    const std::stop_token stop_;
    const Clock::time_point begin_;
    Clock::time_point first_token_, last_report_;
    Sampler sampler_;
    std::optional<GrammarState> grammar_;
    AnswerText text_;
    GenerateResult result_;
    std::int32_t n_chunk_ = 0;   // tokens of the last chunk
    std::int32_t n_read_ = 0;    // prompt tokens of finished chunks
    std::exception_ptr failure_; // thrown by a callback inside a pass
};

} // namespace alcove
