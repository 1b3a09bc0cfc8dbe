#include "app/engine/conversation_controller_p.h"

namespace alcove::app {

namespace {

/// The adapters that `choices` apply, as an answer records them.
bool wrote(const QVector<AppliedAdapter>& applied, const QVector<AdapterChoice>& choices) {
    qsizetype n = 0;
    for (const AdapterChoice& choice : choices) {
        if (choice.scale == 0)
            continue;
        ++n;
        const bool there =
            std::any_of(applied.begin(), applied.end(), [&](const AppliedAdapter& adapter) {
                return adapter.sha256 == choice.adapter.sha256 && adapter.scale == choice.scale;
            });
        if (!there)
            return false;
    }
    return n == applied.size();
}

} // namespace

Status ConversationController::Private::keepAdapters(Database& db, ConversationSlot& slot) {
    if (slot.id == 0 || !slot.adapters)
        return ok();
    ALCOVE_RETURN_IF_ERROR(AdapterStore(db).choose(slot.id, *slot.adapters));
    slot.adapters.reset();
    return ok();
}

void ConversationController::setAdapters(const QVector<AdapterChoice>& choices) {
    m_adapters = choices;
    d->store
        .run([choices, slot = d->slot](Database& db) -> Status {
            slot->adapters = choices;
            QVector<RowId> ids;
            for (const AdapterChoice& choice : choices)
                ids.append(choice.adapter.id);
            ALCOVE_RETURN_IF_ERROR(AdapterStore(db).markUsed(ids));
            return Private::keepAdapters(db, *slot);
        })
        .then(this, [this](const Status& kept) {
            if (!kept)
                Q_EMIT failed(QStringLiteral("save"), kept.error());
        });
    Q_EMIT adaptersChanged();
}

void ConversationController::compareAdapters() {
    if (m_path.isEmpty() || !d->mayAnswer())
        return;
    d->comparison = {};
    d->comparison.conversationId = m_conversation.id;
    d->store.run([id = m_path.constLast()](Database& db) { return MessageStore(db).get(id); })
        .then(this, [this, view = d->view](const Result<Message>& last) {
            if (view != d->view)
                return;
            if (!last || last->role != Role::Assistant) {
                d->comparison = {};
                Q_EMIT sendRefused(tr("There is no answer yet to compare with"));
                return;
            }
            const bool usable = last->state == MessageState::Complete && last->facts &&
                                wrote(last->facts->adapters, m_adapters);
            d->comparison.seed = usable ? last->facts->seed : randomSeed();
            d->comparison.with = usable ? last->id : 0;
            d->writeCompared(last->id, /*withoutAdapters=*/usable);
        });
}

void ConversationController::Private::writeCompared(RowId sibling, bool withoutAdapters) {
    if (!mayAnswer()) {
        comparison = {};
        return;
    }
    prepareAndAnswer(
        QStringLiteral("answer"),
        [sibling, withoutAdapters, seed = comparison.seed](Database& db) -> Result<PreparedAnswer> {
            MessageStore messages(db);
            ALCOVE_ASSIGN_OR_RETURN(const Message old, messages.get(sibling));
            PreparedAnswer prepared;
            ALCOVE_ASSIGN_OR_RETURN(prepared.answer, messages.addAnswer(old.parentId));
            ALCOVE_ASSIGN_OR_RETURN(prepared.conversation,
                                    ConversationStore(db).get(prepared.answer.conversationId));
            ALCOVE_ASSIGN_OR_RETURN(prepared.turns,
                                    readTurns(db, prepared.conversation, prepared.answer.parentId));
            prepared.withoutAdapters = withoutAdapters;
            prepared.seed = seed;
            return prepared;
        },
        sibling);
}

void ConversationController::Private::goOnComparing(const Message& message) {
    if (comparison.conversationId == 0 || comparison.conversationId != message.conversationId)
        return;
    const bool whole =
        message.state == MessageState::Complete || message.state == MessageState::LengthLimit;
    if (!whole || comparison.conversationId != q.m_conversation.id) {
        comparison = {};
        return;
    }
    if (comparison.with == 0) {
        comparison.with = message.id;
        writeCompared(message.id, /*withoutAdapters=*/true);
        return;
    }
    store.run([with = comparison.with](Database& db) { return MessageStore(db).get(with); })
        .then(&q, [this, message](const Result<Message>& with) {
            if (with)
                Q_EMIT q.compared(*with, message);
        });
    comparison = {};
}

} // namespace alcove::app
