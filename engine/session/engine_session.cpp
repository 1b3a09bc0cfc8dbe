#include "engine/session/engine_session.h"

#include "engine/cpu.h"
#include "engine/session/answer.h"
#include "engine/session/memory_need.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <new>

namespace alcove {

namespace {

/// Runs `body` so that nothing is thrown through the engine's face.
template <typename T, typename Body> Result<T> guarded(Body&& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return Error{Errc::Memory, "memory ran out"};
    } catch (const std::exception& error) {
        return Error{Errc::Internal, fmt::format("unexpected failure: {}", error.what())};
    }
}

bool all_finite(std::span<const float> values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

} // namespace

Result<std::unique_ptr<Session>> EngineSession::create(std::shared_ptr<const Model> model,
                                                       const SessionOptions& options) {
    auto engine_model = std::dynamic_pointer_cast<const EngineModel>(std::move(model));
    if (engine_model == nullptr)
        return Error{Errc::InvalidArgument, "a session needs a model that Model::load made"};
    const model::LoadedModel& loaded = engine_model->loaded();
    ALCOVE_ASSIGN_OR_RETURN(const Isa isa, choose_isa(options.isa));
    const KernelTable& kernels = kernel_table(isa);
    ALCOVE_ASSIGN_OR_RETURN(const SessionOptions resolved, resolve(options, loaded.hparams));
    ALCOVE_RETURN_IF_ERROR(check_memory(loaded, resolved, kernels, available_memory_bytes()));
    ALCOVE_ASSIGN_OR_RETURN(KvCache cache, KvCache::create(loaded.hparams, resolved.kv_type,
                                                           resolved.n_ctx, resolved.n_batch));
    if (engine_model->log() && options.n_ctx > resolved.n_ctx)
        engine_model->log()(LogLevel::Warning, "session",
                            fmt::format("a context of {} was asked for, the model was trained for "
                                        "{}: using that",
                                        options.n_ctx, resolved.n_ctx));
    return std::unique_ptr<Session>(new EngineSession(std::move(engine_model), resolved, kernels,
                                                      std::move(cache), options.n_threads == 0));
}

EngineSession::EngineSession(std::shared_ptr<const EngineModel> model,
                             const SessionOptions& resolved, const KernelTable& kernels,
                             KvCache cache, bool automatic_threads)
    : model_(std::move(model)), options_(resolved), kernels_(kernels), cache_(std::move(cache)),
      recurrent_(loaded().hparams),
      workspace_(std::make_unique<model::Workspace>(loaded(), workspace_shape(resolved), kernels)),
      n_usable_(cpu_topology().n_usable), automatic_threads_(automatic_threads),
      read_tuner_(resolved.n_threads), write_tuner_(resolved.n_threads),
      logits_(static_cast<std::size_t>(loaded().hparams.n_vocab)) {
    tokens_.reserve(static_cast<std::size_t>(resolved.n_ctx));
}

MemoryEstimate EngineSession::memory() const {
    MemoryEstimate memory = memory_need(loaded(), options_, kernels_);
    memory.kv_bytes = cache_.reserved_bytes() + RecurrentState::bytes(loaded().hparams);
    return memory;
}

Status EngineSession::set_n_threads(std::int32_t n_threads) {
    return guarded<std::monostate>([&]() -> Status {
        SessionOptions wanted = options_;
        wanted.n_threads = n_threads;
        ALCOVE_ASSIGN_OR_RETURN(const SessionOptions resolved, resolve(wanted, loaded().hparams));
        n_usable_ = cpu_topology().n_usable;
        if (resolved.n_threads == options_.n_threads && automatic_threads_ == (n_threads == 0))
            return ok(); // and what was learnt stays
        if (resolved.n_threads > workspace_->shape().n_threads)
            workspace_ =
                std::make_unique<model::Workspace>(loaded(), workspace_shape(resolved), kernels_);
        options_.n_threads = resolved.n_threads;
        automatic_threads_ = n_threads == 0;
        read_tuner_ = write_tuner_ = ThreadTuner(resolved.n_threads);
        return ok();
    });
}

Status EngineSession::set_adapters(std::span<const AdapterUse> uses) {
    return guarded<std::monostate>([&]() -> Status {
        ALCOVE_ASSIGN_OR_RETURN(
            std::unique_ptr<adapter::AdapterSet> set,
            adapter::AdapterSet::create(uses, loaded().file.get(), options_.n_batch,
                                        options_.activations == Activations::F32));
        std::string identity = adapter::AdapterSet::identity(uses);
        if (identity != adapters_identity_)
            clear(); // keys and values of another set
        adapters_ = std::move(set);
        adapters_identity_ = std::move(identity);
        return ok();
    });
}

Status EngineSession::check_adapters() {
    if (adapters_ == nullptr || !adapters_->failed())
        return ok();
    adapters_->clear_failure();
    clear();
    return Error{Errc::Adapter, "the adapter produced an invalid number; the answer was stopped "
                                "and undone"};
}

Status EngineSession::check_tokens(std::span<const TokenId> tokens) const {
    if (tokens.empty())
        return Error{Errc::InvalidArgument, "the prompt is empty, expected at least one token"};
    const std::int32_t n_vocab = loaded().hparams.n_vocab;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] < 0 || tokens[i] >= n_vocab)
            return Error{Errc::InvalidArgument, fmt::format("token {} is {}, expected 0 to {}", i,
                                                            tokens[i], n_vocab - 1)};
    }
    const auto n_ctx = static_cast<std::size_t>(options_.n_ctx);
    if (tokens.size() > n_ctx)
        return Error{Errc::ContextFull,
                     fmt::format("the prompt has {} tokens, but the context holds {}",
                                 tokens.size(), n_ctx)};
    return ok();
}

Status EngineSession::check_file() const {
    const GgufFile& file = *loaded().file;
    if (!file.is_unchanged())
        return Error{Errc::Io, fmt::format("{}: the file was changed since it was loaded, load the "
                                           "model again",
                                           file.path().filename().string())};
    return ok();
}

bool EngineSession::read(model::Batch batch) {
    using Clock = std::chrono::steady_clock;
    batch.first_pos = static_cast<std::int32_t>(tokens_.size());
    batch.adapters = adapters_.get();
    batch.recurrent = &recurrent_.view();
    ThreadTuner& tuner = batch.tokens.size() == 1 ? write_tuner_ : read_tuner_;
    const std::int32_t n_threads = automatic_threads_ ? tuner.n_threads() : options_.n_threads;
    const Clock::time_point begin = Clock::now();
    cache_.make_room(batch.first_pos, static_cast<std::int32_t>(batch.tokens.size()));
    if (!model::forward(loaded(), kernels_, *workspace_, cache_.view(), batch, n_threads,
                        n_usable_))
        return false;
    if (adapters_ != nullptr && adapters_->failed())
        return false;
    if (automatic_threads_) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        const model::Team& team = workspace_->team;
        constexpr std::int64_t kRare = 20; // of so many waits, one long one is nothing unusual
        tuner.record(seconds / static_cast<double>(batch.tokens.size()),
                     team.n_sleeps() * kRare > team.n_waits());
    }
    tokens_.insert(tokens_.end(), batch.tokens.begin(), batch.tokens.end());
    recurrent_.advance(static_cast<std::int32_t>(batch.tokens.size()));
    return true;
}

std::size_t EngineSession::keep(std::size_t n) {
    if (!recurrent_.empty())
        n = static_cast<std::size_t>(recurrent_.rewind(static_cast<std::int32_t>(n)));
    if (!cache_.holds(static_cast<std::int32_t>(n))) {
        clear();
        return 0;
    }
    tokens_.resize(n);
    return n;
}

Error EngineSession::not_a_number(std::int32_t n) {
    // The pass that failed is made once more, with the stream after each layer kept.
    const model::HParams& hp = loaded().hparams;
    const std::vector<TokenId> last(tokens_.end() - n, tokens_.end());
    tokens_.resize(tokens_.size() - last.size());
    recurrent_.undo(n);
    const std::size_t n_values = last.size() * static_cast<std::size_t>(hp.n_embd);
    std::vector<std::vector<float>> rows(static_cast<std::size_t>(hp.n_layer) + 1,
                                         std::vector<float>(n_values));
    std::vector<float*> l_out;
    for (std::size_t il = 1; il < rows.size(); ++il)
        l_out.push_back(rows[il].data());
    const model::NodeSink sink{.embd = rows[0].data(), .l_out = l_out};
    model::Batch batch;
    batch.tokens = last;
    batch.logits_from = n;
    batch.nodes = &sink;
    read(batch);
    std::string where = "in the output layer";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (all_finite(rows[i]))
            continue;
        where = i == 0 ? "in the embedding" : fmt::format("first in layer {}", i - 1);
        break;
    }
    return Error{Errc::Numeric,
                 fmt::format("{}: the model computes values that are not numbers, {}",
                             loaded().file->path().filename().string(), where)};
}

Result<GenerateResult> EngineSession::generate(const GenerateRequest& request,
                                               const GenerateCallbacks& callbacks,
                                               std::stop_token stop) {
    return guarded<GenerateResult>([&]() -> Result<GenerateResult> {
        ALCOVE_RETURN_IF_ERROR(check_file());
        ALCOVE_RETURN_IF_ERROR(check_tokens(request.prompt));
        ALCOVE_RETURN_IF_ERROR(check(request));
        Result<GenerateResult> result = Answer(*this, request, callbacks, stop).run();
        ALCOVE_RETURN_IF_ERROR(check_adapters());
        return result;
    });
}

Result<Session::Evaluation> EngineSession::evaluate(std::span<const TokenId> tokens,
                                                    const EvaluateOptions& options,
                                                    std::stop_token stop) {
    return guarded<Evaluation>([&]() -> Result<Evaluation> {
        ALCOVE_RETURN_IF_ERROR(check_file());
        ALCOVE_RETURN_IF_ERROR(check_tokens(tokens));
        Result<Evaluation> result = evaluate_or_throw(tokens, options, stop);
        ALCOVE_RETURN_IF_ERROR(check_adapters());
        return result;
    });
}

} // namespace alcove
