#include "app/engine/conversation_controller_p.h"
#include "app/library/file_hash.h"
#include "app/logging.h"
#include "app/store/settings.h"

#include <QFileInfo>

namespace alcove::app {

namespace {

constexpr int kTrashDays = 30;

struct Begun {
    QVector<ModelRecord> crashed;
    int interrupted = 0;
    int purged = 0;
    QHash<QString, QString> settings;
};

/// The model of the setting, else the first that runs.
Result<ModelRecord> defaultModel(Database& database) {
    ModelStore models(database);
    ALCOVE_ASSIGN_OR_RETURN(const double last, SettingsStore(database).get(settings::kLastModel));
    ALCOVE_ASSIGN_OR_RETURN(const QVector<ModelRecord> list, models.list());
    for (const ModelRecord& model : list)
        if (model.id == static_cast<RowId>(last))
            return model;
    for (const ModelRecord& model : list)
        if (model.runnable && !model.loadCrashed && QFileInfo::exists(model.path))
            return model;
    return ModelRecord{};
}

} // namespace

void ConversationController::begin() {
    d->store
        .run([](Database& db) -> Result<Begun> {
            Begun begun;
            ALCOVE_ASSIGN_OR_RETURN(begun.interrupted, MessageStore(db).markInterrupted());
            ALCOVE_ASSIGN_OR_RETURN(begun.crashed, ModelStore(db).takeCrashedLoads());
            ALCOVE_ASSIGN_OR_RETURN(begun.settings, SettingsStore(db).all());
            const QDateTime keptSince = QDateTime::currentDateTimeUtc().addDays(-kTrashDays);
            ALCOVE_ASSIGN_OR_RETURN(begun.purged, ConversationStore(db).purgeTrash(keptSince));
            return begun;
        })
        .then(this, [this](const Result<Begun>& begun) {
            if (!begun) {
                Q_EMIT failed(QStringLiteral("open"), begun.error());
                return;
            }
            d->applySettings(begun->settings);
            for (const ModelRecord& model : begun->crashed)
                Q_EMIT notice(tr("%1 ended the program while it was loaded. It is not loaded by "
                                 "itself again; choose it "
                                 "to try once more")
                                  .arg(model.name));
            if (begun->interrupted > 0 || begun->purged > 0)
                logInfo("app",
                        QStringLiteral("%1 answers were interrupted by the end of the last run; "
                                       "%2 conversations left the trash for good")
                            .arg(begun->interrupted)
                            .arg(begun->purged));
        });
    chooseDefaultModel();
}

void ConversationController::chooseDefaultModel() {
    if (m_model.id != 0) {
        // The library may have learnt more about it (gone, back, replaced).
        d->store.run([id = m_model.id](Database& db) { return ModelStore(db).get(id); })
            .then(this, [this](const Result<ModelRecord>& model) {
                if (model && model->id == m_model.id)
                    d->setModel(*model);
            });
        return;
    }
    d->store.run([](Database& db) { return defaultModel(db); })
        .then(this, [this](const Result<ModelRecord>& model) {
            if (model && model->id != 0 && m_model.id == 0)
                d->setModel(*model);
        });
}

void ConversationController::selectModel(RowId modelId) {
    d->store
        .run([modelId, slot = d->slot](Database& db) -> Result<ModelRecord> {
            ModelStore models(db);
            ALCOVE_RETURN_IF_ERROR(models.clearCrashed(modelId));
            ALCOVE_ASSIGN_OR_RETURN(const ModelRecord model, models.get(modelId));
            ALCOVE_RETURN_IF_ERROR(
                SettingsStore(db).set(settings::kLastModel, static_cast<double>(modelId)));
            if (slot->id != 0)
                ALCOVE_RETURN_IF_ERROR(ConversationStore(db).setModel(slot->id, modelId));
            return model;
        })
        .then(this, [this, view = d->view](const Result<ModelRecord>& model) {
            if (!model) {
                Q_EMIT failed(QStringLiteral("open"), model.error());
                return;
            }
            if (view != d->view)
                return;
            m_modelError = {};
            m_conversation.modelId = model->id;
            m_conversation.modelName = model->name;
            d->setModel(*model);
            Q_EMIT conversationChanged();
        });
}

void ConversationController::loadNow() {
    if (m_model.id == 0) {
        Q_EMIT modelNeeded();
        return;
    }
    if (d->loadJob != 0 || m_modelState == ModelState::Loading)
        return;
    const ModelRecord model = m_model;
    d->store
        .run([id = model.id](Database& db) -> Status {
            ALCOVE_RETURN_IF_ERROR(ModelStore(db).clearCrashed(id));
            return ModelStore(db).beginLoading(id);
        })
        .then(this, [this, model](const Status& marked) {
            if (!marked) {
                Q_EMIT failed(QStringLiteral("load"), marked.error());
                return;
            }
            if (d->loadJob != 0)
                return;
            if (m_model.id == model.id)
                m_model.loadCrashed = false;
            m_modelError = {};
            m_loadFraction = 0;
            d->loadingModel = model;
            d->loadJob = d->engine.loadModel(model.path, d->options);
            d->updateModelState();
        });
}

void ConversationController::cancelLoad() {
    if (d->loadJob != 0)
        d->engine.cancel(d->loadJob);
    for (auto& [conversationId, answer] : d->answers) {
        if (answer.phase != AnswerPhase::Loading || answer.ended)
            continue;
        answer.stopped = true;
        d->engine.cancel(answer.job);
    }
}

void ConversationController::unload() {
    d->engine.unloadModel();
}

void ConversationController::reloadSettings() {
    d->store.run([](Database& db) { return SettingsStore(db).all(); })
        .then(this, [this](const Result<QHash<QString, QString>>& stored) {
            if (stored)
                d->applySettings(*stored);
            else
                Q_EMIT failed(QStringLiteral("settings"), stored.error());
        });
}

void ConversationController::Private::applySettings(const QHash<QString, QString>& stored) {
    namespace s = settings;
    const auto real = [&](const Setting<double>& setting) {
        return static_cast<float>(settingFrom(stored, setting));
    };
    sampling.temperature = real(s::kTemperature);
    sampling.top_k = settingFrom(stored, s::kTopK);
    sampling.top_p = real(s::kTopP);
    sampling.min_p = real(s::kMinP);
    sampling.repeat_penalty = real(s::kRepeatPenalty);
    sampling.repeat_last_n = settingFrom(stored, s::kRepeatLastN);
    sampling.frequency_penalty = real(s::kFrequencyPenalty);
    sampling.presence_penalty = real(s::kPresencePenalty);
    const double seed = settingFrom(stored, s::kSeed);
    newSeedEachTime = seed < 0;
    sampling.seed = newSeedEachTime ? 0 : static_cast<quint64>(seed);
    maxTokens = settingFrom(stored, s::kMaxTokens);
    options.n_ctx = settingFrom(stored, s::kContext);
    options.n_batch = settingFrom(stored, s::kBatch);
    options.n_threads = settingFrom(stored, s::kThreads);
    engine.setThreads(options.n_threads);
}

void ConversationController::Private::setModel(const ModelRecord& model) {
    if (model.id != q.m_model.id)
        q.m_modelError = {};
    q.m_model = model;
    updateModelState();
    Q_EMIT q.modelStateChanged();
    // Whether the file is there is asked of the disk on the store's thread: a network drive may
    // take its time.
    store.run([path = model.path](Database&) -> Result<bool> { return QFileInfo::exists(path); })
        .then(&q, [this, id = model.id](const Result<bool>& there) {
            if (id != q.m_model.id || q.m_modelState == ModelState::Ready ||
                q.m_modelState == ModelState::Loading)
                return;
            if (!there.value_or(true))
                setModelState(ModelState::Away);
            else if (q.m_modelState == ModelState::Away)
                setModelState(ModelState::Known);
        });
}

void ConversationController::Private::setModelState(ModelState state) {
    if (state == q.m_modelState)
        return;
    q.m_modelState = state;
    Q_EMIT q.modelStateChanged();
}

void ConversationController::Private::updateModelState() {
    bool loading = loadJob != 0 && loadingModel.id == q.m_model.id;
    for (const auto& [conversationId, answer] : answers)
        loading = loading || (answer.phase == AnswerPhase::Loading && !answer.ended &&
                              answer.model.id == q.m_model.id);
    if (q.m_model.id == 0)
        setModelState(ModelState::None);
    else if (loading)
        setModelState(ModelState::Loading);
    else if (engine.model() && engine.model()->path == q.m_model.path)
        setModelState(ModelState::Ready);
    else if (!q.m_modelError.message.empty())
        setModelState(ModelState::Failed);
    else if (q.m_modelState != ModelState::Away)
        setModelState(ModelState::Known);
}

void ConversationController::Private::loadEnded(const ModelRecord& model, const Error* error) {
    store.run([id = model.id, good = error == nullptr](Database& db) -> Status {
        ALCOVE_RETURN_IF_ERROR(ModelStore(db).endLoading(id));
        return good ? ModelStore(db).markUsed(id) : ok();
    });
    if (error == nullptr) {
        hashModel(model);
        if (model.id == q.m_model.id)
            q.m_modelError = {};
    } else if (error->code != Errc::Cancelled) {
        if (model.id == q.m_model.id)
            q.m_modelError = *error;
        Q_EMIT q.failed(QStringLiteral("load"), *error);
    }
    updateModelState();
}

void ConversationController::Private::hashModel(const ModelRecord& model) {
    if (!model.sha256.isEmpty() || (model.id == q.m_model.id && !q.m_model.sha256.isEmpty()))
        return;
    // Once per file, at the lowest priority. It names the model in what was answered with it.
    auto promise = std::make_shared<QPromise<QString>>();
    promise->start();
    promise->future().then(&q, [this, id = model.id](const QString& sha256) {
        if (sha256.isEmpty())
            return;
        if (q.m_model.id == id)
            q.m_model.sha256 = sha256;
        for (auto& [conversationId, answer] : answers)
            if (answer.model.id == id)
                answer.model.sha256 = sha256;
        store.run([id, sha256](Database& db) { return ModelStore(db).setSha256(id, sha256); });
    });
    hashing.start([promise, path = model.path, stop = quitting] {
        promise->addResult(fileSha256(path, *stop).value_or(QString()));
        promise->finish();
    });
}

} // namespace alcove::app
