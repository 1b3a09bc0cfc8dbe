#pragma once

#include "app/engine/engine_service.h"

#include <QElapsedTimer>

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <stop_token>

namespace alcove::app {

/// One job as it travels from the service to the engine thread. Only `stop` is used from both
/// sides.
struct EngineJob {
    enum class Kind { Load, Unload, Generate };
    JobId id = 0;
    Kind kind = Kind::Load;
    std::stop_source stop;
    QString path;           // Load
    SessionOptions options; // Load
    GenerateJob generate;   // Generate
};

/// What both threads may read and set at any time.
struct EngineTuning {
    std::atomic<int> updatesPerSecond{30};
    std::atomic<int> threads{-1}; ///< −1: as the load's options say
    std::atomic<qint64> warmBudget{0};
};

/// Memory of the warm conversations after a job.
struct WarmFacts {
    qint64 weights = 0, contexts = 0;
    int conversations = 0;
};

/// Where the worker's events go; each is called on the engine thread.
struct EngineEvents {
    std::function<void(JobId, double)> loadProgress;
    /// `ended`: the job was a load; else it goes on to answer.
    std::function<void(JobId, ModelFacts, std::shared_ptr<const Model>, bool ended)> loadFinished;
    std::function<void(JobId)> unloaded;
    std::function<void(JobId, ReadingProgress)> readingProgress;
    std::function<void(JobId, QString, Throughput)> textReady;
    std::function<void(JobId, AnswerResult)> finished;
    std::function<void(JobId, Error)> failed;
    std::function<void(WarmFacts)> warmChanged;
};

class AnswerReporter;

/// Lives on the engine thread. Owns the model and the sessions; nobody else touches them.
class EngineWorker : public QObject {
    Q_OBJECT

public:
    EngineWorker(EngineBackend backend, EngineEvents events, std::shared_ptr<EngineTuning> tuning);

    void lowerPriority(); ///< once, before the first parallel region: its threads inherit it
    void run(const EngineJob& job);
    void forget(RowId conversationId);
    void clearWarm();

private:
    /// The state of one conversation, most recently used first in the list. 0: not given to a
    /// conversation yet.
    struct Warm {
        RowId conversationId = 0;
        std::unique_ptr<Session> session;
        // The answer written last, token by token: Continue takes it up exactly, without reading it
        // again. Tokenising its text could give other tokens.
        std::vector<TokenId> prompt, answer;
        QString text;
    };

    /// A request ready for the session that is to serve it.
    struct Prepared {
        Warm* warm = nullptr;
        GenerateRequest request;
        std::vector<TokenId> prompt, begun; ///< the request's prompt is both in turn
    };

    Status load(const EngineJob& job, const QString& path, SessionOptions options, bool ended);
    Status prepare(const EngineJob& job); ///< an answer's model and options
    /// Gives the session the job's adapters, which are loaded and checked where they are not.
    Status useAdapters(const EngineJob& job, Session& session);
    Result<GenerateResult> answer(const EngineJob& job, AnswerResult& result,
                                  AnswerReporter& reporter);
    void unload(const EngineJob& job);
    void generate(const EngineJob& job);
    Result<Prepared> makeRequest(const GenerateJob& job, AnswerResult& answer);
    /// The conversation's session, else a spare one, else a new one if the budget allows, else the
    /// least recently used one, emptied.
    Result<Warm*> sessionFor(RowId conversationId);
    void reportWarm();

    EngineBackend m_backend;
    EngineEvents m_events;
    std::shared_ptr<EngineTuning> m_tuning;
    std::shared_ptr<const Model> m_model;
    ModelFacts m_facts;
    SessionOptions m_options;
    std::list<Warm> m_warm;
    /// By hash; of the present model. Those that no session uses are gone.
    std::map<QString, std::weak_ptr<const Adapter>> m_adapters;
    double m_readRate = 0; // tokens per second that this model read last; for the first forecast
};

/// Gathers what one generate call reports into events at the agreed rates. Used on the engine
/// thread.
class AnswerReporter {
public:
    AnswerReporter(JobId job, const EngineEvents& events, const EngineTuning& tuning,
                   double readRate);

    void text(std::string_view piece);
    void progress(const GenerateStats& stats);
    void flush(); ///< what is left, before the end is told
    Throughput rate() const { return m_rate; }
    double readRate() const { return m_readRate; }

private:
    void reading(const GenerateStats& stats);
    void measure(const GenerateStats& stats);

    JobId m_job;
    const EngineEvents& m_events;
    const EngineTuning& m_tuning;
    double m_readRate;
    QElapsedTimer m_clock;
    qint64 m_lastReadingMs = -1, m_lastTextMs = -1;
    std::string m_pending; // whole characters
    Throughput m_rate;
    struct Sample {
        qint64 ms;
        int tokens;
    };
    std::list<Sample> m_samples; // of the last 2 seconds
};

} // namespace alcove::app
