#pragma once

#include "engine/adapter/adapter_set.h"
#include "engine/engine.h"
#include "engine/engine_model.h"
#include "engine/kernels/kernel_table.h"
#include "engine/model/forward.h"
#include "engine/model/workspace.h"
#include "engine/session/kv_cache.h"
#include "engine/session/recurrent_state.h"
#include "engine/session/thread_tuner.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace alcove {

/// The Session that Session::create makes. What was read is `tokens_`; the cache holds of their
/// keys and values what a next token may see (KvCache), and recurrent_ the state after them,
/// whatever happened before: a chunk counts only when it was finished.
class EngineSession final : public Session {
public:
    /// See Session::create. May throw.
    static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Model> model,
                                                   const SessionOptions& options);

    Result<GenerateResult> generate(const GenerateRequest& request,
                                    const GenerateCallbacks& callbacks,
                                    std::stop_token stop) override;
    Result<Evaluation> evaluate(std::span<const TokenId> tokens, const EvaluateOptions& options,
                                std::stop_token stop) override;

    Status set_adapters(std::span<const AdapterUse> uses) override;

    std::span<const TokenId> tokens() const override { return tokens_; }
    void clear() override {
        tokens_.clear();
        recurrent_.clear();
    }
    std::int32_t n_ctx() const override { return options_.n_ctx; }
    MemoryEstimate memory() const override;
    Status set_n_threads(std::int32_t n_threads) override;

private:
    class Answer;
    friend class Answer;

    EngineSession(std::shared_ptr<const EngineModel> model, const SessionOptions& resolved,
                  const KernelTable& kernels, KvCache cache, bool automatic_threads);

    const model::LoadedModel& loaded() const { return model_->loaded(); }
    Result<GenerateResult> generate_or_throw(const GenerateRequest& request,
                                             const GenerateCallbacks& callbacks,
                                             const std::stop_token& stop);
    Result<Evaluation> evaluate_or_throw(std::span<const TokenId> tokens,
                                         const EvaluateOptions& options,
                                         const std::stop_token& stop);
    Status check_tokens(std::span<const TokenId> tokens) const;
    Status check_file() const;
    /// Reads one chunk at the end of tokens_, which grows by it; false, unchanged, after a stop.
    bool read(model::Batch batch);
    /// Forgets all tokens but the first `n`, or but fewer: where layers have a state, which can
    /// only go back to a checkpoint, or a window that has moved past what `n` needs. Returns how
    /// many stay; the rest is read again.
    std::size_t keep(std::size_t n);
    /// What a rank-one correction that is no number leads to: nothing of the request is kept.
    Status check_adapters();
    /// Which layer the last `n` tokens first left the numbers in: for the message of Errc::Numeric.
    Error not_a_number(std::int32_t n);

    std::shared_ptr<const EngineModel> model_;
    SessionOptions options_; // resolved
    const KernelTable& kernels_;
    KvCache cache_;
    RecurrentState recurrent_;
    std::unique_ptr<model::Workspace> workspace_;
    std::int32_t n_usable_;
    bool automatic_threads_;               // else exactly options_.n_threads
    ThreadTuner read_tuner_, write_tuner_; // passes of several tokens, of one
    std::vector<TokenId> tokens_;
    std::unique_ptr<adapter::AdapterSet> adapters_; // null: none
    std::string adapters_identity_;                 // of what tokens_ were read with
    double seconds_per_read_token_ = 0;             // of the last long chunk; 0: not known
    std::vector<float> logits_;                     // [n_vocab] of the last token read
};

} // namespace alcove
