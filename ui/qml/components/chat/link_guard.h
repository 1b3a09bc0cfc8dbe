#pragma once

#include <QObject>
#include <QSet>
#include <QString>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// Opens links of messages: only http, https and mailto, and each host only after the person agreed
/// once. Agreement lasts until the program ends.
class LinkGuard : public QObject {
    Q_OBJECT
    QML_ELEMENT

public:
    using QObject::QObject;

    /// What the question names: the host of a web address, the address of a mail; empty: not to be
    /// opened at all.
    Q_INVOKABLE QString hostOf(const QString& target) const;
    Q_INVOKABLE bool agreed(const QString& target) const;
    Q_INVOKABLE void agree(const QString& target);
    /// Hands the address to the desktop, if agreed.
    Q_INVOKABLE bool open(const QString& target) const;

private:
    QSet<QString> m_hosts;
};

} // namespace alcove::ui
