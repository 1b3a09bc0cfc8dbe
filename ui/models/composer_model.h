#pragma once

#include "app/engine/conversation_controller.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// The field for the next message: its text, which is kept per conversation as a draft; what the
/// button does; how many tokens it is. An earlier question that is being edited is in the field
/// too, with the draft put aside. Lives on the window's thread.
class ComposerModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(QString text READ text WRITE setText NOTIFY textChanged FINAL)
    Q_PROPERTY(int caret READ caret WRITE setCaret NOTIFY caretChanged FINAL)
    Q_PROPERTY(bool answering READ answering NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool canSend READ canSend NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString sendReason READ sendReason NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool queued READ queued NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool editing READ editing NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool editingAnswer READ editingAnswer NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString note READ note NOTIFY noteChanged FINAL)
    Q_PROPERTY(bool noteIsWarning READ noteIsWarning NOTIFY noteChanged FINAL)
    Q_PROPERTY(bool shown READ shown WRITE setShown NOTIFY shownChanged FINAL)

public:
    static constexpr int kSaveMs = 300; ///< after the last key
    static constexpr int kSaveAtMostMs = 1000;
    static constexpr int kCountMs = 150;

    ComposerModel(app::ConversationController& controller, app::EngineService& engine,
                  QObject* parent = nullptr);

    QString text() const { return m_text; }
    void setText(const QString& text);
    int caret() const { return m_caret; }
    void setCaret(int caret);
    bool answering() const;
    bool canSend() const;
    QString sendReason() const {
        return m_reason;
    } ///< why Send is off, or what was refused; may be empty
    bool queued() const { return m_queued; }
    bool editing() const { return m_editing != 0; }
    bool editingAnswer() const { return editing() && m_editingAnswer; }
    /// "38 tokens, starts in about 3 s", or a warning.
    QString note() const { return m_note; }
    bool noteIsWarning() const { return m_noteIsWarning; }
    bool shown() const { return m_shown; }
    void setShown(bool shown);

    Q_INVOKABLE void send();            ///< also resends the question that is being edited
    Q_INVOKABLE void sendAfterAnswer(); ///< queues while an answer is written
    Q_INVOKABLE void stop();
    Q_INVOKABLE void editMessage(qint64 messageId, const QString& text);
    /// The same for an answer: sending stores it as a further version, and nothing is generated.
    Q_INVOKABLE void editAnswer(qint64 messageId, const QString& text);
    Q_INVOKABLE void cancelEdit();
    /// Up in an empty field: the last own message of the conversation comes into the field.
    Q_INVOKABLE void editLast();
    /// Stores what is in the field now. Call before another conversation is opened and at the end.
    void flush();

Q_SIGNALS:
    void textChanged();
    /// The text came from elsewhere than the field: it takes over text and caret.
    void textReplaced();
    void caretChanged();
    void stateChanged();
    void noteChanged();
    void shownChanged();

private:
    void takeConversation();
    void replaceText(const QString& text, int caret);
    void draftTouched();
    void scheduleCount();
    void count();
    void setNote(const QString& note, bool warning);
    void refreshNote();

    app::ConversationController& m_controller;
    app::EngineService& m_engine;
    QTimer m_saveTimer, m_countTimer;
    QElapsedTimer m_unsavedSince;
    QString m_text, m_asideText, m_reason, m_note;
    int m_caret = 0, m_asideCaret = 0;
    qint64 m_conversationId = -1; ///< whose draft this is; −1: none taken yet
    qint64 m_editing = 0;         ///< question being edited
    qint64 m_lastQuestion = 0;
    QString m_lastQuestionText;
    int m_tokens = -1; ///< of the text; −1: not counted
    quint64 m_countSerial = 0;
    int m_contextUsed = 0, m_contextSize = 0;
    double m_readSpeed = 0;
    bool m_editingAnswer = false;
    bool m_unsaved = false, m_queued = false, m_sending = false, m_noteIsWarning = false,
         m_shown = true;
};

} // namespace alcove::ui
