#pragma once

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QJsonObject>

namespace alcove::ui {

/// The application object, which also measures how long the window's thread is held by one event.
/// That is what makes a window feel stuck, and what the end-to-end test reports.
class WindowApplication : public QGuiApplication {
public:
    WindowApplication(int& argc, char** argv) : QGuiApplication(argc, argv) {}

    bool notify(QObject* receiver, QEvent* event) override;

    /// Counts from now on; before, events of starting (loading the screens) are counted apart.
    void startedUp();
    void setPhase(const QString& phase) { m_phase = phase; }

    /// {"events","longest_ms","longest_in","over_50_ms","total_ms","start_longest_ms"}: the
    /// window's thread since startedUp(). `longest_in` names the phase, receiver and event.
    QJsonObject report() const;

private:
    int m_depth = 0;
    bool m_started = false;
    double m_usableAfterMs = -1; ///< from the start of the process; negative: not known
    QString m_phase;
    quint64 m_events = 0, m_over50 = 0;
    qint64 m_total = 0, m_longest = 0, m_startLongest = 0;
    QString m_longestIn;
};

} // namespace alcove::ui
