#include "ui/models/window_placement.h"

#include <algorithm>

namespace alcove::ui {
namespace {

constexpr int kLargestDefaultWidth = 1280;
constexpr int kLargestDefaultHeight = 820;

QRect defaultRect(const QRect& screen) {
    QRect rect(0, 0, std::min(screen.width() * 8 / 10, kLargestDefaultWidth),
               std::min(screen.height() * 8 / 10, kLargestDefaultHeight));
    rect.setWidth(std::max(rect.width(), WindowPlacement::kSmallestWidth));
    rect.setHeight(std::max(rect.height(), WindowPlacement::kSmallestHeight));
    rect.moveCenter(screen.center());
    return rect;
}

} // namespace

WindowPlacement::WindowPlacement(UiSettings& settings, const QList<QRect>& screens, QObject* parent)
    : QObject(parent), m_settings(settings),
      m_geometry(fitted(settings.value(QStringLiteral("window/geometry")).toRect(), screens)),
      m_maximized(settings.value(QStringLiteral("window/maximized"), false).toBool()),
      m_listOpen(settings.value(QStringLiteral("window/listOpen"), true).toBool()),
      m_inspectorOpen(settings.value(QStringLiteral("window/inspectorOpen"), true).toBool()) {
    setListWidth(settings.value(QStringLiteral("window/listWidth"), m_listWidth).toInt());
    setInspectorWidth(
        settings.value(QStringLiteral("window/inspectorWidth"), m_inspectorWidth).toInt());
}

QRect WindowPlacement::fitted(const QRect& saved, const QList<QRect>& screens) {
    if (screens.isEmpty())
        return QRect(0, 0, kLargestDefaultWidth, kLargestDefaultHeight);
    const QRect* best = nullptr;
    qint64 bestArea = 0;
    for (const QRect& screen : screens) {
        const QRect common = screen.intersected(saved);
        const qint64 area = qint64(common.width()) * common.height();
        if (area > bestArea) {
            bestArea = area;
            best = &screen;
        }
    }
    const bool usable = saved.width() >= kSmallestWidth && saved.height() >= kSmallestHeight;
    if (best == nullptr || !usable)
        return defaultRect(screens.first());
    QRect rect = saved;
    rect.setWidth(std::min(rect.width(), best->width()));
    rect.setHeight(std::min(rect.height(), best->height()));
    rect.moveLeft(std::clamp(rect.left(), best->left(), best->right() + 1 - rect.width()));
    rect.moveTop(std::clamp(rect.top(), best->top(), best->bottom() + 1 - rect.height()));
    return rect;
}

void WindowPlacement::setListWidth(int width) {
    const int kept = std::clamp(width, 220, 400);
    if (kept == m_listWidth)
        return;
    m_listWidth = kept;
    keepPane(QStringLiteral("window/listWidth"), kept);
}

void WindowPlacement::setInspectorWidth(int width) {
    const int kept = std::clamp(width, 260, 420);
    if (kept == m_inspectorWidth)
        return;
    m_inspectorWidth = kept;
    keepPane(QStringLiteral("window/inspectorWidth"), kept);
}

void WindowPlacement::setListOpen(bool open) {
    if (open == m_listOpen)
        return;
    m_listOpen = open;
    keepPane(QStringLiteral("window/listOpen"), open);
}

void WindowPlacement::setInspectorOpen(bool open) {
    if (open == m_inspectorOpen)
        return;
    m_inspectorOpen = open;
    keepPane(QStringLiteral("window/inspectorOpen"), open);
}

void WindowPlacement::keep(const QRectF& geometry, bool maximized) {
    if (!maximized)
        m_settings.setValue(QStringLiteral("window/geometry"), geometry.toRect());
    m_settings.setValue(QStringLiteral("window/maximized"), maximized);
    m_settings.sync();
}

void WindowPlacement::keepPane(const QString& key, const QVariant& value) {
    m_settings.setValue(key, value);
    Q_EMIT panesChanged();
}

} // namespace alcove::ui
