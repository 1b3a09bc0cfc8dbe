#pragma once

#include "ui/models/ui_settings.h"

#include <QList>
#include <QObject>
#include <QRect>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// Where the window stands, how wide its panes are and which are open; kept between runs.
class WindowPlacement : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(QRectF geometry READ geometryF CONSTANT FINAL)
    Q_PROPERTY(bool maximized READ maximized CONSTANT FINAL)
    Q_PROPERTY(int listWidth READ listWidth WRITE setListWidth NOTIFY panesChanged FINAL)
    Q_PROPERTY(
        int inspectorWidth READ inspectorWidth WRITE setInspectorWidth NOTIFY panesChanged FINAL)
    Q_PROPERTY(bool listOpen READ listOpen WRITE setListOpen NOTIFY panesChanged FINAL)
    Q_PROPERTY(
        bool inspectorOpen READ inspectorOpen WRITE setInspectorOpen NOTIFY panesChanged FINAL)

public:
    static constexpr int kSmallestWidth = 480;
    static constexpr int kSmallestHeight = 400;

    /// `screens` are the usable areas, the primary one first. `settings` outlives the object.
    WindowPlacement(UiSettings& settings, const QList<QRect>& screens, QObject* parent = nullptr);

    QRect geometry() const { return m_geometry; }
    QRectF geometryF() const { return m_geometry; }
    bool maximized() const { return m_maximized; }
    int listWidth() const { return m_listWidth; }
    void setListWidth(int width);
    int inspectorWidth() const { return m_inspectorWidth; }
    void setInspectorWidth(int width);
    bool listOpen() const { return m_listOpen; }
    void setListOpen(bool open);
    bool inspectorOpen() const { return m_inspectorOpen; }
    void setInspectorOpen(bool open);

    /// To be called when the window closes.
    Q_INVOKABLE void keep(const QRectF& geometry, bool maximized);

    /// `saved` moved and shrunk to lie on one of `screens`; where that is not possible (no saved
    /// rectangle, no screen under it) 80 % of the first screen, at most 1280 x 820, centred.
    static QRect fitted(const QRect& saved, const QList<QRect>& screens);

Q_SIGNALS:
    void panesChanged();

private:
    void keepPane(const QString& key, const QVariant& value);

    UiSettings& m_settings;
    QRect m_geometry;
    bool m_maximized = false;
    int m_listWidth = 264;
    int m_inspectorWidth = 300;
    bool m_listOpen = true;
    bool m_inspectorOpen = true;
};

} // namespace alcove::ui
