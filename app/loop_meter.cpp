#include "app/loop_meter.h"

#include <QAbstractEventDispatcher>

#include <algorithm>

namespace alcove::app {

LoopMeter::LoopMeter(QObject* parent) : QObject(parent) {
    m_clock.start();
    if (QAbstractEventDispatcher* dispatcher = QAbstractEventDispatcher::instance()) {
        connect(dispatcher, &QAbstractEventDispatcher::awake, this, &LoopMeter::wakeUp);
        connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, this, &LoopMeter::aboutToWait);
    }
}

void LoopMeter::reset() {
    m_longestMs = m_busyMs = 0;
    m_over16 = m_over50 = 0;
    m_turns = 0;
    m_clock.restart();
}

void LoopMeter::wakeUp() {
    m_busy = true;
    m_clock.restart();
}

void LoopMeter::aboutToWait() {
    if (!m_busy)
        return;
    m_busy = false;
    const double ms = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    m_longestMs = std::max(m_longestMs, ms);
    m_busyMs += ms;
    m_over16 += ms > 16.0 ? 1 : 0;
    m_over50 += ms > 50.0 ? 1 : 0;
    ++m_turns;
}

QJsonObject LoopMeter::toJson() const {
    return {{QStringLiteral("longest_busy_ms"), m_longestMs},
            {QStringLiteral("turns_over_16_ms"), m_over16},
            {QStringLiteral("turns_over_50_ms"), m_over50},
            {QStringLiteral("turns"), m_turns},
            {QStringLiteral("busy_ms"), m_busyMs}};
}

} // namespace alcove::app
