#pragma once

#include "engine/text/reasoning.h"

#include <QString>

#include <vector>

namespace alcove::ui {

struct ReasoningMarker {
    QString open;
    QString close;
};

/// The pairs of marks that models put around their reasoning: the engine's own list, so that the
/// window folds exactly what the engine keeps out of the next prompt.
inline const std::vector<ReasoningMarker>& reasoningMarkers() {
    static const std::vector<ReasoningMarker> markers = [] {
        const auto text = [](std::string_view mark) {
            return QString::fromUtf8(mark.data(), qsizetype(mark.size()));
        };
        std::vector<ReasoningMarker> all;
        for (const ReasoningMarkers& pair : reasoning_markers())
            all.push_back({text(pair.open), text(pair.close)});
        return all;
    }();
    return markers;
}

} // namespace alcove::ui
