#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QString>
#include <QVector>

#include <optional>

/// Rows of the database as values. Nothing here touches SQL; store classes fill and take these.
namespace alcove::app {

using RowId = qint64; ///< 0: not stored yet

enum class Role { System, User, Assistant };

/// Writing: being generated now, or the program ended while it was (a later start reads it as interrupted).
enum class MessageState { Complete, Writing, Stopped, LengthLimit, ContextFull, Failed, Interrupted };

struct Conversation {
    RowId id = 0;
    QString title;          ///< empty: untitled yet; taken from the first user message until renamed
    bool renamed = false;   ///< the person chose the title
    QString systemPrompt;
    RowId modelId = 0;      ///< model last used; 0: none
    RowId leafId = 0;       ///< last message of the chosen path; 0: empty
    QString draft;          ///< unsent text
    int draftCaret = 0;
    QDateTime created, used, deletedAt; ///< deletedAt is null unless in the trash
};

/// How an answer was made; kept with it for good.
struct AnswerFacts {
    QString modelName, modelSha256; ///< hash may be empty until computed
    QString templateSha256;
    QJsonObject sampling; ///< SamplingSettings as JSON, with the seed
    quint64 seed = 0;
    int promptTokens = 0, cachedTokens = 0, generatedTokens = 0, contextSize = 0, contextUsed = 0;
    double prefillSeconds = 0, decodeSeconds = 0, firstTokenSeconds = 0, loadSeconds = 0;
    QString finish;       ///< FinishReason's name
    QString finishDetail;
};

/// A node of a conversation's tree. The parent of a first message is 0. Siblings are messages of one parent.
struct Message {
    RowId id = 0;
    RowId conversationId = 0;
    RowId parentId = 0;
    Role role = Role::User;
    MessageState state = MessageState::Complete;
    QString text; ///< the source, exactly as typed or generated
    QDateTime created;
    std::optional<AnswerFacts> facts; ///< answers only
    int siblingIndex = 0, siblingCount = 1; ///< place among the children of parentId, in order of creation
};

/// A model file that the person added or that lies in a model folder.
struct ModelRecord {
    RowId id = 0;
    QString path, name, architecture, quantization;
    qint64 fileBytes = 0;
    QString sha256;      ///< empty until computed
    bool runnable = false;
    QString reason;      ///< why not
    bool loadCrashed = false; ///< the program ended while loading it: not loaded again by itself
    int contextTrained = 0;
    QDateTime added, used, modified;
};

} // namespace alcove::app
