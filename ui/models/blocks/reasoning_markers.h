#pragma once

#include <QStringView>

#include <array>

/// The pairs of marks that models put around their reasoning. The list is the only place to add
/// one.
namespace alcove::ui {

struct ReasoningMarker {
    QStringView open;
    QStringView close;
};

inline constexpr std::array kReasoningMarkers = {
    ReasoningMarker{u"<think>", u"</think>"},
    ReasoningMarker{u"<thinking>", u"</thinking>"},
    ReasoningMarker{u"<thought>", u"</thought>"},
    ReasoningMarker{u"<reasoning>", u"</reasoning>"},
    ReasoningMarker{u"[THINK]", u"[/THINK]"},
    ReasoningMarker{u"<|begin_of_thought|>", u"<|end_of_thought|>"},
    ReasoningMarker{u"<|START_THINKING|>", u"<|END_THINKING|>"},
};

} // namespace alcove::ui
