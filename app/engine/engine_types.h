#pragma once

#include "app/store/records.h"
#include "engine/engine.h"

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>

/// What goes to and comes from the engine's thread, as values.
namespace alcove::app {

using JobId = quint64; ///< counted from 1 within one run of the program; 0: none

/// Facts of a loaded model, for the window.
struct ModelFacts {
    QString path, name, architecture, quantization;
    qint64 fileBytes = 0, parameterCount = 0;
    int contextTrained = 0;
    int contextSize = 0;                                      ///< of its sessions
    int threads = 0;                                          ///< as asked for; 0: automatic
    qint64 weightsBytes = 0, contextBytes = 0, workBytes = 0; ///< contextBytes: of one conversation
    double loadSeconds = 0;
    QString templateSha256; ///< of the file's chat template; empty if it has none
    QStringList warnings;
};

/// Speed and place, sent along with text.
struct Throughput {
    double readTokensPerSecond = 0;      ///< of this answer; 0 while nothing was read
    double writeTokensPerSecond = 0;     ///< mean of the last 2 seconds
    double meanWriteTokensPerSecond = 0; ///< of the whole answer
    double firstTokenSeconds = 0;        ///< from the job's begin; 0 until then
    int promptTokens = 0, cachedTokens = 0, generatedTokens = 0;
    int contextUsed = 0, contextSize = 0;
};

/// Progress of reading a prompt.
struct ReadingProgress {
    int done = 0;               ///< new tokens read
    int total = 0;              ///< new tokens to read
    int cached = 0;             ///< tokens that were already read and are kept
    double tokensPerSecond = 0; ///< 0: not measured yet
    double secondsLeft = -1;    ///< negative: not known yet
    int contextUsed = 0, contextSize = 0;
};

/// One turn of the conversation as the model is to see it.
struct ChatTurn {
    Role role = Role::User;
    QString text;
};

/// Asks for one answer.
struct GenerateJob {
    /// The model that is to answer; loaded first, within this job, if it is not the present one or
    /// if its sessions have other options (then loadProgress and loadFinished come before the
    /// rest). Empty: the loaded model as it is.
    QString modelPath;
    QString modelSha256; ///< where it is known; adapters may be bound to it
    SessionOptions options;
    RowId conversationId = 0;        ///< which warm state to use; 0: none is kept
    QVector<ChatTurn> turns;         ///< system text first if there is any; ends with the question
    QVector<AdapterChoice> adapters; ///< exactly these; loaded first where they are not
    QString answerBegin;             ///< Continue: the answer so far, to be taken up; else empty
    SamplingSettings sampling;       ///< with the seed to use
    int maxTokens = -1;              ///< −1: until the context is full
    QStringList stopStrings;
};

/// The end of a generate job, also after Stop (finish is then Cancel).
struct AnswerResult {
    QString text; ///< all that this job generated (without GenerateJob::answerBegin)
    FinishReason finish = FinishReason::Stop;
    AnswerFacts facts;
    QStringList warnings; ///< of the chat template
};

/// Memory, for the inspector. Bytes.
struct MemoryFacts {
    qint64 processResident = 0, systemTotal = 0, systemAvailable = 0;
    qint64 weights = 0;  ///< of the loaded model, mapped
    qint64 contexts = 0; ///< of all warm conversations
    int warmConversations = 0;
    qint64 warmBudget = 0;
};

/// Resident memory of this process and memory of the machine (the container's limit if that is
/// lower).
MemoryFacts readMemoryFacts();

/// A seed for an answer whose settings ask for a new one: 53 bits, so that JSON keeps it.
quint64 randomSeed();
QJsonObject samplingToJson(const SamplingSettings& settings);

} // namespace alcove::app

Q_DECLARE_METATYPE(alcove::Error)
Q_DECLARE_METATYPE(alcove::app::ModelFacts)
Q_DECLARE_METATYPE(alcove::app::Throughput)
Q_DECLARE_METATYPE(alcove::app::ReadingProgress)
Q_DECLARE_METATYPE(alcove::app::AnswerResult)
Q_DECLARE_METATYPE(alcove::app::MemoryFacts)
