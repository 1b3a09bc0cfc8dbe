#include "ui/qml/items/speed_graph.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace alcove::ui {

SpeedGraph::SpeedGraph(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
}

void SpeedGraph::setSamples(const QList<qreal>& samples) {
    if (samples == m_samples)
        return;
    m_samples = samples;
    Q_EMIT samplesChanged();
    update();
}

void SpeedGraph::setCapacity(int capacity) {
    if (capacity == m_capacity || capacity < 2)
        return;
    m_capacity = capacity;
    Q_EMIT samplesChanged();
    update();
}

void SpeedGraph::setLineColor(const QColor& color) {
    m_lineColor = color;
    Q_EMIT colorsChanged();
    update();
}

void SpeedGraph::setBaseColor(const QColor& color) {
    m_baseColor = color;
    Q_EMIT colorsChanged();
    update();
}

void SpeedGraph::paint(QPainter* painter) {
    constexpr double kLine = 1.5;
    const double base = height() - 0.5;
    painter->setPen(QPen(m_baseColor, 1));
    painter->drawLine(QPointF(0, base), QPointF(width(), base));
    if (m_samples.size() < 2)
        return;
    const double step = width() / (m_capacity - 1);
    const double top = *std::max_element(m_samples.cbegin(), m_samples.cend());
    const double scale = top > 0 ? (height() - 2 * kLine - 1) / top : 0;
    const qsizetype count = std::min<qsizetype>(m_samples.size(), m_capacity);
    const qsizetype first = m_samples.size() - count;
    QPainterPath line;
    for (qsizetype i = 0; i < count; ++i) {
        const QPointF point(width() - double(count - 1 - i) * step,
                            base - kLine / 2 - m_samples[first + i] * scale);
        if (i == 0)
            line.moveTo(point);
        else
            line.lineTo(point);
    }
    QPainterPath area = line;
    area.lineTo(width(), base);
    area.lineTo(width() - double(count - 1) * step, base);
    area.closeSubpath();
    QColor fill = m_lineColor;
    fill.setAlphaF(0.16F);
    painter->fillPath(area, fill);
    painter->setPen(QPen(m_lineColor, kLine, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPath(line);
}

} // namespace alcove::ui
