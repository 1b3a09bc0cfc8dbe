#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// Fonts and colours that text rows share: one per chat view, bound to the theme.
class RowStyle : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QFont body MEMBER body NOTIFY changed FINAL)
    Q_PROPERTY(QFont code MEMBER code NOTIFY changed FINAL)
    Q_PROPERTY(double bodyLine MEMBER bodyLine NOTIFY changed FINAL)
    Q_PROPERTY(double codeLine MEMBER codeLine NOTIFY changed FINAL)
    Q_PROPERTY(QColor text MEMBER text NOTIFY changed FINAL)
    Q_PROPERTY(QColor text2 MEMBER text2 NOTIFY changed FINAL)
    Q_PROPERTY(QColor link MEMBER link NOTIFY changed FINAL)
    Q_PROPERTY(QColor inlineCode MEMBER inlineCode NOTIFY changed FINAL)
    Q_PROPERTY(QColor selection MEMBER selection NOTIFY changed FINAL)
    Q_PROPERTY(QColor hairline MEMBER hairline NOTIFY changed FINAL)
    Q_PROPERTY(QColor header MEMBER header NOTIFY changed FINAL)
    Q_PROPERTY(QColor keywordColor MEMBER keyword NOTIFY changed FINAL)
    Q_PROPERTY(QColor stringColor MEMBER string NOTIFY changed FINAL)
    Q_PROPERTY(QColor commentColor MEMBER comment NOTIFY changed FINAL)
    Q_PROPERTY(QColor numberColor MEMBER number NOTIFY changed FINAL)
    Q_PROPERTY(QColor functionColor MEMBER function NOTIFY changed FINAL)
    Q_PROPERTY(QColor added MEMBER added NOTIFY changed FINAL)
    Q_PROPERTY(QColor removed MEMBER removed NOTIFY changed FINAL)

public:
    using QObject::QObject;

    QFont body, code;
    double bodyLine = 23, codeLine = 20;
    QColor text, text2, link, inlineCode, selection, hairline, header;
    QColor keyword, string, comment, number, function, added, removed;

Q_SIGNALS:
    void changed();
};

} // namespace alcove::ui
