#include "app/engine/engine_types.h"

#include <QFile>
#include <QRandomGenerator>

#include <limits>
#include <unistd.h>

namespace alcove::app {

namespace {

/// The number behind `key` in a file of "key: number unit" or "key number" lines; −1 if it is not
/// there.
qint64 numberAfter(const QByteArray& text, const QByteArray& key) {
    for (const QByteArray& line : text.split('\n')) {
        if (!line.startsWith(key))
            continue;
        const QByteArray rest = line.mid(key.size()).trimmed();
        bool good = false;
        const qint64 value =
            rest.left(rest.indexOf(' ') < 0 ? rest.size() : rest.indexOf(' ')).toLongLong(&good);
        return good ? value : -1;
    }
    return -1;
}

/// Files of /proc and /sys have no size: read until the end.
QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

qint64 limitIn(const QString& path) {
    bool good = false;
    const qint64 value = contentOf(path).trimmed().toLongLong(&good); // "max" is no number
    return good ? value : std::numeric_limits<qint64>::max();
}

struct GroupMemory {
    qint64 limit = std::numeric_limits<qint64>::max();
    qint64 used = 0;
};

/// Limit and use of the control group that this process runs in (version 2, then version 1).
GroupMemory groupMemory() {
    GroupMemory memory;
    QString folder = QStringLiteral("/sys/fs/cgroup");
    for (const QByteArray& line : contentOf(QStringLiteral("/proc/self/cgroup")).split('\n'))
        if (line.startsWith("0::") &&
            QFile::exists(folder + QString::fromUtf8(line.mid(3)) + QStringLiteral("/memory.max")))
            folder += QString::fromUtf8(line.mid(3));
    if (QFile::exists(folder + QStringLiteral("/memory.max"))) {
        memory.limit = limitIn(folder + QStringLiteral("/memory.max"));
        const qint64 droppable =
            numberAfter(contentOf(folder + QStringLiteral("/memory.stat")), "inactive_file ");
        memory.used =
            limitIn(folder + QStringLiteral("/memory.current")) - std::max<qint64>(0, droppable);
    } else if (QFile::exists(QStringLiteral("/sys/fs/cgroup/memory/memory.limit_in_bytes"))) {
        memory.limit = limitIn(QStringLiteral("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
        const QByteArray stat = contentOf(QStringLiteral("/sys/fs/cgroup/memory/memory.stat"));
        memory.used = limitIn(QStringLiteral("/sys/fs/cgroup/memory/memory.usage_in_bytes")) -
                      std::max<qint64>(0, numberAfter(stat, "total_inactive_file "));
    }
    return memory;
}

} // namespace

MemoryFacts readMemoryFacts() {
    MemoryFacts facts;
    const QList<QByteArray> pages = contentOf(QStringLiteral("/proc/self/statm")).split(' ');
    if (pages.size() > 1)
        facts.processResident = pages[1].toLongLong() * sysconf(_SC_PAGESIZE);
    const QByteArray machine = contentOf(QStringLiteral("/proc/meminfo"));
    facts.systemTotal = std::max<qint64>(0, numberAfter(machine, "MemTotal:")) * 1024;
    facts.systemAvailable = std::max<qint64>(0, numberAfter(machine, "MemAvailable:")) * 1024;
    const GroupMemory group = groupMemory();
    if (group.limit < facts.systemTotal) {
        facts.systemTotal = group.limit;
        facts.systemAvailable =
            std::min(facts.systemAvailable, std::max<qint64>(0, group.limit - group.used));
    }
    return facts;
}

quint64 randomSeed() {
    return QRandomGenerator::system()->generate64() & ((quint64{1} << 53U) - 1);
}

QJsonObject samplingToJson(const SamplingSettings& s) {
    // Six significant digits: 0.8F is shown as 0.8, not as 0.800000011920929.
    const auto number = [](float value) {
        return QString::number(static_cast<double>(value), 'g', 6).toDouble();
    };
    return {{QStringLiteral("temperature"), number(s.temperature)},
            {QStringLiteral("top_k"), s.top_k},
            {QStringLiteral("top_p"), number(s.top_p)},
            {QStringLiteral("min_p"), number(s.min_p)},
            {QStringLiteral("repeat_penalty"), number(s.repeat_penalty)},
            {QStringLiteral("repeat_last_n"), s.repeat_last_n},
            {QStringLiteral("frequency_penalty"), number(s.frequency_penalty)},
            {QStringLiteral("presence_penalty"), number(s.presence_penalty)},
            // As text: JSON readers round numbers above 2^53.
            {QStringLiteral("seed"), QString::number(s.seed)}};
}

} // namespace alcove::app
