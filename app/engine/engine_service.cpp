#include "app/engine/engine_service.h"

#include "app/engine/engine_worker.h"
#include "app/logging.h"

#include <QPromise>
#include <QThread>
#include <QThreadPool>
#include <nlohmann/json.hpp>

#include <deque>

namespace alcove::app {

namespace {

constexpr qint64 kMaxWarmBytes = 1'000'000'000;

template <class T> QFuture<Result<T>> readyFuture(Result<T> value) {
    QPromise<Result<T>> promise;
    promise.start();
    promise.addResult(std::move(value));
    promise.finish();
    return promise.future();
}

} // namespace

EngineBackend realEngine() {
    return {[](const std::filesystem::path& path, const Model::LoadOptions& options,
               std::stop_token stop) { return Model::load(path, options, std::move(stop)); },
            [](std::shared_ptr<const Model> model, const SessionOptions& options) {
                return Session::create(std::move(model), options);
            }};
}

struct EngineService::Private {
    QThread thread;
    EngineWorker* worker = nullptr; // lives on `thread`, deleted when it ends
    EngineEvents events;
    std::shared_ptr<EngineTuning> tuning = std::make_shared<EngineTuning>();
    std::deque<std::shared_ptr<EngineJob>> queue;
    std::shared_ptr<EngineJob> running;
    JobId lastId = 0;
    WarmFacts warm;
    std::shared_ptr<const Model> model; // for counting tokens; immutable
    QThreadPool counters;

    /// Unmapping gigabytes takes a while: let the engine thread be the last to let go.
    void replaceModel(std::shared_ptr<const Model> next) {
        std::swap(model, next);
        QMetaObject::invokeMethod(
            worker, [old = std::move(next)]() mutable { old.reset(); }, Qt::QueuedConnection);
    }
};

EngineService::EngineService(QObject* parent, EngineBackend backend)
    : QObject(parent), d(std::make_unique<Private>()) {
    d->tuning->warmBudget = std::min(readMemoryFacts().systemTotal / 10, kMaxWarmBytes);
    d->counters.setMaxThreadCount(1);
    connectWorker();
    d->worker = new EngineWorker(std::move(backend), d->events, d->tuning);
    d->worker->moveToThread(&d->thread);
    connect(&d->thread, &QThread::finished, d->worker, &QObject::deleteLater);
    d->thread.setObjectName(QStringLiteral("engine"));
    d->thread.start();
    QMetaObject::invokeMethod(
        d->worker, [worker = d->worker] { worker->lowerPriority(); }, Qt::QueuedConnection);
}

EngineService::~EngineService() {
    d->queue.clear();
    if (d->running)
        d->running->stop.request_stop();
    d->counters.clear();
    d->thread.quit();
    d->thread.wait();
    d->counters.waitForDone();
}

void EngineService::connectWorker() {
    // Each event is carried to this object's thread; events that arrive after its end are dropped
    // by Qt.
    const auto here = [this](auto action) {
        QMetaObject::invokeMethod(this, std::move(action), Qt::QueuedConnection);
    };
    EngineEvents& events = d->events;
    events.loadProgress = [=, this](JobId job, double fraction) {
        here([=, this] { Q_EMIT loadProgress(job, fraction); });
    };
    events.loadFinished = [=, this](JobId job, const ModelFacts& facts,
                                    std::shared_ptr<const Model> model, bool ended) {
        here([=, this, model = std::move(model)]() mutable {
            d->replaceModel(std::move(model));
            m_model = facts;
            if (ended)
                jobEnded();
            Q_EMIT modelChanged();
            Q_EMIT loadFinished(job, facts);
            startNext();
        });
    };
    events.unloaded = [=, this](JobId) {
        here([this] {
            d->replaceModel(nullptr);
            m_model.reset();
            jobEnded();
            Q_EMIT modelChanged();
            startNext();
        });
    };
    events.readingProgress = [=, this](JobId job, const ReadingProgress& progress) {
        here([=, this] { Q_EMIT readingProgress(job, progress); });
    };
    events.textReady = [=, this](JobId job, const QString& delta, const Throughput& rate) {
        here([=, this] { Q_EMIT textReady(job, delta, rate); });
    };
    events.finished = [=, this](JobId job, const AnswerResult& result) {
        here([=, this] {
            jobEnded();
            Q_EMIT finished(job, result);
            startNext();
        });
    };
    events.failed = [=, this](JobId job, const Error& error) {
        here([=, this] {
            jobEnded();
            Q_EMIT failed(job, error);
            startNext();
        });
    };
    events.warmChanged = [=, this](const WarmFacts& facts) {
        here([=, this] { d->warm = facts; });
    };
}

JobId EngineService::loadModel(const QString& path, const SessionOptions& options) {
    auto job = std::make_shared<EngineJob>();
    job->kind = EngineJob::Kind::Load;
    job->path = path;
    job->options = options;
    return enqueue(std::move(job));
}

void EngineService::unloadModel() {
    auto job = std::make_shared<EngineJob>();
    job->kind = EngineJob::Kind::Unload;
    enqueue(std::move(job));
}

JobId EngineService::generate(GenerateJob request) {
    auto job = std::make_shared<EngineJob>();
    job->kind = EngineJob::Kind::Generate;
    job->generate = std::move(request);
    return enqueue(std::move(job));
}

JobId EngineService::enqueue(std::shared_ptr<EngineJob> job) {
    const JobId id = ++d->lastId;
    job->id = id;
    d->queue.push_back(std::move(job));
    // Not at once: the caller first gets the number that the events will carry.
    QMetaObject::invokeMethod(this, &EngineService::startNext, Qt::QueuedConnection);
    Q_EMIT queueChanged();
    return id;
}

void EngineService::startNext() {
    if (d->running || d->queue.empty())
        return;
    d->running = d->queue.front();
    d->queue.pop_front();
    QMetaObject::invokeMethod(
        d->worker, [worker = d->worker, job = d->running] { worker->run(*job); },
        Qt::QueuedConnection);
    Q_EMIT jobStarted(d->running->id);
    Q_EMIT queueChanged();
}

void EngineService::jobEnded() {
    d->running.reset();
}

void EngineService::cancel(JobId id) {
    if (d->running && d->running->id == id) {
        d->running->stop.request_stop();
        return;
    }
    const auto found = std::find_if(d->queue.begin(), d->queue.end(),
                                    [&](const auto& job) { return job->id == id; });
    if (found == d->queue.end())
        return;
    d->queue.erase(found);
    QMetaObject::invokeMethod(
        this,
        [this, id] {
            Q_EMIT failed(id, Error{Errc::Cancelled, "the job was stopped before it began"});
        },
        Qt::QueuedConnection);
    Q_EMIT queueChanged();
}

void EngineService::cancelAll() {
    while (!d->queue.empty())
        cancel(d->queue.back()->id);
    if (d->running)
        cancel(d->running->id);
}

JobId EngineService::runningJob() const {
    return d->running ? d->running->id : 0;
}

bool EngineService::isLoading() const {
    return d->running && d->running->kind == EngineJob::Kind::Load;
}

int EngineService::queuePosition(JobId id) const {
    if (d->running && d->running->id == id)
        return 0;
    int position = d->running ? 1 : 0;
    for (const auto& job : d->queue) {
        if (job->id == id)
            return position;
        ++position;
    }
    return -1;
}

QFuture<Result<int>> EngineService::countTokens(const QString& text) {
    if (d->model == nullptr)
        return readyFuture<int>(Error{Errc::NotFound, "no model is loaded"});
    auto promise = std::make_shared<QPromise<Result<int>>>();
    promise->start();
    d->counters.start([promise, text, model = d->model] {
        promise->addResult(Result<int>(static_cast<int>(
            model->tokenizer().encode(text.toStdString(), {.add_special = false}).size())));
        promise->finish();
    });
    return promise->future();
}

QFuture<Result<int>> EngineService::countPrompt(const QVector<ChatTurn>& turns) {
    if (d->model == nullptr)
        return readyFuture<int>(Error{Errc::NotFound, "no model is loaded"});
    auto promise = std::make_shared<QPromise<Result<int>>>();
    promise->start();
    d->counters.start([promise, turns, model = d->model] {
        nlohmann::ordered_json messages = nlohmann::ordered_json::array();
        for (const ChatTurn& turn : turns)
            messages.push_back({{"role", roleName(turn.role).toStdString()},
                                {"content", turn.text.toStdString()}});
        const auto prompt = model->render_chat(messages, {});
        promise->addResult(prompt ? Result<int>(static_cast<int>(prompt->tokens.size()))
                                  : Result<int>(prompt.error()));
        promise->finish();
    });
    return promise->future();
}

MemoryFacts EngineService::memory() const {
    MemoryFacts facts = readMemoryFacts();
    facts.weights = d->warm.weights;
    facts.contexts = d->warm.contexts;
    facts.warmConversations = d->warm.conversations;
    facts.warmBudget = d->tuning->warmBudget.load();
    return facts;
}

void EngineService::forgetConversation(RowId conversationId) {
    QMetaObject::invokeMethod(
        d->worker, [worker = d->worker, conversationId] { worker->forget(conversationId); },
        Qt::QueuedConnection);
}

void EngineService::clearWarm() {
    QMetaObject::invokeMethod(
        d->worker, [worker = d->worker] { worker->clearWarm(); }, Qt::QueuedConnection);
}

void EngineService::setUpdatesPerSecond(int updates) {
    d->tuning->updatesPerSecond = std::clamp(updates, 1, 30);
}
void EngineService::setThreads(int threads) {
    d->tuning->threads = threads;
}
void EngineService::setWarmBudget(qint64 bytes) {
    d->tuning->warmBudget = bytes;
}

} // namespace alcove::app
