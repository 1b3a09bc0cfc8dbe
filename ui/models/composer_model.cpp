#include "ui/models/composer_model.h"

#include "ui/models/format.h"

#include <algorithm>

namespace alcove::ui {

using app::ConversationController;
using app::Message;

ComposerModel::ComposerModel(ConversationController& controller, app::EngineService& engine,
                             QObject* parent)
    : QObject(parent), m_controller(controller), m_engine(engine) {
    m_saveTimer.setSingleShot(true);
    m_countTimer.setSingleShot(true);
    m_countTimer.setInterval(kCountMs);
    connect(&m_saveTimer, &QTimer::timeout, this, &ComposerModel::flush);
    connect(&m_countTimer, &QTimer::timeout, this, &ComposerModel::count);

    connect(&controller, &ConversationController::conversationChanged, this,
            &ComposerModel::takeConversation);
    connect(&controller, &ConversationController::phaseChanged, this, &ComposerModel::stateChanged);
    connect(&controller, &ConversationController::answeringChanged, this,
            &ComposerModel::stateChanged);
    connect(&controller, &ConversationController::sendAccepted, this, [this] {
        m_sending = false;
        m_queued = false;
        m_unsaved = false;
        m_saveTimer.stop();
        // After an edit the draft that was put aside comes back; the send has emptied the stored
        // one.
        const bool edited = editing();
        m_editing = 0;
        replaceText(edited ? m_asideText : QString(), edited ? m_asideCaret : 0);
        if (!m_text.isEmpty())
            draftTouched();
        Q_EMIT stateChanged();
    });
    connect(&controller, &ConversationController::sendRefused, this,
            [this](const QString& sentence) {
                m_sending = false;
                m_reason = sentence;
                Q_EMIT stateChanged();
                setNote(sentence, true);
            });
    connect(&controller, &ConversationController::modelNeeded, this, [this] {
        m_sending = false;
        Q_EMIT stateChanged();
        setNote(tr("Choose a model first. Your text stays here."), true);
    });
    connect(&controller, &ConversationController::failed, this, [this](const QString& action) {
        if (action == QLatin1String("send"))
            m_sending = false;
        Q_EMIT stateChanged();
    });
    connect(&controller, &ConversationController::throughput, this,
            [this](const app::Throughput& rate) {
                m_contextUsed = rate.contextUsed;
                m_contextSize = rate.contextSize;
                if (rate.readTokensPerSecond > 0)
                    m_readSpeed = rate.readTokensPerSecond;
            });
    connect(&controller, &ConversationController::messagesReset, this,
            [this](const QVector<Message>& messages) {
                m_lastQuestion = 0;
                m_contextUsed = 0;
                for (const Message& message : messages) {
                    if (message.role == app::Role::User) {
                        m_lastQuestion = message.id;
                        m_lastQuestionText = message.text;
                    } else if (message.facts) {
                        m_contextUsed = message.facts->contextUsed;
                        m_contextSize = message.facts->contextSize;
                    }
                }
                refreshNote();
            });
    connect(&controller, &ConversationController::messageAdded, this,
            [this](const Message& message) {
                if (message.role == app::Role::User) {
                    m_lastQuestion = message.id;
                    m_lastQuestionText = message.text;
                }
            });
    connect(&controller, &ConversationController::messagesReplaced, this,
            [this](qint64, const QVector<Message>& messages) {
                for (const Message& message : messages) {
                    if (message.role == app::Role::User) {
                        m_lastQuestion = message.id;
                        m_lastQuestionText = message.text;
                    }
                }
            });
    connect(&engine, &app::EngineService::modelChanged, this, [this] {
        m_tokens = -1;
        scheduleCount();
    });
}

void ComposerModel::takeConversation() {
    const app::Conversation& conversation = m_controller.conversation();
    const bool sameField =
        conversation.id == m_conversationId ||
        (m_conversationId == 0 && conversation.id != 0 && conversation.draft == m_text);
    m_queued = conversation.draftQueued;
    if (!sameField) {
        m_editing = 0;
        m_unsaved = false;
        m_saveTimer.stop();
        m_conversationId = conversation.id;
        replaceText(conversation.draft, conversation.draftCaret);
    }
    m_conversationId = conversation.id;
    Q_EMIT stateChanged();
}

void ComposerModel::replaceText(const QString& text, int caret) {
    m_text = text;
    m_caret = std::clamp(caret, 0, int(text.size()));
    m_reason.clear();
    m_tokens = -1;
    Q_EMIT textChanged();
    Q_EMIT caretChanged();
    Q_EMIT textReplaced();
    scheduleCount();
}

void ComposerModel::setText(const QString& text) {
    if (text == m_text)
        return;
    const bool wasBlank = m_text.trimmed().isEmpty();
    m_text = text;
    m_reason.clear();
    m_queued = false; // what was queued is being written on
    Q_EMIT textChanged();
    if (wasBlank != text.trimmed().isEmpty())
        Q_EMIT stateChanged();
    draftTouched();
    scheduleCount();
}

void ComposerModel::setCaret(int caret) {
    if (caret == m_caret)
        return;
    m_caret = caret;
    Q_EMIT caretChanged();
}

void ComposerModel::draftTouched() {
    if (editing())
        return; // the stored draft is the text put aside
    if (!m_unsaved) {
        m_unsaved = true;
        m_unsavedSince.start();
    }
    const qint64 left = std::max<qint64>(0, kSaveAtMostMs - m_unsavedSince.elapsed());
    m_saveTimer.start(int(std::min<qint64>(kSaveMs, left)));
}

void ComposerModel::flush() {
    m_saveTimer.stop();
    if (!m_unsaved || editing())
        return;
    m_unsaved = false;
    m_controller.saveDraft(m_text, m_caret);
}

bool ComposerModel::answering() const {
    return m_controller.isAnswering();
}

bool ComposerModel::canSend() const {
    return !m_sending && !answering() && !m_text.trimmed().isEmpty();
}

void ComposerModel::send() {
    if (!canSend())
        return;
    m_reason.clear();
    if (m_controller.modelState() != app::ModelState::None) {
        m_sending = true;
        Q_EMIT stateChanged();
    }
    if (editingAnswer()) {
        m_controller.editAnswer(m_editing, m_text);
        m_sending = false;
        cancelEdit();
    } else if (editing())
        m_controller.editAndResend(m_editing, m_text);
    else
        m_controller.send(m_text);
}

void ComposerModel::sendAfterAnswer() {
    if (!answering()) {
        send();
        return;
    }
    if (m_text.trimmed().isEmpty() || editing())
        return;
    m_unsaved = false;
    m_saveTimer.stop();
    m_queued = true;
    m_controller.sendAfterAnswer(m_text);
    Q_EMIT stateChanged();
    refreshNote();
}

void ComposerModel::stop() {
    m_controller.stop();
}

void ComposerModel::editMessage(qint64 messageId, const QString& text) {
    flush();
    if (!editing()) {
        m_asideText = m_text;
        m_asideCaret = m_caret;
    }
    m_editing = messageId;
    m_editingAnswer = false;
    replaceText(text, int(text.size()));
    Q_EMIT stateChanged();
}

void ComposerModel::editAnswer(qint64 messageId, const QString& text) {
    editMessage(messageId, text);
    m_editingAnswer = true;
    Q_EMIT stateChanged();
}

void ComposerModel::cancelEdit() {
    if (!editing())
        return;
    m_editing = 0;
    replaceText(m_asideText, m_asideCaret);
    Q_EMIT stateChanged();
}

void ComposerModel::editLast() {
    if (m_lastQuestion != 0 && m_text.isEmpty() && !answering())
        editMessage(m_lastQuestion, m_lastQuestionText);
}

void ComposerModel::setShown(bool shown) {
    if (shown == m_shown)
        return;
    m_shown = shown;
    Q_EMIT shownChanged();
    if (shown)
        scheduleCount();
}

void ComposerModel::scheduleCount() {
    if (m_text.isEmpty()) {
        m_countTimer.stop();
        m_tokens = -1;
        ++m_countSerial;
        refreshNote();
    } else if (m_shown) {
        m_countTimer.start();
    }
}

void ComposerModel::count() {
    const quint64 serial = ++m_countSerial;
    m_engine.countTokens(m_text).then(this, [this, serial](const Result<int>& tokens) {
        if (serial != m_countSerial)
            return; // the text has changed since
        m_tokens = tokens ? *tokens : -1;
        refreshNote();
    });
}

void ComposerModel::refreshNote() {
    if (!m_reason.isEmpty()) {
        setNote(m_reason, true);
        return;
    }
    if (m_queued && answering()) {
        setNote(tr("This will be sent after the answer"), false);
        return;
    }
    if (m_tokens < 0) {
        setNote({}, false);
        return;
    }
    const int left = m_contextSize - m_contextUsed;
    if (m_contextSize > 0 && m_tokens > left && !editing()) {
        setNote(tr("This message needs %1 tokens; %2 fit.")
                    .arg(formatCount(m_tokens), formatCount(std::max(0, left))),
                true);
        return;
    }
    QString note = tr("%n token(s)", nullptr, m_tokens);
    if (m_readSpeed > 0) {
        constexpr double kAtOnce = 0.5; // seconds; less is not felt as waiting
        const double seconds = m_tokens / m_readSpeed;
        note = seconds < kAtOnce ? tr("%1, starts at once", "12 tokens").arg(note)
                                 : tr("%1, starts in about %2", "912 tokens, 3 s")
                                       .arg(note, formatDuration(seconds));
    }
    setNote(note, false);
}

void ComposerModel::setNote(const QString& note, bool warning) {
    if (note == m_note && warning == m_noteIsWarning)
        return;
    m_note = note;
    m_noteIsWarning = warning;
    Q_EMIT noteChanged();
}

} // namespace alcove::ui
