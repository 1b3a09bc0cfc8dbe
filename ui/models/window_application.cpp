#include "ui/models/window_application.h"

#include <QEvent>
#include <QFile>
#include <QMetaEnum>

#include <algorithm>

#ifdef Q_OS_LINUX
#include <unistd.h>
#endif

namespace alcove::ui {
namespace {

constexpr double kMs = 1e-6;
constexpr qint64 kHeld = 50'000'000; // nanoseconds; longer than this is felt

double ms(qint64 nanoseconds) {
    return double(nanoseconds) * kMs;
}

// Since the kernel started the process, loading of libraries included; in steps of 10 ms.
double msSinceProcessStart() {
#ifdef Q_OS_LINUX
    QFile stat(QStringLiteral("/proc/self/stat"));
    QFile uptime(QStringLiteral("/proc/uptime"));
    if (!stat.open(QIODevice::ReadOnly) || !uptime.open(QIODevice::ReadOnly))
        return -1;
    // The name in brackets may hold spaces; starttime is the 20th field after it (proc(5)).
    const QByteArray all = stat.readAll();
    const QList<QByteArray> fields = all.mid(all.lastIndexOf(')') + 2).split(' ');
    constexpr qsizetype kStartTime = 19;
    if (fields.size() <= kStartTime)
        return -1;
    const double started = fields[kStartTime].toDouble() / double(sysconf(_SC_CLK_TCK));
    return (uptime.readAll().split(' ').value(0).toDouble() - started) * 1000;
#else
    return -1;
#endif
}

} // namespace

void WindowApplication::startedUp() {
    if (m_started)
        return;
    m_started = true;
    m_usableAfterMs = msSinceProcessStart();
}

bool WindowApplication::notify(QObject* receiver, QEvent* event) {
    if (m_depth > 0)
        return QGuiApplication::notify(receiver, event);
    // The receiver may be gone afterwards: its name is taken before.
    const QMetaObject* meta = receiver->metaObject();
    const int type = event->type();
    QElapsedTimer clock;
    clock.start();
    ++m_depth;
    const bool handled = QGuiApplication::notify(receiver, event);
    --m_depth;
    const qint64 taken = clock.nsecsElapsed();
    if (!m_started) {
        m_startLongest = std::max(m_startLongest, taken);
        return handled;
    }
    ++m_events;
    m_total += taken;
    if (taken > kHeld)
        ++m_over50;
    if (taken > m_longest) {
        m_longest = taken;
        const char* name = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
        m_longestIn = QStringLiteral("%1: %2 in %3")
                          .arg(m_phase, QLatin1String(name != nullptr ? name : "event"),
                               QLatin1String(meta->className()));
    }
    return handled;
}

QJsonObject WindowApplication::report() const {
    return {{QStringLiteral("events"), qint64(m_events)},
            {QStringLiteral("longest_ms"), ms(m_longest)},
            {QStringLiteral("longest_in"), m_longestIn},
            {QStringLiteral("over_50_ms"), qint64(m_over50)},
            {QStringLiteral("total_ms"), ms(m_total)},
            {QStringLiteral("start_longest_ms"), ms(m_startLongest)},
            {QStringLiteral("usable_after_ms"), m_usableAfterMs}};
}

} // namespace alcove::ui
