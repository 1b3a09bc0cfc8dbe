#include "ui/qml/items/no_network.h"

#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QTimer>

namespace alcove::ui {
namespace {

class RefusedReply : public QNetworkReply {
public:
    RefusedReply(const QNetworkRequest& request, QNetworkAccessManager::Operation operation,
                 QObject* parent)
        : QNetworkReply(parent) {
        setRequest(request);
        setOperation(operation);
        setUrl(request.url());
        setError(ContentAccessDenied, QStringLiteral("Alcove makes no network requests by itself"));
        setFinished(true);
        QTimer::singleShot(0, this, [this] {
            Q_EMIT errorOccurred(ContentAccessDenied);
            Q_EMIT finished();
        });
    }
    void abort() override {}

protected:
    qint64 readData(char*, qint64) override { return -1; }
};

class RefusingManager : public QNetworkAccessManager {
public:
    using QNetworkAccessManager::QNetworkAccessManager;

protected:
    QNetworkReply* createRequest(Operation operation, const QNetworkRequest& request,
                                 QIODevice*) override {
        return new RefusedReply(request, operation, this);
    }
};

} // namespace

QNetworkAccessManager* NoNetworkFactory::create(QObject* parent) {
    return new RefusingManager(parent);
}

} // namespace alcove::ui
