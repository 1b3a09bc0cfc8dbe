#pragma once

#include <QColor>
#include <QList>
#include <QQuickPaintedItem>

namespace alcove::ui {

/// A line over time with a faint area below it, newest point at the right edge; the vertical scale
/// begins at zero. Painted, because custom geometry draws nothing with the software backend.
/// Repaints only when a value changes.
class SpeedGraph : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QList<qreal> samples READ samples WRITE setSamples NOTIFY samplesChanged FINAL)
    Q_PROPERTY(int capacity READ capacity WRITE setCapacity NOTIFY samplesChanged FINAL)
    Q_PROPERTY(QColor lineColor READ lineColor WRITE setLineColor NOTIFY colorsChanged FINAL)
    Q_PROPERTY(QColor baseColor READ baseColor WRITE setBaseColor NOTIFY colorsChanged FINAL)

public:
    explicit SpeedGraph(QQuickItem* parent = nullptr);

    QList<qreal> samples() const { return m_samples; }
    void setSamples(const QList<qreal>& samples);
    int capacity() const { return m_capacity; }
    void setCapacity(int capacity); ///< points that the whole width holds
    QColor lineColor() const { return m_lineColor; }
    void setLineColor(const QColor& color);
    QColor baseColor() const { return m_baseColor; }
    void setBaseColor(const QColor& color);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void samplesChanged();
    void colorsChanged();

private:
    QList<qreal> m_samples;
    int m_capacity = 120;
    QColor m_lineColor, m_baseColor;
};

} // namespace alcove::ui
