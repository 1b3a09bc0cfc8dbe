#pragma once

#include "app/engine/engine_types.h"
#include "ui/models/processor_meter.h"

#include <QList>
#include <QObject>
#include <QTimer>
#include <QtQml/qqmlregistration.h>

#include <functional>
#include <optional>

namespace alcove::ui {

/// What the program is doing and how fast: the status line and the inspector. Fed with plain
/// numbers by the controller; refreshes its texts four times a second while something runs and not
/// at all otherwise.
class StatusModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(Phase phase READ phase NOTIFY changed FINAL)
    Q_PROPERTY(bool busy READ busy NOTIFY changed FINAL)
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)
    Q_PROPERTY(QString announcement READ announcement NOTIFY announced FINAL)
    Q_PROPERTY(QString reading READ reading NOTIFY changed FINAL)
    Q_PROPERTY(QString writing READ writing NOTIFY changed FINAL)
    Q_PROPERTY(QString writingMean READ writingMean NOTIFY changed FINAL)
    Q_PROPERTY(QString firstWord READ firstWord NOTIFY changed FINAL)
    Q_PROPERTY(QString tokens READ tokens NOTIFY changed FINAL)
    Q_PROPERTY(QString stopReason READ stopReason NOTIFY changed FINAL)
    Q_PROPERTY(double readingFraction READ readingFraction NOTIFY changed FINAL)
    Q_PROPERTY(bool hasContext READ hasContext NOTIFY changed FINAL)
    Q_PROPERTY(double contextFraction READ contextFraction NOTIFY changed FINAL)
    Q_PROPERTY(ContextLevel contextLevel READ contextLevel NOTIFY changed FINAL)
    Q_PROPERTY(QString context READ context NOTIFY changed FINAL)
    Q_PROPERTY(QString contextShort READ contextShort NOTIFY changed FINAL)
    Q_PROPERTY(QString contextSpoken READ contextSpoken NOTIFY changed FINAL)
    Q_PROPERTY(QString contextAdvice READ contextAdvice NOTIFY changed FINAL)
    Q_PROPERTY(QString keptTokens READ keptTokens NOTIFY changed FINAL)
    Q_PROPERTY(QString modelMemory READ modelMemory NOTIFY changed FINAL)
    Q_PROPERTY(QString contextMemory READ contextMemory NOTIFY changed FINAL)
    Q_PROPERTY(QString usedMemory READ usedMemory NOTIFY changed FINAL)
    Q_PROPERTY(QString freeMemory READ freeMemory NOTIFY changed FINAL)
    Q_PROPERTY(QString keptConversations READ keptConversations NOTIFY changed FINAL)
    Q_PROPERTY(QString readingTitle READ readingTitle NOTIFY changed FINAL)
    Q_PROPERTY(QString threads READ threads NOTIFY changed FINAL)
    Q_PROPERTY(QString processor READ processor NOTIFY changed FINAL)
    Q_PROPERTY(QList<qreal> samples READ samples NOTIFY samplesChanged FINAL)
    Q_PROPERTY(QString samplesText READ samplesText NOTIFY samplesChanged FINAL)

public:
    enum class Phase { Idle, Loading, Reading, Writing, Stopping };
    Q_ENUM(Phase)
    enum class ContextLevel { Plain, Filling, NearlyFull };
    Q_ENUM(ContextLevel)

    static constexpr int kSamples = 120; ///< points of the graph: 60 s
    static constexpr int kSampleMs = 500;
    static constexpr int kRefreshMs = 250;

    /// Counts and speeds of the answer being made or made last.
    struct Progress {
        int promptTokens = 0, cachedTokens = 0, prefilledTokens = 0, generatedTokens = 0;
        int contextSize = 0, contextUsed = 0;
        double readSpeed = 0; ///< tokens per second; 0: not measured
        double recentWriteSpeed = 0,
               writeSpeed = 0; ///< mean of the last two seconds, and of the whole answer
        double firstTokenSeconds = 0;
        double readingSecondsLeft = -1; ///< negative: not known yet
    };

    /// `memory` is asked at most four times a second, and only while something runs or on
    /// refresh().
    explicit StatusModel(std::function<alcove::app::MemoryFacts()> memory,
                         QObject* parent = nullptr);

    // What happens, told by the controller.
    void showLoading(const QString& modelName, double fraction);
    void showAnswering(); ///< a question was given to the engine
    void showProgress(const Progress& progress);
    void showStopping();
    void showIdle(const QString& stopReason, const QString& announcement);
    void showFacts(const Progress& progress,
                   const QString& stopReason); ///< of an answer read from the database
    void setModel(const std::optional<alcove::app::ModelFacts>& model);
    void setIdleText(const QString& text);
    void announce(const QString& text);

    Phase phase() const { return m_phase; }
    bool busy() const { return m_phase != Phase::Idle; }
    QString text() const;
    QString announcement() const { return m_announcement; }
    QString reading() const;
    QString
    writing() const; ///< mean of the last two seconds while writing, else of the whole answer
    QString writingMean() const;
    QString firstWord() const;
    QString tokens() const;
    QString stopReason() const;
    double readingFraction() const;
    bool hasContext() const { return m_shown.contextSize > 0; }
    double contextFraction() const;
    ContextLevel contextLevel() const;
    QString context() const;
    QString contextShort() const;
    QString contextSpoken() const;
    QString contextAdvice() const;
    QString keptTokens() const;
    QString modelMemory() const;
    QString contextMemory() const;
    QString usedMemory() const;
    QString freeMemory() const;
    QString keptConversations() const;
    QString readingTitle() const; ///< "Reading 2,310 new tokens" for the row under the question
    QString threads() const;
    QString processor() const;
    QList<qreal> samples() const { return m_samples; }
    QString samplesText() const;

    /// All values as one block of text, without a word of any conversation.
    Q_INVOKABLE QString diagnostics() const;
    /// Reads memory once while nothing runs, for the first look.
    Q_INVOKABLE void refresh();
    /// Adds one point to the graph; public for tests.
    void sample(double tokensPerSecond);

Q_SIGNALS:
    void changed();
    void samplesChanged();
    void announced(const QString& text);

private:
    void setPhase(Phase phase);
    void tick();
    void readSystem();

    QTimer m_timer;
    std::function<alcove::app::MemoryFacts()> m_readMemory;
    alcove::app::MemoryFacts m_memory;
    std::optional<alcove::app::ModelFacts> m_model;
    ProcessorMeter m_processor;
    double m_processorFraction = -1;
    Phase m_phase = Phase::Idle;
    Progress m_latest; ///< as told
    Progress m_shown;  ///< as shown, taken over at each refresh
    int m_ticks = 0;
    double m_loadFraction = 0;
    QString m_modelName, m_idleText, m_announcement, m_stopReason;
    QList<qreal> m_samples;
};

} // namespace alcove::ui
