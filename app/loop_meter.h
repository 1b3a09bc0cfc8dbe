#pragma once

#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>

namespace alcove::app {

/// Measures how long a thread's event loop is held: the time from waking up to going back to wait.
/// Costs two clock readings per turn of the loop. Lives on the thread it measures; begins when it
/// is made. Used by the window program for `--test-report` and the copied diagnostics.
class LoopMeter : public QObject {
    Q_OBJECT

public:
    explicit LoopMeter(QObject* parent = nullptr);

    double longestBusyMs() const { return m_longestMs; }
    int turnsOver50Ms() const { return m_over50; }
    qint64 turns() const { return m_turns; }
    /// Forgets what was measured so far, for example once the window has opened.
    void reset();

    /// {"longest_busy_ms","turns_over_16_ms","turns_over_50_ms","turns","busy_ms"}
    QJsonObject toJson() const;

private:
    void wakeUp();
    void aboutToWait();

    QElapsedTimer m_clock;
    bool m_busy = true;
    double m_longestMs = 0, m_busyMs = 0;
    int m_over16 = 0, m_over50 = 0;
    qint64 m_turns = 0;
};

} // namespace alcove::app
