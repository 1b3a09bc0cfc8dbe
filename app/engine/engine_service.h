#pragma once

#include "app/engine/engine_types.h"

#include <QFuture>
#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace alcove::app {

struct EngineJob;

/// What an EngineService needs of the engine; the real one is realEngine(). Another one stands in
/// only in tests of rare states (a failing allocation, a speed that no real model gives).
struct EngineBackend {
    std::function<Result<std::shared_ptr<const Model>>(const std::filesystem::path&,
                                                       const Model::LoadOptions&, std::stop_token)>
        load;
    std::function<Result<std::unique_ptr<Session>>(std::shared_ptr<const Model>,
                                                   const SessionOptions&)>
        createSession;
};
EngineBackend realEngine();

/// The engine behind a queue of jobs. Lives on the thread that made it (the window's); owns the
/// engine thread, where the model and all sessions live. Jobs run one at a time in the order they
/// were given; every job ends with exactly one of loadFinished, finished or failed (Errc::Cancelled
/// after cancel() of a load or of a job that had not begun). Nothing here blocks, and no lock is
/// shared with the engine's work: events are queued signals that carry values. Destroying it stops
/// everything within a second.
class EngineService : public QObject {
    Q_OBJECT

public:
    explicit EngineService(QObject* parent = nullptr, EngineBackend backend = realEngine());
    ~EngineService() override;

    /// Loads a model file; on success it takes the place of the present one. A failed or cancelled
    /// load leaves the present one usable.
    JobId loadModel(const QString& path, const SessionOptions& options = {});
    /// After the running job; frees model and warm conversations. Emits modelChanged.
    void unloadModel();
    JobId generate(GenerateJob job);
    /// At any moment: waiting, loading, reading, writing. Unknown or ended jobs: nothing happens. A
    /// stopped answer ends with finished and FinishReason::Cancel.
    void cancel(JobId job);
    void cancelAll();

    /// Facts of the loaded model; empty if there is none.
    const std::optional<ModelFacts>& model() const { return m_model; }
    JobId runningJob() const; ///< 0: idle
    /// 0: running now; 1, 2, …: so many jobs before it; −1: unknown or ended.
    int queuePosition(JobId job) const;
    bool isLoading() const; ///< the running job is a load

    /// Tokens of `text` as a message's content for the loaded model, counted on a worker thread.
    /// Errc::NotFound without a model.
    QFuture<Result<int>> countTokens(const QString& text);
    /// Tokens that `turns` take as the model sees them, with the template.
    QFuture<Result<int>> countPrompt(const QVector<ChatTurn>& turns);
    /// Measured now; cheap (reads /proc), but meant for at most 4 times a second.
    MemoryFacts memory() const;
    /// Frees the state of a conversation (deleted), or of all.
    void forgetConversation(RowId conversationId);
    void clearWarm();

    /// Most text events per second: 30 by default, 1 when the window is hidden.
    void setUpdatesPerSecond(int updates);
    /// Threads of later jobs; 0: automatic.
    void setThreads(int threads);
    void setWarmBudget(
        qint64 bytes); ///< default: 10 % of memory, at most 1 GB; the last one used is always kept

Q_SIGNALS:
    void jobStarted(quint64 job);
    void queueChanged(); ///< some job's position changed

    void loadProgress(quint64 job, double fraction);
    void loadFinished(quint64 job, const alcove::app::ModelFacts& facts);
    void modelChanged(); ///< model() is another one or none

    void readingProgress(quint64 job,
                         const alcove::app::ReadingProgress& progress); ///< at most 10 per second
    /// New text, at most 30 times a second. Whole characters.
    void textReady(quint64 job, const QString& delta, const alcove::app::Throughput& rate);
    void finished(quint64 job, const alcove::app::AnswerResult& result);
    void failed(quint64 job, const alcove::Error& error);

private:
    struct Private;
    std::unique_ptr<Private> d;
    JobId enqueue(std::shared_ptr<EngineJob> job);
    void startNext();
    void connectWorker();
    void jobEnded();

    std::optional<ModelFacts> m_model;
};

} // namespace alcove::app
