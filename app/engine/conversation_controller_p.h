#pragma once

#include "app/engine/conversation_controller.h"
#include "app/store/adapter_store.h"

#include <QHash>
#include <QSet>
#include <QThreadPool>
#include <QTimer>

#include <map>
#include <memory>

namespace alcove::app {

/// An answer that is not ended, of whichever conversation.
/// One answer with the chosen adapters, then one without, of the same question and seed. It travels
/// with the answer that is written for it: no other answer can be taken for a part of it.
struct Comparison {
    RowId with = 0; ///< 0: this answer is the one with adapters; else that one's id
    quint64 seed = 0;
};

struct LiveAnswer {
    Message message;         ///< its text grows here and is ahead of the database
    qsizetype saved = 0;     ///< how much of the text the database has
    bool saving = false;     ///< an append is under way
    bool saveFailed = false; ///< already told
    JobId job = 0;
    AnswerPhase phase = AnswerPhase::Waiting;
    bool stopped = false;    ///< by the person, perhaps before the job was given
    bool loadMarked = false; ///< the model carries the mark of a load
    ModelRecord model;
    SamplingSettings sampling;
    QString begin; ///< Continue: the text before this job
    std::optional<AnswerFacts> factsBefore;
    QString queued; ///< to be sent when the answer has ended by itself
    std::optional<Comparison> comparison = {};

    bool ended = false; ///< waits to be stored
    MessageState endState = MessageState::Complete;
    AnswerFacts endFacts;
};

/// A conversation that may not be stored yet. The id is read and set on the store's thread alone,
/// where work runs in order: whichever of draft and question comes first makes the row, and the
/// other finds it.
struct ConversationSlot {
    RowId id = 0;
    /// Chosen before there was a row to keep it with.
    std::optional<QVector<AdapterChoice>> adapters = {};
};

/// What the store gives back for a new answer: the rows and what the model is to see.
struct PreparedAnswer {
    Conversation conversation;
    std::optional<Message> question; ///< absent: regenerate and continue
    Message answer;
    QVector<ChatTurn> turns;
    QVector<AdapterChoice> adapters = {}; ///< as the conversation has them
    std::optional<Comparison> comparison = {};
};

/// What the model is to see: system text, then the path up to and with the question.
Result<QVector<ChatTurn>> readTurns(Database& database, const Conversation& conversation,
                                    RowId questionId);

struct ConversationController::Private {
    Private(ConversationController& controller, StoreThread& storeThread,
            EngineService& engineService);

    ConversationController& q;
    StoreThread& store;
    EngineService& engine;

    // --- view (conversation_controller.cpp)
    std::shared_ptr<ConversationSlot> slot = std::make_shared<ConversationSlot>();
    quint64 view = 0; ///< counts what was opened: results for an earlier view are not shown
    void show(Conversation conversation, QVector<Message> messages);
    void withLiveText(QVector<Message>& messages) const;
    void openAgain(RowId conversationId, int attempt);
    void tell(const Conversation& conversation); ///< the present one's copy and the list
    void replacePath(quint64 forView, const QVector<RowId>& path, qsizetype from,
                     QVector<Message> messages);

    // --- answers (conversation_answers.cpp)
    std::map<RowId, LiveAnswer> answers; ///< by conversation
    bool sending = false;                ///< a send of the present view is being stored
    QSet<RowId> sendingIn;               ///< conversations with a send being stored, shown or not
    bool stopSending = false;            ///< stop was asked for before the answer began
    QTimer saveTimer;
    LiveAnswer* live(RowId conversationId);
    LiveAnswer* liveByJob(JobId job);
    bool shown(const LiveAnswer& answer) const;
    bool mayAnswer();
    bool needsLoad() const;
    /// A new answer to the question of `sibling`, beside it.
    void answerAgain(RowId sibling, const std::optional<Comparison>& comparison);
    using Prepare = std::function<Result<PreparedAnswer>(Database&)>;
    void prepareAndAnswer(const QString& action, Prepare prepare, RowId replaced);
    void startAnswer(PreparedAnswer prepared, const ModelRecord& model, bool loadMarked,
                     bool append, RowId replaced);
    void setPhase(LiveAnswer& answer, AnswerPhase phase);
    void grow(JobId job, const QString& delta, const Throughput& rate);
    void save();
    void saveOne(LiveAnswer& answer);
    void endAnswer(LiveAnswer& answer, MessageState state, AnswerFacts facts);
    void storeEnd(RowId conversationId);
    void answerStored(RowId conversationId, const Message& message);
    void jobFinished(JobId job, const AnswerResult& result);
    void jobFailed(JobId job, const Error& error);
    void sendQueued(RowId conversationId, const QString& text, const ModelRecord& model);

    // --- adapters (conversation_adapters.cpp)
    /// Keeps what was chosen before the conversation had a row.
    static Status keepAdapters(Database& db, ConversationSlot& slot);
    /// After `message`, which was written for `comparison`.
    void goOnComparing(const Message& message, const Comparison& comparison);

    // --- model (conversation_model.cpp)
    SamplingSettings sampling;
    SessionOptions options;
    bool newSeedEachTime = true;
    int maxTokens = -1;
    JobId loadJob = 0;
    ModelRecord loadingModel;
    void setModel(const ModelRecord& model);
    void updateModelState();
    void setModelState(ModelState state);
    void applySettings(const QHash<QString, QString>& stored);
    void loadEnded(const ModelRecord& model, const Error* error);
    void hashModel(const ModelRecord& model);
    std::shared_ptr<std::atomic<bool>> quitting = std::make_shared<std::atomic<bool>>(false);
    QThreadPool hashing; ///< its own: a hashing thread stays at the lowest priority
};

} // namespace alcove::app
