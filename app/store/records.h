#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>

#include <optional>

/// Rows of the database as values. Nothing here touches SQL; store classes fill and take these.
namespace alcove::app {

using RowId = qint64; ///< 0: not stored yet

enum class Role { System, User, Assistant };

/// "system", "user", "assistant": the spelling of the database, of chat templates and of JSON.
QString roleName(Role role);
std::optional<Role> roleFromName(QStringView name);

/// Writing: being generated now, or the program ended while it was (a later start reads it as
/// Interrupted).
enum class MessageState {
    Complete,
    Writing,
    Stopped,
    LengthLimit,
    ContextFull,
    Failed,
    Interrupted
};

/// "complete", "writing", "stopped", "length", "context", "failed", "interrupted".
QString messageStateName(MessageState state);
std::optional<MessageState> messageStateFromName(QStringView name);

/// True for an answer that was cut short and can be taken up again (stop, length limit, crash,
/// failure half way).
bool canContinue(MessageState state);

struct Conversation {
    RowId id = 0;
    QString title;        ///< empty: untitled yet; taken from the first user message until renamed
    bool renamed = false; ///< the person chose the title
    QString systemPrompt;
    RowId modelId = 0;  ///< model last used; 0: none
    QString modelName;  ///< its name for the list's second line; read only, empty without a model
    RowId leafId = 0;   ///< last message of the chosen path; 0: empty
    QString draft;      ///< unsent text
    int draftCaret = 0; ///< UTF-16 position in the draft
    bool draftQueued = false; ///< the draft is to be sent when the running answer has ended
    QDateTime created, used, deletedAt; ///< UTC; deletedAt is null unless in the trash
};

/// An adapter that wrote an answer, as it was then.
struct AppliedAdapter {
    QString sha256, name;
    double scale = 1;
};

/// How an answer was made; kept with it for good.
struct AnswerFacts {
    QString modelName, modelSha256; ///< hash may be empty until computed
    QString templateSha256;
    QVector<AppliedAdapter> adapters; ///< none: the model alone
    QJsonObject sampling;             ///< SamplingSettings as JSON, with the seed
    quint64 seed = 0;
    int promptTokens = 0, cachedTokens = 0, generatedTokens = 0, contextSize = 0, contextUsed = 0;
    double prefillSeconds = 0, decodeSeconds = 0, firstTokenSeconds = 0, loadSeconds = 0;
    QString finish;       ///< FinishReason's name, or "error"
    QString finishDetail; ///< the stop string, the numbers of a full context, or the sentence of a
                          ///< failure

    double prefillTokensPerSecond() const;
    double decodeTokensPerSecond() const;
};

QString adaptersToJson(const QVector<AppliedAdapter>& adapters);
QVector<AppliedAdapter> adaptersFromJson(const QString& json);

/// A node of a conversation's tree. The parent of a first message is 0. Siblings are messages of
/// one parent.
struct Message {
    RowId id = 0;
    RowId conversationId = 0;
    RowId parentId = 0;
    Role role = Role::User;
    MessageState state = MessageState::Complete;
    QString text; ///< the source, exactly as typed or generated
    QDateTime created;
    std::optional<AnswerFacts> facts; ///< answers only
    int siblingIndex = 0,
        siblingCount = 1; ///< place among the children of parentId, in order of creation
};

/// A model file that the person added or that lies in a model folder.
struct ModelRecord {
    RowId id = 0;
    QString path, name, architecture, quantization;
    qint64 fileBytes = 0;
    QString sha256; ///< empty until computed
    bool runnable = false;
    QString reason;           ///< why not
    bool loadCrashed = false; ///< the program ended while loading it: not loaded again by itself
    bool addedByHand = false; ///< added in place by the person; else found in a model folder
    int contextTrained = 0;
    QDateTime added, used, modified; ///< used is null if never; modified is the file's
};

/// An adapter file that the person added. It is referenced, not copied.
struct AdapterRecord {
    RowId id = 0;
    QString path, sha256, name;
    QString kind; ///< adapter_kind_name()
    QString architecture, baseName, baseSha256;
    qint64 bytes = 0, parameters = 0;
    int rankMin = 0, rankMax = 0;
    std::optional<double> alpha;
    QJsonObject targets; ///< name: number of layers
    QStringList warnings;
    double defaultScale = 1;
    QString note;
    QDateTime added, used; ///< used is null if never
};

/// An adapter that a conversation uses.
struct AdapterChoice {
    AdapterRecord adapter;
    double scale = 1;
};

} // namespace alcove::app

Q_DECLARE_METATYPE(alcove::app::Conversation)
Q_DECLARE_METATYPE(alcove::app::Message)
Q_DECLARE_METATYPE(alcove::app::ModelRecord)
Q_DECLARE_METATYPE(alcove::app::AnswerFacts)
Q_DECLARE_METATYPE(alcove::app::AdapterRecord)
Q_DECLARE_METATYPE(QVector<alcove::app::AdapterChoice>)
