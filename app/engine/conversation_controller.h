#pragma once

#include "app/engine/engine_service.h"
#include "app/store/conversation_store.h"
#include "app/store/message_store.h"
#include "app/store/model_store.h"
#include "app/store/store_thread.h"

#include <QObject>

namespace alcove::app {

/// What the window says about the model of the present conversation (its model button).
enum class ModelState { None, Known, Loading, Ready, Failed, Away };

/// What an answer that is not ended is doing.
enum class AnswerPhase { None, Waiting, Loading, Reading, Writing };

/// The flow of one window, without any window: the present conversation, sending, stopping,
/// branches, drafts, saving while an answer grows. Lives on the window's thread and never waits:
/// every action returns at once, its result arrives as signals. Answers of other conversations go
/// on in the background.
///
/// Order of a send: question and empty answer committed, then messageAdded twice and sendAccepted
/// (the composer may empty), then the model is loaded if it is not, reading, answerDelta…,
/// answerFinished. The growing answer is saved every 500 ms.
class ConversationController : public QObject {
    Q_OBJECT

public:
    ConversationController(StoreThread& store, EngineService& engine, QObject* parent = nullptr);
    /// Saves what is left of running answers; they read as interrupted at the next start.
    ~ConversationController() override;

    /// Once at start, before anything else: answers and loads that the last run left unfinished are
    /// marked, settings and the model used last are read.
    void begin();
    /// The conversation that was open last, or a new one.
    void openLast();

    // The present conversation.

    /// 0: a new one, not stored before its first message or draft.
    RowId conversationId() const { return m_conversation.id; }
    const Conversation& conversation() const { return m_conversation; }
    /// Gives conversationChanged and messagesReset, or failed("open").
    void open(RowId conversationId);
    /// An empty one; stored with its first message or draft.
    void openNew();
    /// Ids of the chosen path, root first.
    const QVector<RowId>& pathIds() const { return m_path; }

    // Actions of the list.

    void rename(RowId conversationId, const QString& title);
    /// Stops its answer; gives conversationRemoved.
    void moveToTrash(RowId conversationId);
    /// Gives conversationRestored.
    void restore(RowId conversationId);

    // Talking.

    /// Sends `text` below the present leaf. While an answer is running in this conversation, or a
    /// send is being stored, nothing is sent: sendRefused with the reason. Nothing is to be cleared
    /// before sendAccepted.
    void send(const QString& text);
    /// Keeps `text` as the draft and sends it when the running answer has ended by itself (at once
    /// if none is running). After a stop or a failure it stays a draft.
    void sendAfterAnswer(const QString& text);
    /// The present conversation's answer, in any phase.
    void stop();
    /// A sibling of this answer.
    void regenerate(RowId answerId);
    /// A sibling of this question, with an answer of its own.
    void editAndResend(RowId questionId, const QString& text);
    /// A finished sibling of this answer with this text.
    void editAnswer(RowId answerId, const QString& text);
    /// Takes up the last answer, if it was cut short.
    void continueAnswer(RowId answerId);
    /// Makes the path through this message the chosen one; gives messagesReplaced.
    void selectSibling(RowId messageId);
    /// The same, by places to the right (negative: left) among the siblings of a shown message.
    void stepSibling(RowId messageId, int step);
    /// To be called 300 ms after the last key; gives draftSaved.
    void saveDraft(const QString& text, int caret);
    void setSystemPrompt(const QString& text);

    /// In the present conversation, or in another one.
    bool isAnswering() const;
    bool isAnswering(RowId conversationId) const;
    /// The message being written in the present conversation; 0: none.
    RowId answeringMessage() const;
    AnswerPhase phase() const;
    /// Of the present conversation's answer: 0 running, n waiting for n others, −1 none.
    int queuePosition() const;

    // Adapters.

    /// What the next answers of this conversation are written with.
    const QVector<AdapterChoice>& adapters() const { return m_adapters; }
    /// Kept with the conversation; gives adaptersChanged. A running answer goes on with its own.
    void setAdapters(const QVector<AdapterChoice>& choices);
    /// Answers the last question with these adapters and without any, with the same seed, as
    /// siblings; gives compared(), or nothing if one of them was stopped or another conversation
    /// was opened meanwhile.
    void compareAdapters();

    // The model.

    /// Model of the next answers, of this conversation and of new ones. Loads nothing before it is
    /// needed. Choosing a model that ended the program while loading allows another try.
    void selectModel(RowId modelId);
    /// When none is chosen (first start, or the library has just found files): the one used last,
    /// else the first that runs. Call it after begin() and whenever the library changed.
    void chooseDefaultModel();
    void loadNow();
    void cancelLoad();
    void unload();
    /// id 0: none chosen.
    const ModelRecord& model() const { return m_model; }
    ModelState modelState() const { return m_modelState; }
    double loadFraction() const { return m_loadFraction; }
    /// Why the last load failed, in state Failed.
    const Error& modelError() const { return m_modelError; }
    /// Sampling, context, threads from the settings; call after they were changed.
    void reloadSettings();

Q_SIGNALS:
    /// Another conversation, or its title, system text, draft or model.
    void conversationChanged();
    /// A row of the list is new or changed (title, order, draft): insert it or move it.
    void conversationUpdated(const alcove::app::Conversation& conversation);
    void conversationRemoved(qint64 conversationId);
    void conversationRestored(const alcove::app::Conversation& conversation);
    /// The dot in the list.
    void answeringChanged(qint64 conversationId, bool answering);

    /// Another conversation is shown: `messages` is the whole of its chosen path, root first.
    void messagesReset(const QVector<alcove::app::Message>& messages);
    /// At the end of the path.
    void messageAdded(const alcove::app::Message& message);
    /// State, facts or sibling numbers of a shown message.
    void messageChanged(const alcove::app::Message& message);
    /// The path from this message on is another one: drop that message and all after it; then
    /// `messages` follow.
    void messagesReplaced(qint64 fromMessageId, const QVector<alcove::app::Message>& messages);
    /// The shown answer grows.
    void answerDelta(qint64 messageId, const QString& delta);
    /// Text, state and facts as stored.
    void answerFinished(const alcove::app::Message& message);
    void phaseChanged(alcove::app::AnswerPhase phase);
    void readingProgress(const alcove::app::ReadingProgress& progress);
    void throughput(const alcove::app::Throughput& rate);

    /// The question is stored: the composer empties now.
    void sendAccepted();
    /// The composer keeps its text.
    void sendRefused(const QString& sentence);
    /// Choose a model first: the composer keeps its text.
    void modelNeeded();
    void draftSaved(qint64 conversationId);
    void modelStateChanged();
    void adaptersChanged();
    void compared(const alcove::app::Message& with, const alcove::app::Message& without);
    /// A failure next to what was asked for; `action` is "open", "send", "save", "load", "answer",
    /// "rename", "delete", "settings".
    void failed(const QString& action, const alcove::Error& error);
    /// Something to tell that is no failure: a model that ended the last run, a chat format that
    /// had to be guessed.
    void notice(const QString& sentence);

private:
    struct Private;
    friend struct Private;

    Conversation m_conversation;
    QVector<RowId> m_path;
    QVector<AdapterChoice> m_adapters;
    ModelRecord m_model;
    ModelState m_modelState = ModelState::None;
    double m_loadFraction = 0;
    Error m_modelError;
    std::unique_ptr<Private> d;
};

} // namespace alcove::app

Q_DECLARE_METATYPE(alcove::app::AnswerPhase)
