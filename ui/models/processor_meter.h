#pragma once

#include <QElapsedTimer>

namespace alcove::ui {

/// How much of the whole machine this program used since the reading before: 0…1, negative the
/// first time or where the system does not tell.
class ProcessorMeter {
public:
    double read();

private:
    QElapsedTimer m_since;
    double m_seconds = -1; ///< processor time at the reading before
};

} // namespace alcove::ui
