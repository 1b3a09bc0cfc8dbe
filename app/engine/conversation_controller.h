#pragma once

#include "app/engine/engine_service.h"
#include "app/store/conversation_store.h"
#include "app/store/message_store.h"
#include "app/store/model_store.h"
#include "app/store/store_thread.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <map>

namespace alcove::app {

/// What the window says about the model of the present conversation (design: model button).
enum class ModelState { None, Known, Loading, Ready, Failed, Away };

/// What an answer that is not ended is doing.
enum class AnswerPhase { None, Waiting, Loading, Reading, Writing };

/// The flow of one window, without any window: the present conversation, sending, stopping,
/// branches, drafts, saving while an answer grows. Lives on the window's thread and never waits:
/// every action returns at once, its result arrives as signals. Answers of other conversations go
/// on in the background.
///
/// Order of a send: question and empty answer committed → messageAdded ×2, sendAccepted (the
/// composer may empty) → model loaded if it is not → reading → answerDelta… → answerFinished. The
/// growing answer is saved every 500 ms.
class ConversationController : public QObject {
    Q_OBJECT

public:
    ConversationController(StoreThread& store, EngineService& engine, QObject* parent = nullptr);
    ~ConversationController() override;

    /// Once at start, before anything else: answers and loads that the last run left unfinished are
    /// marked.
    void begin();

    // --- The present conversation
    // -------------------------------------------------------------------------------
    RowId conversationId() const {
        return m_conversation.id;
    } ///< 0: a new one, not stored before the first message
    const Conversation& conversation() const { return m_conversation; }
    void open(RowId conversationId); ///< → conversationChanged, messagesReset
    void openNew();                  ///< an empty one; stored with its first message or draft
    /// Ids of the chosen path, root first; complete after messagesReset.
    const QVector<RowId>& pathIds() const { return m_path; }

    // --- Actions of the list
    // ------------------------------------------------------------------------------------
    void rename(RowId conversationId, const QString& title);
    void moveToTrash(RowId conversationId); ///< stops its answer; → conversationRemoved
    void restore(RowId conversationId);     ///< → conversationRestored

    // --- Talking
    // ------------------------------------------------------------------------------------------------
    /// Sends `text` below the present leaf. While an answer is running in this conversation, or a
    /// send is being stored, nothing is sent: → sendRefused with the reason. Nothing is cleared
    /// before sendAccepted.
    void send(const QString& text);
    /// Keeps `text` as the draft and sends it when the running answer has ended (at once if none is
    /// running).
    void sendAfterAnswer(const QString& text);
    void stop();                     ///< the present conversation's answer, in any phase
    void regenerate(RowId answerId); ///< a sibling answer
    void editAndResend(RowId questionId,
                       const QString& text);              ///< a sibling question with a new answer
    void editAnswer(RowId answerId, const QString& text); ///< a finished sibling with this text
    void continueAnswer(RowId answerId);                  ///< takes up an answer that was cut short
    void selectSibling(
        RowId messageId); ///< makes the path through this message the chosen one → messagesReset
    void saveDraft(const QString& text,
                   int caret); ///< call 300 ms after the last key; → draftSaved
    void setSystemPrompt(const QString& text);

    bool isAnswering() const; ///< in the present conversation
    bool isAnswering(RowId conversationId) const;
    RowId answeringMessage() const; ///< of the present conversation; 0: none
    AnswerPhase phase() const;
    int queuePosition()
        const; ///< of the present conversation's answer: 0 running, n waiting for n others, −1 none

    // --- The model
    // ----------------------------------------------------------------------------------------------
    /// Model of the next answers, of this conversation and of new ones. Nothing is loaded before it
    /// is needed.
    void selectModel(RowId modelId);
    void loadNow();
    void cancelLoad();
    void unload();
    const ModelRecord& model() const { return m_model; } ///< id 0: none chosen
    ModelState modelState() const { return m_modelState; }
    double loadFraction() const { return m_loadFraction; }
    const Error& modelError() const { return m_modelError; } ///< of the last load, in state Failed
    /// Sampling, context, threads from the settings; call after they were changed.
    void reloadSettings();

Q_SIGNALS:
    void conversationChanged(); ///< another conversation, or its title, system text, draft, model
    /// A conversation's row in the list changed (new, title, order, draft); insert it or move it.
    void conversationUpdated(const alcove::app::Conversation& conversation);
    void conversationRemoved(qint64 conversationId);
    void conversationRestored(const alcove::app::Conversation& conversation);
    void answeringChanged(qint64 conversationId, bool answering); ///< the dot in the list

    /// The chosen path is another one. `messages`: all of it, root first.
    void messagesReset(const QVector<alcove::app::Message>& messages);
    void messageAdded(const alcove::app::Message& message); ///< at the end of the path
    void messageChanged(const alcove::app::Message&
                            message); ///< state, facts, sibling numbers, or the text as a whole
    /// The path from this message on is another one: drop that message and all after it, then
    /// `messages` follow.
    void messagesReplaced(qint64 fromMessageId, const QVector<alcove::app::Message>& messages);
    void answerDelta(qint64 messageId, const QString& delta);
    void answerFinished(const alcove::app::Message& message); ///< text, state, facts as stored
    void phaseChanged(alcove::app::AnswerPhase phase);
    void readingProgress(const alcove::app::ReadingProgress& progress);
    void throughput(const alcove::app::Throughput& rate);

    void sendAccepted();                       ///< the question is stored: the composer empties now
    void sendRefused(const QString& sentence); ///< the composer keeps its text
    void draftSaved(qint64 conversationId);
    /// Choose a model first: the composer keeps its text.
    void modelNeeded();
    void modelStateChanged();
    /// A failure next to what was asked for; `action` is "open", "send", "save", "load", "answer",
    /// "rename", "delete".
    void failed(const QString& action, const alcove::Error& error);
    /// Something to tell, not a failure: a model that crashed the last run, a template fallback, a
    /// database notice.
    void notice(const QString& sentence);

private:
    struct Answer;
    struct Private;
    Conversation m_conversation;
    QVector<RowId> m_path;
    ModelRecord m_model;
    ModelState m_modelState = ModelState::None;
    double m_loadFraction = 0;
    Error m_modelError;
    std::unique_ptr<Private> d;
};

} // namespace alcove::app

Q_DECLARE_METATYPE(alcove::app::AnswerPhase)
