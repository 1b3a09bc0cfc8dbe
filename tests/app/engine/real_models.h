#pragma once

#include "app/engine/engine_service.h"

#include <QFileInfo>
#include <QString>

#include <chrono>
#include <thread>

/// Models for the tests of this room, and the real engine slowed down where a test needs time to
/// act.
namespace alcove::app {

/// A model of 0.6 MB with random weights: answers at once, never ends by itself.
inline QString tinyModel() {
    return QStringLiteral(ALCOVE_TEST_DATA "/models/llama/model.gguf");
}

/// The starter model, or an empty string where it is not there.
inline QString starterModel() {
    const QString folder =
        qEnvironmentVariable("ALCOVE_MODELS", QStringLiteral(ALCOVE_SHARED_DEFAULT "/../models"));
    const QString path = folder + QStringLiteral("/SmolLM2-135M-Instruct.Q4_1.gguf");
    return QFileInfo::exists(path) ? path : QString();
}

/// A real session that waits after each token, still hearing the stop within a few milliseconds.
class SlowSession : public Session {
public:
    SlowSession(std::unique_ptr<Session> inner, int tokenMs)
        : m_inner(std::move(inner)), m_tokenMs(tokenMs) {}

    Result<GenerateResult> generate(const GenerateRequest& request,
                                    const GenerateCallbacks& callbacks,
                                    std::stop_token stop) override {
        GenerateCallbacks slow = callbacks;
        slow.on_progress = [&](const GenerateStats& stats) {
            callbacks.on_progress(stats);
            for (int ms = 0; ms < m_tokenMs && !stop.stop_requested(); ++ms)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        return m_inner->generate(request, slow, stop);
    }
    Result<Evaluation> evaluate(std::span<const TokenId> tokens, const EvaluateOptions& options,
                                std::stop_token stop) override {
        return m_inner->evaluate(tokens, options, stop);
    }
    std::span<const TokenId> tokens() const override { return m_inner->tokens(); }
    void clear() override { m_inner->clear(); }
    std::int32_t n_ctx() const override { return m_inner->n_ctx(); }
    MemoryEstimate memory() const override { return m_inner->memory(); }
    Status set_adapters(std::span<const AdapterUse> uses) override {
        return m_inner->set_adapters(uses);
    }
    Status set_n_threads(std::int32_t n_threads) override {
        return m_inner->set_n_threads(n_threads);
    }

private:
    std::unique_ptr<Session> m_inner;
    int m_tokenMs;
};

inline EngineBackend slowEngine(int tokenMs) {
    EngineBackend backend = realEngine();
    backend.createSession = [real = backend.createSession, tokenMs](
                                std::shared_ptr<const Model> model,
                                const SessionOptions& options) -> Result<std::unique_ptr<Session>> {
        ALCOVE_ASSIGN_OR_RETURN(auto session, real(std::move(model), options));
        return std::unique_ptr<Session>(new SlowSession(std::move(session), tokenMs));
    };
    return backend;
}

/// A load that goes on until it is stopped: for the state "loading", which tiny models pass too
/// quickly.
inline EngineBackend engineThatLoadsForever() {
    EngineBackend backend = realEngine();
    backend.load = [](const std::filesystem::path&, const Model::LoadOptions& options,
                      std::stop_token stop) -> Result<std::shared_ptr<const Model>> {
        for (float fraction = 0; !stop.stop_requested();
             fraction = std::min(0.9F, fraction + 0.01F)) {
            options.on_progress(fraction);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return Error{Errc::Cancelled, "loading was stopped"};
    };
    return backend;
}

} // namespace alcove::app
