#include "ui/models/processor_meter.h"

#include <algorithm>
#include <thread>

#ifdef Q_OS_UNIX
#include <sys/resource.h>
#endif

namespace alcove::ui {
namespace {

double processorSeconds() {
#ifdef Q_OS_UNIX
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
    const auto seconds = [](const timeval& t) {
        return double(t.tv_sec) + double(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
#else
    return -1;
#endif
}

} // namespace

double ProcessorMeter::read() {
    double fraction = -1;
    const double now = processorSeconds();
    if (m_seconds >= 0 && now >= 0 && m_since.isValid()) {
        const double elapsed = double(m_since.nsecsElapsed()) * 1e-9;
        const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
        if (elapsed > 0)
            fraction = std::min(1.0, (now - m_seconds) / elapsed / cores);
    }
    m_seconds = now;
    m_since.start();
    return fraction;
}

} // namespace alcove::ui
