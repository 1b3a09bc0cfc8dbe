#include "app/engine/conversation_controller_p.h"
#include "app/logging.h"
#include "app/store/settings.h"

namespace alcove::app {

namespace {

constexpr int kRetryMs = 5000;

MessageState stateOf(FinishReason finish) {
    switch (finish) {
    case FinishReason::Stop:
    case FinishReason::Grammar:
        return MessageState::Complete;
    case FinishReason::Length:
        return MessageState::LengthLimit;
    case FinishReason::Context:
        return MessageState::ContextFull;
    case FinishReason::Cancel:
        return MessageState::Stopped;
    case FinishReason::Error:
        return MessageState::Failed;
    }
    return MessageState::Failed;
}

} // namespace

Result<QVector<ChatTurn>> readTurns(Database& database, const Conversation& conversation,
                                    RowId questionId) {
    QVector<ChatTurn> turns;
    if (!conversation.systemPrompt.isEmpty())
        turns.append({Role::System, conversation.systemPrompt});
    ALCOVE_ASSIGN_OR_RETURN(const QVector<Message> path, MessageStore(database).path(questionId));
    for (const Message& message : path)
        turns.append({message.role, message.text});
    return turns;
}

// What may be done now
// ---------------------------------------------------------------------------------------------

bool ConversationController::isAnswering() const {
    return m_conversation.id != 0 && d->live(m_conversation.id) != nullptr;
}

bool ConversationController::isAnswering(RowId conversationId) const {
    return d->live(conversationId) != nullptr;
}

RowId ConversationController::answeringMessage() const {
    const LiveAnswer* answer = d->live(m_conversation.id);
    return answer != nullptr ? answer->message.id : 0;
}

AnswerPhase ConversationController::phase() const {
    const LiveAnswer* answer = d->live(m_conversation.id);
    return answer != nullptr ? answer->phase : AnswerPhase::None;
}

int ConversationController::queuePosition() const {
    const LiveAnswer* answer = d->live(m_conversation.id);
    return answer != nullptr && answer->job != 0 ? d->engine.queuePosition(answer->job) : -1;
}

LiveAnswer* ConversationController::Private::live(RowId conversationId) {
    const auto found = answers.find(conversationId);
    return found != answers.end() ? &found->second : nullptr;
}

LiveAnswer* ConversationController::Private::liveByJob(JobId job) {
    for (auto& [conversationId, answer] : answers)
        if (answer.job == job && job != 0)
            return &answer;
    return nullptr;
}

bool ConversationController::Private::shown(const LiveAnswer& answer) const {
    return answer.message.conversationId == q.m_conversation.id && !q.m_path.isEmpty() &&
           q.m_path.constLast() == answer.message.id;
}

bool ConversationController::Private::mayAnswer() {
    const auto refuse = [this](const QString& sentence) {
        Q_EMIT q.sendRefused(sentence);
        return false;
    };
    if (sending || sendingIn.contains(q.m_conversation.id))
        return refuse(ConversationController::tr("The message before is being stored"));
    if (q.isAnswering())
        return refuse(ConversationController::tr(
            "An answer is being written; stop it or send when it has ended"));
    if (q.m_model.id == 0) {
        Q_EMIT q.modelNeeded();
        return false;
    }
    if (!q.m_model.runnable)
        return refuse(
            ConversationController::tr("%1 cannot run: %2").arg(q.m_model.name, q.m_model.reason));
    if (q.m_model.loadCrashed)
        return refuse(ConversationController::tr(
                          "%1 ended the program while it was loaded. Choose it again to try once "
                          "more, or choose another model")
                          .arg(q.m_model.name));
    return true;
}

bool ConversationController::Private::needsLoad() const {
    return !engine.model() || engine.model()->path != q.m_model.path;
}

// Asking
// -----------------------------------------------------------------------------------------------------------

void ConversationController::send(const QString& text) {
    if (text.trimmed().isEmpty()) {
        Q_EMIT sendRefused(tr("The message is empty"));
        return;
    }
    if (!d->mayAnswer())
        return;
    const RowId parent = m_path.isEmpty() ? 0 : m_path.constLast();
    const QString systemPrompt = m_conversation.systemPrompt;
    const RowId modelId = m_model.id;
    d->prepareAndAnswer(
        QStringLiteral("send"),
        [=, slot = d->slot](Database& db) -> Result<PreparedAnswer> {
            ALCOVE_ASSIGN_OR_RETURN(
                const QuestionAndAnswer added,
                MessageStore(db).addQuestion(slot->id, parent, text, modelId, systemPrompt));
            const bool fresh = slot->id == 0;
            slot->id = added.conversation.id;
            if (fresh)
                ALCOVE_RETURN_IF_ERROR(SettingsStore(db).set(settings::kLastConversation,
                                                             static_cast<double>(slot->id)));
            ALCOVE_ASSIGN_OR_RETURN(QVector<ChatTurn> turns,
                                    readTurns(db, added.conversation, added.question.id));
            return PreparedAnswer{added.conversation, added.question, added.answer,
                                  std::move(turns)};
        },
        0);
}

void ConversationController::editAndResend(RowId questionId, const QString& text) {
    if (text.trimmed().isEmpty()) {
        Q_EMIT sendRefused(tr("The message is empty"));
        return;
    }
    if (!d->mayAnswer())
        return;
    const RowId modelId = m_model.id;
    d->prepareAndAnswer(
        QStringLiteral("send"),
        [=](Database& db) -> Result<PreparedAnswer> {
            MessageStore messages(db);
            ALCOVE_ASSIGN_OR_RETURN(const Message old, messages.get(questionId));
            ALCOVE_ASSIGN_OR_RETURN(
                const QuestionAndAnswer added,
                messages.addQuestion(old.conversationId, old.parentId, text, modelId));
            ALCOVE_ASSIGN_OR_RETURN(QVector<ChatTurn> turns,
                                    readTurns(db, added.conversation, added.question.id));
            return PreparedAnswer{added.conversation, added.question, added.answer,
                                  std::move(turns)};
        },
        questionId);
}

void ConversationController::regenerate(RowId answerId) {
    if (d->mayAnswer())
        d->answerAgain(answerId, {});
}

void ConversationController::Private::answerAgain(RowId sibling,
                                                  const std::optional<Comparison>& comparison) {
    prepareAndAnswer(
        QStringLiteral("answer"),
        [=](Database& db) -> Result<PreparedAnswer> {
            MessageStore messages(db);
            ALCOVE_ASSIGN_OR_RETURN(const Message old, messages.get(sibling));
            ALCOVE_ASSIGN_OR_RETURN(const Message answer, messages.addAnswer(old.parentId));
            ALCOVE_ASSIGN_OR_RETURN(const Conversation conversation,
                                    ConversationStore(db).get(answer.conversationId));
            ALCOVE_ASSIGN_OR_RETURN(QVector<ChatTurn> turns,
                                    readTurns(db, conversation, answer.parentId));
            PreparedAnswer prepared{conversation, {}, answer, std::move(turns)};
            prepared.comparison = comparison;
            return prepared;
        },
        sibling);
}

void ConversationController::continueAnswer(RowId answerId) {
    if (!d->mayAnswer())
        return;
    if (m_path.isEmpty() || m_path.constLast() != answerId) {
        Q_EMIT sendRefused(tr("Only the last answer can be continued"));
        return;
    }
    d->prepareAndAnswer(
        QStringLiteral("answer"),
        [=](Database& db) -> Result<PreparedAnswer> {
            MessageStore messages(db);
            ALCOVE_ASSIGN_OR_RETURN(const Message old, messages.get(answerId));
            if (!canContinue(old.state))
                return Error{Errc::InvalidArgument,
                             "this answer ended by itself; it cannot be continued"};
            ALCOVE_ASSIGN_OR_RETURN(const Message answer, messages.reopenAnswer(answerId));
            ALCOVE_ASSIGN_OR_RETURN(const Conversation conversation,
                                    ConversationStore(db).get(answer.conversationId));
            ALCOVE_ASSIGN_OR_RETURN(QVector<ChatTurn> turns,
                                    readTurns(db, conversation, answer.parentId));
            return PreparedAnswer{conversation, {}, answer, std::move(turns)};
        },
        answerId);
}

void ConversationController::sendAfterAnswer(const QString& text) {
    LiveAnswer* answer = d->live(m_conversation.id);
    if (answer == nullptr) {
        send(text);
        return;
    }
    answer->queued = text;
    m_conversation.draft = text;
    m_conversation.draftQueued = true;
    d->store
        .run([id = m_conversation.id, text](Database& db) {
            return ConversationStore(db).saveDraft(id, text, static_cast<int>(text.size()), true);
        })
        .then(this, [this](const Status& saved) {
            if (!saved)
                Q_EMIT failed(QStringLiteral("save"), saved.error());
        });
    Q_EMIT conversationChanged();
}

void ConversationController::Private::prepareAndAnswer(const QString& action, Prepare prepare,
                                                       RowId replaced) {
    const quint64 thisView = view;
    const ModelRecord model = q.m_model;
    const bool load = needsLoad();
    const RowId conversationId = q.m_conversation.id;
    sending = true;
    stopSending = false;
    if (conversationId != 0)
        sendingIn.insert(conversationId);
    store
        .run([prepare = std::move(prepare), load, modelId = model.id,
              slot = slot](Database& db) -> Result<PreparedAnswer> {
            ALCOVE_ASSIGN_OR_RETURN(PreparedAnswer prepared, prepare(db));
            ALCOVE_RETURN_IF_ERROR(keepAdapters(db, *slot));
            ALCOVE_ASSIGN_OR_RETURN(prepared.adapters,
                                    AdapterStore(db).chosen(prepared.conversation.id));
            if (load)
                ALCOVE_RETURN_IF_ERROR(ModelStore(db).beginLoading(modelId));
            return prepared;
        })
        .then(&q, [=, this](const Result<PreparedAnswer>& prepared) {
            sendingIn.remove(conversationId);
            if (thisView == view)
                sending = false;
            if (!prepared) {
                Q_EMIT q.failed(action, prepared.error());
                return;
            }
            startAnswer(*prepared, model, load, thisView == view, replaced);
            if (thisView == view && std::exchange(stopSending, false))
                q.stop();
        });
}

void ConversationController::Private::startAnswer(PreparedAnswer prepared, const ModelRecord& model,
                                                  bool loadMarked, bool append, RowId replaced) {
    const RowId conversationId = prepared.conversation.id;
    LiveAnswer& answer = answers[conversationId];
    answer = {};
    answer.message = prepared.answer;
    answer.begin = prepared.answer.text;
    answer.factsBefore = prepared.answer.facts;
    answer.saved = prepared.answer.text.size();
    answer.model = model;
    answer.loadMarked = loadMarked;
    answer.sampling = sampling;
    if (newSeedEachTime)
        answer.sampling.seed = randomSeed();
    answer.comparison = prepared.comparison;
    if (prepared.comparison)
        answer.sampling.seed = prepared.comparison->seed;

    GenerateJob job;
    job.modelPath = model.path;
    job.modelSha256 = model.sha256;
    job.options = options;
    job.conversationId = conversationId;
    job.turns = std::move(prepared.turns);
    if (!prepared.comparison || prepared.comparison->with == 0)
        job.adapters = prepared.adapters;
    job.answerBegin = answer.begin;
    job.sampling = answer.sampling;
    job.maxTokens = maxTokens;
    answer.job = engine.generate(std::move(job));
    saveTimer.start();

    if (append) {
        q.m_conversation = prepared.conversation;
        QVector<Message> added;
        if (prepared.question)
            added.append(*prepared.question);
        added.append(prepared.answer);
        const qsizetype place = replaced != 0 ? q.m_path.indexOf(replaced) : -1;
        if (place >= 0)
            q.m_path.resize(place);
        for (const Message& message : std::as_const(added))
            q.m_path.append(message.id);
        Q_EMIT q.conversationChanged();
        if (replaced != 0 && replaced == prepared.answer.id)
            Q_EMIT q.messageChanged(prepared.answer); // Continue
        else if (place >= 0)
            Q_EMIT q.messagesReplaced(replaced, added);
        else
            for (const Message& message : std::as_const(added))
                Q_EMIT q.messageAdded(message);
        if (prepared.question)
            Q_EMIT q.sendAccepted();
        Q_EMIT q.phaseChanged(AnswerPhase::Waiting);
    }
    Q_EMIT q.conversationUpdated(prepared.conversation);
    Q_EMIT q.answeringChanged(conversationId, true);
}

void ConversationController::stop() {
    d->stopSending = d->sending;
    LiveAnswer* answer = d->live(m_conversation.id);
    if (answer == nullptr || answer->ended)
        return;
    answer->stopped = true;
    d->engine.cancel(answer->job);
}

// While it grows
// -----------------------------------------------------------------------------------------------------

void ConversationController::Private::setPhase(LiveAnswer& answer, AnswerPhase phase) {
    if (answer.phase == phase || answer.ended)
        return;
    answer.phase = phase;
    if (answer.message.conversationId == q.m_conversation.id)
        Q_EMIT q.phaseChanged(phase);
}

void ConversationController::Private::grow(JobId job, const QString& delta,
                                           const Throughput& rate) {
    LiveAnswer* answer = liveByJob(job);
    if (answer == nullptr || answer->ended)
        return;
    answer->message.text += delta;
    setPhase(*answer, AnswerPhase::Writing);
    if (!shown(*answer))
        return;
    Q_EMIT q.answerDelta(answer->message.id, delta);
    Q_EMIT q.throughput(rate);
}

void ConversationController::Private::save() {
    bool waiting = false;
    for (auto& [conversationId, answer] : answers) {
        waiting = waiting || !answer.ended;
        if (!answer.ended)
            saveOne(answer);
    }
    if (!waiting)
        saveTimer.stop();
}

void ConversationController::Private::saveOne(LiveAnswer& answer) {
    const qsizetype length = answer.message.text.size();
    if (answer.saving || length == answer.saved)
        return;
    answer.saving = true;
    const RowId id = answer.message.id;
    const RowId conversationId = answer.message.conversationId;
    const QString delta = answer.message.text.mid(answer.saved);
    store.run([id, delta](Database& db) { return MessageStore(db).appendAnswer(id, delta); })
        .then(&q, [=, this](const Status& saved) {
            LiveAnswer* growing = live(conversationId);
            if (growing == nullptr || growing->message.id != id)
                return;
            growing->saving = false;
            if (saved)
                growing->saved = length;
            else if (!std::exchange(growing->saveFailed, true))
                Q_EMIT q.failed(QStringLiteral("save"), saved.error());
            if (growing->ended)
                storeEnd(conversationId);
        });
}

// The end
// --------------------------------------------------------------------------------------------------------------

void ConversationController::Private::jobFinished(JobId job, const AnswerResult& result) {
    LiveAnswer* answer = liveByJob(job);
    if (answer == nullptr || answer->ended)
        return;
    // The text events and the result are the same text; what is still missing comes now.
    const QString whole = answer->begin + result.text;
    if (whole.size() > answer->message.text.size() && whole.startsWith(answer->message.text)) {
        const QString rest = whole.mid(answer->message.text.size());
        answer->message.text = whole;
        if (shown(*answer))
            Q_EMIT q.answerDelta(answer->message.id, rest);
    }
    for (const QString& warning : result.warnings)
        Q_EMIT q.notice(warning);
    AnswerFacts facts = result.facts;
    if (const auto& before = answer->factsBefore) { // Continue: the whole answer's numbers
        facts.generatedTokens += before->generatedTokens;
        facts.decodeSeconds += before->decodeSeconds;
        facts.firstTokenSeconds =
            before->firstTokenSeconds > 0 ? before->firstTokenSeconds : facts.firstTokenSeconds;
    }
    endAnswer(*answer, stateOf(result.finish), facts);
}

void ConversationController::Private::jobFailed(JobId job, const Error& error) {
    if (job == loadJob && job != 0) {
        loadJob = 0;
        loadEnded(loadingModel, &error);
        return;
    }
    LiveAnswer* answer = liveByJob(job);
    if (answer == nullptr || answer->ended)
        return;
    const bool loading = answer->phase == AnswerPhase::Loading;
    const bool stopped = error.code == Errc::Cancelled;
    AnswerFacts facts = answer->factsBefore.value_or(AnswerFacts{});
    facts.modelName = answer->model.name;
    facts.sampling = samplingToJson(answer->sampling);
    facts.seed = answer->sampling.seed;
    facts.finish = stopped                           ? QStringLiteral("cancel")
                   : error.code == Errc::ContextFull ? QStringLiteral("context")
                                                     : QStringLiteral("error");
    facts.finishDetail = QString::fromStdString(error.message);
    const MessageState state = stopped                           ? MessageState::Stopped
                               : error.code == Errc::ContextFull ? MessageState::ContextFull
                                                                 : MessageState::Failed;
    const ModelRecord model = answer->model;
    if (answer->loadMarked) {
        answer->loadMarked = false;
        store.run([id = model.id](Database& db) { return ModelStore(db).endLoading(id); });
    }
    const bool present = answer->message.conversationId == q.m_conversation.id;
    endAnswer(*answer, state, facts);
    if (loading)
        loadEnded(model, &error);
    if (present && !stopped && !loading)
        Q_EMIT q.failed(QStringLiteral("answer"), error);
}

void ConversationController::Private::endAnswer(LiveAnswer& answer, MessageState state,
                                                AnswerFacts facts) {
    facts.modelSha256 = answer.model.sha256;
    if (answer.model.id == q.m_model.id)
        facts.modelSha256 = q.m_model.sha256; // may have been computed meanwhile
    answer.ended = true;
    answer.endState = state;
    answer.endFacts = std::move(facts);
    if (answer.loadMarked) {
        answer.loadMarked = false;
        store.run([id = answer.model.id](Database& db) { return ModelStore(db).endLoading(id); });
    }
    if (!answer.saving)
        storeEnd(answer.message.conversationId);
}

void ConversationController::Private::storeEnd(RowId conversationId) {
    LiveAnswer* answer = live(conversationId);
    if (answer == nullptr)
        return;
    const RowId id = answer->message.id;
    const QString delta = answer->message.text.mid(answer->saved);
    store
        .run([id, delta, state = answer->endState, facts = answer->endFacts](Database& db) {
            return MessageStore(db).finishAnswer(id, delta, state, facts);
        })
        .then(&q, [=, this](const Result<Message>& stored) {
            LiveAnswer* ended = live(conversationId);
            if (ended == nullptr || ended->message.id != id)
                return;
            if (stored) {
                answerStored(conversationId, *stored);
                return;
            }
            // The text stays in memory and in the window; it is tried again until there is room.
            if (!std::exchange(ended->saveFailed, true))
                Q_EMIT q.failed(QStringLiteral("save"), stored.error());
            QTimer::singleShot(kRetryMs, &q, [this, conversationId] { storeEnd(conversationId); });
        });
}

void ConversationController::Private::answerStored(RowId conversationId, const Message& message) {
    const auto node = answers.extract(conversationId);
    const LiveAnswer& answer = node.mapped();
    const bool present = conversationId == q.m_conversation.id;
    if (present && q.m_path.contains(message.id))
        Q_EMIT q.answerFinished(message);
    if (present)
        Q_EMIT q.phaseChanged(AnswerPhase::None);
    Q_EMIT q.answeringChanged(conversationId, false);
    if (answer.queued.isEmpty()) {
        if (answer.comparison && present)
            goOnComparing(message, *answer.comparison);
        return;
    }
    if (answer.comparison && present)
        Q_EMIT q.sendRefused(
            ConversationController::tr("The comparison ended: a message was waiting to be sent"));
    if (message.state == MessageState::Complete) {
        sendQueued(conversationId, answer.queued, answer.model);
    } else if (present) {
        q.m_conversation.draftQueued = false;
        Q_EMIT q.conversationChanged();
    }
}

void ConversationController::Private::sendQueued(RowId conversationId, const QString& text,
                                                 const ModelRecord& model) {
    if (conversationId == q.m_conversation.id) {
        q.send(text);
        return;
    }
    const bool load = !engine.model() || engine.model()->path != model.path;
    sendingIn.insert(conversationId);
    store
        .run([=](Database& db) -> Result<PreparedAnswer> {
            ALCOVE_ASSIGN_OR_RETURN(const Conversation conversation,
                                    ConversationStore(db).get(conversationId));
            ALCOVE_ASSIGN_OR_RETURN(
                const QuestionAndAnswer added,
                MessageStore(db).addQuestion(conversationId, conversation.leafId, text, model.id));
            ALCOVE_ASSIGN_OR_RETURN(QVector<ChatTurn> turns,
                                    readTurns(db, added.conversation, added.question.id));
            if (load)
                ALCOVE_RETURN_IF_ERROR(ModelStore(db).beginLoading(model.id));
            PreparedAnswer prepared{added.conversation, added.question, added.answer,
                                    std::move(turns)};
            ALCOVE_ASSIGN_OR_RETURN(prepared.adapters, AdapterStore(db).chosen(conversationId));
            return prepared;
        })
        .then(&q, [=, this](const Result<PreparedAnswer>& prepared) {
            sendingIn.remove(conversationId);
            if (!prepared) {
                Q_EMIT q.failed(QStringLiteral("send"), prepared.error());
                return;
            }
            startAnswer(*prepared, model, load, false, 0);
            if (conversationId == q.m_conversation.id) // opened while it was stored
                openAgain(conversationId, 0);
        });
}

} // namespace alcove::app
