#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

#include <span>

namespace alcove::app {

/// A question just stored with the empty answer that is to be generated for it.
struct QuestionAndAnswer {
    Conversation conversation; ///< after the change: title, leaf, order; its draft is empty
    Message question, answer;  ///< the answer's state is Writing
};

/// The tree of messages: `message`, `message_part`, `answer_facts` and the full-text index.
/// Synchronous; used on the thread that owns `database`. Each function is one transaction. All of a
/// message's cost is its own: no function that is called while an answer grows depends on the
/// length of the conversation.
class MessageStore {
public:
    explicit MessageStore(Database& database) : m_database(database) {}

    /// Stores the question below `parentId` (0: as a first message), an empty answer below it
    /// (state Writing), makes it the chosen leaf, empties the draft, titles an untitled
    /// conversation and brings it to the top of the list. `conversationId` 0 makes a new
    /// conversation, in the same transaction.
    Result<QuestionAndAnswer> addQuestion(RowId conversationId, RowId parentId, const QString& text,
                                          RowId modelId = 0, const QString& systemPrompt = {});

    /// A further, empty answer to the question `questionId` (state Writing); becomes the chosen
    /// leaf.
    Result<Message> addAnswer(RowId questionId);

    /// A finished sibling of `answerId` with another text (an edited answer); becomes the chosen
    /// leaf.
    Result<Message> addEditedAnswer(RowId answerId, const QString& text);

    /// Sets an ended answer back to Writing so that it can grow on (Continue).
    /// Errc::InvalidArgument if it is none.
    Result<Message> reopenAnswer(RowId answerId);

    /// Appends to an answer that is being written; writes only `delta`.
    Status appendAnswer(RowId answerId, const QString& delta);

    /// Ends an answer: appends `delta`, joins its pieces, stores state and facts, adds it to the
    /// full-text index.
    Result<Message> finishAnswer(RowId answerId, const QString& delta, MessageState state,
                                 const AnswerFacts& facts);

    /// At start, when no other process writes: answers left as Writing become Interrupted. Gives
    /// how many.
    Result<int> markInterrupted();

    Result<Message> get(RowId id); ///< Errc::NotFound if there is none
    /// Ids from the root to `leafId`, both included. Empty for 0.
    Result<QVector<RowId>> pathIds(RowId leafId);
    /// The messages `ids`, in that order, with texts, facts and sibling numbers. Read long paths by
    /// windows of 200.
    Result<QVector<Message>> load(std::span<const RowId> ids);
    /// All messages from the root to `leafId`.
    Result<QVector<Message>> path(RowId leafId);
    /// Messages with the same parent in order of creation, `id` among them.
    Result<QVector<RowId>> siblings(RowId id);
    /// Makes the path through `id` the chosen one: below `id` it follows the choices made last.
    /// Gives the new leaf.
    Result<RowId> chooseBranch(RowId id);
    /// Every message of a conversation in order of creation.
    Result<QVector<Message>> all(RowId conversationId);
    Result<qint64> count(RowId conversationId);

private:
    Database& m_database;
};

} // namespace alcove::app
