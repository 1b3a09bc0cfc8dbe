#include "ui/models/theme_colors.h"

#include <QGuiApplication>

#include <algorithm>
#include <cmath>

namespace alcove::ui {
namespace {

struct TokenRow {
    ThemeColors::Token token;
    const char* light;
    const char* dark;
};

// Each row was chosen for the worst surface it may stand on; theme_colors_test computes every pair
// of pairsInUse().
constexpr TokenRow kTokens[] = {
    {ThemeColors::Window, "#F6F6F3", "#151719"},
    {ThemeColors::Surface, "#FFFFFF", "#1D2022"},
    {ThemeColors::Sunken, "#ECECE7", "#101213"},
    {ThemeColors::UserPanel, "#E3EEF6", "#20344A"},
    {ThemeColors::CodePanel, "#F2F2ED", "#15181A"},
    {ThemeColors::Text, "#1B1E20", "#ECEDEE"},
    {ThemeColors::Text2, "#4F555A", "#AAB0B6"},
    {ThemeColors::Accent, "#0B6A5C", "#4FC4AE"},
    {ThemeColors::OnAccent, "#FFFFFF", "#04211B"},
    {ThemeColors::Link, "#0A56B8", "#86B8FF"},
    {ThemeColors::Danger, "#B3261E", "#FF8F85"},
    {ThemeColors::Warning, "#7D5200", "#E9B44E"},
    {ThemeColors::Success, "#1B6632", "#7FD79C"},
    {ThemeColors::ControlLine, "#7E8486", "#7B8389"},
    {ThemeColors::Hairline, "#DADAD4", "#2E3337"},
    {ThemeColors::Focus, "#0A5BD3", "#7FB6FF"},
    {ThemeColors::Selection, "#BBD9F2", "#2E4E70"},
    {ThemeColors::Hover, "#0D1B1E20", "#12ECEDEE"},
    {ThemeColors::Pressed, "#1A1B1E20", "#1FECEDEE"},
    {ThemeColors::Shade, "#591B1E20", "#A6000000"},
    {ThemeColors::Shadow, "#071B1E20", "#24000000"},
    {ThemeColors::CodeKeyword, "#8A2BB8", "#D6A3F5"},
    {ThemeColors::CodeString, "#0F6B35", "#8FD6A4"},
    {ThemeColors::CodeComment, "#5F666B", "#929AA0"},
    {ThemeColors::CodeNumber, "#9A4A00", "#F0B27A"},
    {ThemeColors::CodeFunction, "#0A56B8", "#8ABEFF"},
};
static_assert(std::size(kTokens) == ThemeColors::TokenCount);

constexpr double kText = 4.5;
constexpr double kGraphic = 3.0;

constexpr ThemeColors::Pair kPairs[] = {
    {ThemeColors::Text, ThemeColors::Window, kText},
    {ThemeColors::Text, ThemeColors::Surface, kText},
    {ThemeColors::Text, ThemeColors::Sunken, kText},
    {ThemeColors::Text, ThemeColors::UserPanel, kText},
    {ThemeColors::Text, ThemeColors::CodePanel, kText},
    {ThemeColors::Text, ThemeColors::Selection, kText},
    {ThemeColors::Text2, ThemeColors::Window, kText},
    {ThemeColors::Text2, ThemeColors::Surface, kText},
    {ThemeColors::Text2, ThemeColors::Sunken, kText},
    {ThemeColors::Text2, ThemeColors::UserPanel, kText},
    {ThemeColors::Text2, ThemeColors::CodePanel, kText},
    {ThemeColors::OnAccent, ThemeColors::Accent, kText},
    {ThemeColors::Accent, ThemeColors::Window, kText},
    {ThemeColors::Accent, ThemeColors::Surface, kText},
    {ThemeColors::Accent, ThemeColors::Sunken, kText},
    {ThemeColors::Link, ThemeColors::Surface, kText},
    {ThemeColors::Link, ThemeColors::UserPanel, kText},
    {ThemeColors::Danger, ThemeColors::Window, kText},
    {ThemeColors::Danger, ThemeColors::Surface, kText},
    {ThemeColors::Danger, ThemeColors::Sunken, kText},
    {ThemeColors::Warning, ThemeColors::Window, kText},
    {ThemeColors::Warning, ThemeColors::Surface, kText},
    {ThemeColors::Warning, ThemeColors::Sunken, kText},
    {ThemeColors::Success, ThemeColors::Window, kText},
    {ThemeColors::Success, ThemeColors::Surface, kText},
    {ThemeColors::Success, ThemeColors::Sunken, kText},
    {ThemeColors::ControlLine, ThemeColors::Window, kGraphic},
    {ThemeColors::ControlLine, ThemeColors::Surface, kGraphic},
    {ThemeColors::ControlLine, ThemeColors::Sunken, kGraphic},
    {ThemeColors::Focus, ThemeColors::Window, kGraphic},
    {ThemeColors::Focus, ThemeColors::Surface, kGraphic},
    {ThemeColors::Focus, ThemeColors::Sunken, kGraphic},
    {ThemeColors::Focus, ThemeColors::UserPanel, kGraphic},
    {ThemeColors::CodeKeyword, ThemeColors::CodePanel, kText},
    {ThemeColors::CodeString, ThemeColors::CodePanel, kText},
    {ThemeColors::CodeComment, ThemeColors::CodePanel, kText},
    {ThemeColors::CodeNumber, ThemeColors::CodePanel, kText},
    {ThemeColors::CodeFunction, ThemeColors::CodePanel, kText},
};

// WCAG 2.1, definition of relative luminance.
double luminance(const QColor& color) {
    const auto linear = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

} // namespace

ThemeColors::ThemeColors(QObject* parent) : QObject(parent), m_colors(plainColors(false)) {}

void ThemeColors::setScheme(Scheme scheme) {
    if (m_scheme == scheme)
        return;
    m_scheme = scheme;
    const bool dark = scheme == Dark || scheme == HighContrastDark;
    const bool high = scheme == HighContrastLight || scheme == HighContrastDark;
    m_colors = high ? highContrastColors(dark, QGuiApplication::palette()) : plainColors(dark);
    Q_EMIT schemeChanged();
}

std::span<const ThemeColors::Pair> ThemeColors::pairsInUse() {
    return kPairs;
}

double ThemeColors::contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

ThemeColors::Colors ThemeColors::plainColors(bool dark) {
    Colors colors;
    for (const TokenRow& row : kTokens)
        colors[row.token] = QColor(QLatin1String(dark ? row.dark : row.light));
    return colors;
}

ThemeColors::Colors ThemeColors::highContrastColors(bool dark, const QPalette& system) {
    constexpr double kHigh = 7.0; // WCAG 2.1, enhanced contrast
    QColor back = dark ? QColor(Qt::black) : QColor(Qt::white);
    QColor front = dark ? QColor(Qt::white) : QColor(Qt::black);
    const QColor systemBack = system.color(QPalette::Base);
    const QColor systemFront = system.color(QPalette::Text);
    const bool systemIsDark = luminance(systemBack) < luminance(systemFront);
    if (systemIsDark == dark && contrast(systemBack, systemFront) >= kHigh) {
        back = systemBack;
        front = systemFront;
    }
    Colors colors = plainColors(dark);
    for (const Token token : {Window, Surface, Sunken, UserPanel, CodePanel, OnAccent})
        colors[token] = back;
    for (const Token token : {Text, Text2, ControlLine, Hairline, Accent})
        colors[token] = front;
    const QColor highlight = system.color(QPalette::Highlight);
    if (contrast(highlight, back) >= kHigh)
        colors[Focus] = highlight;
    return colors;
}

} // namespace alcove::ui
