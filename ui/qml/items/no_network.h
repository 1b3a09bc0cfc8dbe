#pragma once

#include <QQmlNetworkAccessManagerFactory>

namespace alcove::ui {

/// Refuses every request of the QML engine: nothing that a message, a title or a file name says can
/// reach a network.
class NoNetworkFactory : public QQmlNetworkAccessManagerFactory {
public:
    QNetworkAccessManager* create(QObject* parent) override;
};

} // namespace alcove::ui
