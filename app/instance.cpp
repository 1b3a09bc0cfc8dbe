#include "app/instance.h"

#include "app/logging.h"

#include <QCryptographicHash>
#include <QDataStream>
#include <QLocalServer>
#include <QLocalSocket>

namespace alcove::app {

namespace {

constexpr int kAnswerTimeoutMs = 3000;
constexpr qsizetype kMaxMessageBytes = 1'000'000; // a list of file names
constexpr quint32 kMagic = 0x416c6331;            // "Alc1": the message's form

/// One socket per data folder and person; short, because socket paths are limited to about 100
/// bytes.
QString socketName(const AppPaths& paths) {
    const QByteArray digest =
        QCryptographicHash::hash(paths.data.toUtf8(), QCryptographicHash::Sha256).toHex();
    return QStringLiteral("alcove-") + QString::fromLatin1(digest.left(16));
}

/// Gives `files` to the running window; false if nobody answers.
bool handOver(const QString& name, const QStringList& files) {
    QLocalSocket socket;
    socket.connectToServer(name);
    if (!socket.waitForConnected(kAnswerTimeoutMs))
        return false;
    QByteArray message;
    QDataStream stream(&message, QIODevice::WriteOnly);
    stream.setVersion(QDataStream::Qt_6_0);
    stream << kMagic << files;
    socket.write(message);
    return socket.waitForBytesWritten(kAnswerTimeoutMs) &&
           socket.waitForReadyRead(kAnswerTimeoutMs);
}

} // namespace

Result<std::unique_ptr<Instance>> Instance::acquire(const AppPaths& paths,
                                                    const QStringList& files) {
    std::unique_ptr<Instance> instance(new Instance);
    instance->m_lock = std::make_unique<QLockFile>(paths.lock);
    instance->m_lock->setStaleLockTime(
        0); // stale only if its process is gone: a long run keeps its lock
    const QString name = socketName(paths);
    if (!instance->m_lock->tryLock(100)) {
        if (instance->m_lock->error() == QLockFile::LockFailedError) {
            if (handOver(name, files)) {
                instance->m_handedOver = true;
                return instance;
            }
            return Error{
                Errc::Io,
                "Alcove is already running on " + paths.data.toStdString() +
                    " but does not answer. Close it, or start with another folder (--data)"};
        }
        return Error{Errc::Io, "the lock file " + paths.lock.toStdString() + " cannot be written"};
    }
    auto* server = new QLocalServer(instance.get());
    server->setSocketOptions(QLocalServer::UserAccessOption);
    QLocalServer::removeServer(name); // left by a crash; the lock says that nobody uses it
    if (!server->listen(name))
        logWarning("app", QStringLiteral("a second start cannot reach this window: %1")
                              .arg(server->errorString()));
    instance->m_server = server;
    Instance* self = instance.get();
    connect(server, &QLocalServer::newConnection, self, [self] {
        while (QLocalSocket* socket = self->m_server->nextPendingConnection()) {
            connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
            const auto read = [self, socket] {
                if (socket->bytesAvailable() > kMaxMessageBytes) {
                    socket->abort();
                    return;
                }
                QDataStream stream(socket);
                stream.setVersion(QDataStream::Qt_6_0);
                stream.startTransaction();
                quint32 magic = 0;
                QStringList names;
                stream >> magic >> names;
                if (!stream.commitTransaction() || magic != kMagic)
                    return; // more is to come, or nothing of ours
                socket->write("ok");
                Q_EMIT self->activated(names);
            };
            connect(socket, &QLocalSocket::readyRead, socket, read);
            read();
        }
    });
    return instance;
}

Instance::~Instance() = default;

} // namespace alcove::app
