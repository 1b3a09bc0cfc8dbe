#include "app/engine/conversation_controller_p.h"

namespace alcove::app {

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
    d->store.run([id = m_path.constLast()](Database& db) { return MessageStore(db).get(id); })
        .then(this, [this, view = d->view](const Result<Message>& last) {
            if (view != d->view)
                return;
            if (!last || last->role != Role::Assistant) {
                Q_EMIT sendRefused(tr("There is no answer yet to compare with"));
                return;
            }
            // Both are written anew: model, settings and instructions may have changed since the
            // last answer, and a comparison differs in the adapters alone.
            if (d->mayAnswer())
                d->answerAgain(last->id,
                               Comparison{0, last->facts ? last->facts->seed : randomSeed()});
        });
}

void ConversationController::Private::goOnComparing(const Message& message,
                                                    const Comparison& comparison) {
    if (message.state != MessageState::Complete && message.state != MessageState::LengthLimit)
        return;
    if (comparison.with == 0) {
        if (mayAnswer())
            answerAgain(message.id, Comparison{message.id, comparison.seed});
        return;
    }
    store.run([with = comparison.with](Database& db) { return MessageStore(db).get(with); })
        .then(&q, [this, message, forView = view](const Result<Message>& with) {
            if (with && forView == view)
                Q_EMIT q.compared(*with, message);
        });
}

} // namespace alcove::app
