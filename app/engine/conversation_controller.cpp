#include "app/engine/conversation_controller.h"

#include "app/engine/conversation_controller_p.h"
#include "app/store/settings.h"

#include <algorithm>

namespace alcove::app {

namespace {

struct Opened {
    Conversation conversation;
    QVector<Message> messages;
    ModelRecord model; // id 0: the conversation has none
    QVector<AdapterChoice> adapters;
};

Result<Opened> readConversation(Database& database, RowId id) {
    Opened opened;
    ALCOVE_ASSIGN_OR_RETURN(opened.conversation, ConversationStore(database).get(id));
    ALCOVE_ASSIGN_OR_RETURN(opened.messages,
                            MessageStore(database).path(opened.conversation.leafId));
    if (opened.conversation.modelId != 0) {
        ALCOVE_ASSIGN_OR_RETURN(opened.model,
                                ModelStore(database).get(opened.conversation.modelId));
    }
    ALCOVE_ASSIGN_OR_RETURN(opened.adapters, AdapterStore(database).chosen(id));
    ALCOVE_RETURN_IF_ERROR(
        SettingsStore(database).set(settings::kLastConversation, static_cast<double>(id)));
    return opened;
}

struct NewPath {
    QVector<RowId> path;
    qsizetype from = 0; // first place where it differs from the one shown
    QVector<Message> messages;
};

/// The path to the leaf, loaded from where it leaves the one shown.
Result<NewPath> readPath(Database& database, RowId leaf, const QVector<RowId>& shown) {
    NewPath result;
    MessageStore messages(database);
    ALCOVE_ASSIGN_OR_RETURN(result.path, messages.pathIds(leaf));
    const qsizetype common = std::min(result.path.size(), shown.size());
    while (result.from < common && result.path[result.from] == shown[result.from])
        ++result.from;
    const std::span<const RowId> rest(result.path.constData() + result.from,
                                      static_cast<std::size_t>(result.path.size() - result.from));
    ALCOVE_ASSIGN_OR_RETURN(result.messages, messages.load(rest));
    return result;
}

} // namespace

ConversationController::Private::Private(ConversationController& controller,
                                         StoreThread& storeThread, EngineService& engineService)
    : q(controller), store(storeThread), engine(engineService) {
    hashing.setMaxThreadCount(1);
}

ConversationController::ConversationController(StoreThread& store, EngineService& engine,
                                               QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(*this, store, engine)) {
    d->saveTimer.setInterval(500);
    connect(&d->saveTimer, &QTimer::timeout, this, [this] { d->save(); });
    connect(&engine, &EngineService::readingProgress, this,
            [this](JobId job, const ReadingProgress& progress) {
                if (LiveAnswer* answer = d->liveByJob(job)) {
                    d->setPhase(*answer, AnswerPhase::Reading);
                    if (d->shown(*answer))
                        Q_EMIT readingProgress(progress);
                }
            });
    connect(&engine, &EngineService::textReady, this,
            [this](JobId job, const QString& delta, const Throughput& rate) {
                d->grow(job, delta, rate);
            });
    connect(&engine, &EngineService::finished, this,
            [this](JobId job, const AnswerResult& result) { d->jobFinished(job, result); });
    connect(&engine, &EngineService::failed, this,
            [this](JobId job, const Error& error) { d->jobFailed(job, error); });
    connect(&engine, &EngineService::loadProgress, this, [this](JobId job, double fraction) {
        LiveAnswer* answer = d->liveByJob(job);
        if (answer != nullptr)
            d->setPhase(*answer, AnswerPhase::Loading);
        if (job != d->loadJob && answer == nullptr)
            return;
        m_loadFraction = fraction;
        d->updateModelState();
        Q_EMIT modelStateChanged();
    });
    connect(&engine, &EngineService::loadFinished, this, [this](JobId job, const ModelFacts&) {
        if (LiveAnswer* answer = d->liveByJob(job)) {
            answer->loadMarked = false;
            d->setPhase(*answer, AnswerPhase::Waiting);
            d->loadEnded(answer->model, nullptr);
        } else if (job == d->loadJob) {
            d->loadJob = 0;
            d->loadEnded(d->loadingModel, nullptr);
        }
    });
    connect(&engine, &EngineService::modelChanged, this, [this] { d->updateModelState(); });
    connect(&engine, &EngineService::queueChanged, this, [this] {
        if (phase() == AnswerPhase::Waiting)
            Q_EMIT phaseChanged(AnswerPhase::Waiting); // its position may be another one
    });
}

ConversationController::~ConversationController() {
    *d->quitting = true;
    d->hashing.clear();
    for (auto& [conversationId, answer] : d->answers) {
        d->engine.cancel(answer.job);
        if (!answer.saving)
            d->saveOne(answer);
        if (answer.loadMarked)
            d->store.run(
                [id = answer.model.id](Database& db) { return ModelStore(db).endLoading(id); });
    }
    if (d->loadJob != 0) {
        d->engine.cancel(d->loadJob);
        d->store.run(
            [id = d->loadingModel.id](Database& db) { return ModelStore(db).endLoading(id); });
    }
}

void ConversationController::openLast() {
    d->store
        .run([](Database& db) -> Result<RowId> {
            ALCOVE_ASSIGN_OR_RETURN(const double id,
                                    SettingsStore(db).get(settings::kLastConversation));
            const auto found = ConversationStore(db).get(static_cast<RowId>(id));
            return found && found->deletedAt.isNull() ? found->id : 0;
        })
        .then(this, [this, view = d->view](const Result<RowId>& id) {
            if (view != d->view)
                return; // something was opened meanwhile
            if (id && *id != 0)
                open(*id);
            else
                openNew();
        });
}

void ConversationController::open(RowId conversationId) {
    d->openAgain(conversationId, 0);
}

void ConversationController::Private::openAgain(RowId conversationId, int attempt) {
    const quint64 thisView = ++view;
    store.run([conversationId](Database& db) { return readConversation(db, conversationId); })
        .then(&q, [this, thisView, conversationId, attempt](const Result<Opened>& opened) {
            if (thisView != view)
                return;
            if (!opened) {
                Q_EMIT q.failed(QStringLiteral("open"), opened.error());
                return;
            }
            // An answer that ended between the reading and now is read once more.
            const bool writing = !opened->messages.isEmpty() &&
                                 opened->messages.constLast().state == MessageState::Writing;
            if (writing && live(conversationId) == nullptr && attempt == 0) {
                openAgain(conversationId, attempt + 1);
                return;
            }
            if (opened->model.id != 0)
                setModel(opened->model);
            q.m_adapters = opened->adapters;
            show(opened->conversation, opened->messages);
        });
}

void ConversationController::openNew() {
    ++d->view;
    Conversation fresh;
    fresh.modelId = m_model.id;
    m_adapters.clear();
    d->show(fresh, {});
}

void ConversationController::Private::show(Conversation conversation, QVector<Message> messages) {
    slot = std::make_shared<ConversationSlot>(ConversationSlot{conversation.id});
    sending = false;
    stopSending = false;
    withLiveText(messages);
    q.m_conversation = std::move(conversation);
    q.m_path.clear();
    for (const Message& message : std::as_const(messages))
        q.m_path.append(message.id);
    Q_EMIT q.conversationChanged();
    Q_EMIT q.adaptersChanged();
    Q_EMIT q.messagesReset(messages);
    Q_EMIT q.phaseChanged(q.phase());
}

void ConversationController::Private::withLiveText(QVector<Message>& messages) const {
    for (const auto& [conversationId, answer] : answers)
        for (Message& message : messages)
            if (message.id == answer.message.id)
                message.text = answer.message.text;
}

void ConversationController::Private::tell(const Conversation& conversation) {
    if (conversation.id == q.m_conversation.id) {
        q.m_conversation = conversation;
        Q_EMIT q.conversationChanged();
    }
    Q_EMIT q.conversationUpdated(conversation);
}

void ConversationController::rename(RowId conversationId, const QString& title) {
    d->store
        .run([=](Database& db) -> Result<Conversation> {
            ALCOVE_RETURN_IF_ERROR(ConversationStore(db).rename(conversationId, title));
            return ConversationStore(db).get(conversationId);
        })
        .then(this, [this](const Result<Conversation>& renamed) {
            if (renamed)
                d->tell(*renamed);
            else
                Q_EMIT failed(QStringLiteral("rename"), renamed.error());
        });
}

void ConversationController::moveToTrash(RowId conversationId) {
    if (LiveAnswer* answer = d->live(conversationId)) {
        answer->stopped = true;
        answer->queued.clear();
        d->engine.cancel(answer->job);
    }
    d->engine.forgetConversation(conversationId);
    d->store.run([=](Database& db) { return ConversationStore(db).moveToTrash(conversationId); })
        .then(this, [this, conversationId](const Status& moved) {
            if (!moved) {
                Q_EMIT failed(QStringLiteral("delete"), moved.error());
                return;
            }
            Q_EMIT conversationRemoved(conversationId);
            if (m_conversation.id == conversationId)
                openNew();
        });
}

void ConversationController::restore(RowId conversationId) {
    d->store
        .run([=](Database& db) -> Result<Conversation> {
            ALCOVE_RETURN_IF_ERROR(ConversationStore(db).restore(conversationId));
            return ConversationStore(db).get(conversationId);
        })
        .then(this, [this](const Result<Conversation>& restored) {
            if (restored)
                Q_EMIT conversationRestored(*restored);
            else
                Q_EMIT failed(QStringLiteral("delete"), restored.error());
        });
}

void ConversationController::saveDraft(const QString& text, int caret) {
    m_conversation.draft = text;
    m_conversation.draftCaret = caret;
    const QString systemPrompt = m_conversation.systemPrompt;
    const RowId modelId = m_model.id;
    d->store
        .run([=, slot = d->slot](Database& db) -> Result<Conversation> {
            ConversationStore conversations(db);
            if (slot->id == 0) {
                if (text.isEmpty())
                    return Conversation{}; // nothing to keep
                ALCOVE_ASSIGN_OR_RETURN(const Conversation made,
                                        conversations.create(systemPrompt, modelId));
                slot->id = made.id;
                ALCOVE_RETURN_IF_ERROR(SettingsStore(db).set(settings::kLastConversation,
                                                             static_cast<double>(made.id)));
            }
            ALCOVE_RETURN_IF_ERROR(Private::keepAdapters(db, *slot));
            ALCOVE_RETURN_IF_ERROR(conversations.saveDraft(slot->id, text, caret));
            return conversations.get(slot->id);
        })
        .then(this, [this, view = d->view](const Result<Conversation>& saved) {
            if (!saved) {
                Q_EMIT failed(QStringLiteral("save"), saved.error());
                return;
            }
            if (saved->id == 0)
                return;
            if (view == d->view && m_conversation.id == 0) {
                m_conversation.id = saved->id;
                Q_EMIT conversationChanged();
            }
            Q_EMIT conversationUpdated(*saved);
            Q_EMIT draftSaved(saved->id);
        });
}

void ConversationController::setSystemPrompt(const QString& text) {
    m_conversation.systemPrompt = text;
    d->store
        .run([=, slot = d->slot](Database& db) -> Status {
            return slot->id == 0 ? ok() : ConversationStore(db).setSystemPrompt(slot->id, text);
        })
        .then(this, [this](const Status& saved) {
            if (!saved)
                Q_EMIT failed(QStringLiteral("save"), saved.error());
        });
    Q_EMIT conversationChanged();
}

void ConversationController::editAnswer(RowId answerId, const QString& text) {
    d->store
        .run([=, shown = m_path](Database& db) -> Result<NewPath> {
            ALCOVE_ASSIGN_OR_RETURN(const Message edited,
                                    MessageStore(db).addEditedAnswer(answerId, text));
            return readPath(db, edited.id, shown);
        })
        .then(this, [this, view = d->view](const Result<NewPath>& changed) {
            if (changed)
                d->replacePath(view, changed->path, changed->from, changed->messages);
            else
                Q_EMIT failed(QStringLiteral("save"), changed.error());
        });
}

void ConversationController::selectSibling(RowId messageId) {
    d->store
        .run([=, shown = m_path](Database& db) -> Result<NewPath> {
            ALCOVE_ASSIGN_OR_RETURN(const RowId leaf, MessageStore(db).chooseBranch(messageId));
            return readPath(db, leaf, shown);
        })
        .then(this, [this, view = d->view](const Result<NewPath>& changed) {
            if (changed)
                d->replacePath(view, changed->path, changed->from, changed->messages);
            else
                Q_EMIT failed(QStringLiteral("open"), changed.error());
        });
}

void ConversationController::stepSibling(RowId messageId, int step) {
    d->store
        .run([=](Database& db) -> Result<RowId> {
            ALCOVE_ASSIGN_OR_RETURN(const QVector<RowId> siblings,
                                    MessageStore(db).siblings(messageId));
            const qsizetype place = siblings.indexOf(messageId) + step;
            return place >= 0 && place < siblings.size() ? siblings[place] : messageId;
        })
        .then(this, [this, messageId](const Result<RowId>& target) {
            if (!target)
                Q_EMIT failed(QStringLiteral("open"), target.error());
            else if (*target != messageId)
                selectSibling(*target);
        });
}

void ConversationController::Private::replacePath(quint64 forView, const QVector<RowId>& path,
                                                  qsizetype from, QVector<Message> messages) {
    if (forView != view || from >= q.m_path.size())
        return;
    const RowId first = q.m_path[from];
    withLiveText(messages);
    q.m_path = path;
    q.m_conversation.leafId = path.isEmpty() ? 0 : path.constLast();
    Q_EMIT q.messagesReplaced(first, messages);
    Q_EMIT q.phaseChanged(q.phase());
}

} // namespace alcove::app
