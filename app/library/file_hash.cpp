#include "app/library/file_hash.h"

#include <QCryptographicHash>
#include <QFile>

#include <sys/resource.h>
#include <unistd.h>

namespace alcove::app {

namespace {
constexpr qint64 kPieceBytes = 1 << 20;

/// Raising a niceness needs no rights, lowering it again does: hashing threads of the pool stay
/// nice.
void beNice() {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19);
}
} // namespace

Result<QString> fileSha256(const QString& path, const std::atomic<bool>& stop) {
    beNice();
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{Errc::Io,
                     path.toStdString() + " cannot be read: " + file.errorString().toStdString()};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    QByteArray piece(kPieceBytes, Qt::Uninitialized);
    for (;;) {
        if (stop.load(std::memory_order_relaxed))
            return Error{Errc::Cancelled, "the checksum was stopped"};
        const qint64 got = file.read(piece.data(), piece.size());
        if (got < 0)
            return Error{Errc::Io, path.toStdString() +
                                       " cannot be read: " + file.errorString().toStdString()};
        if (got == 0)
            break;
        hash.addData(QByteArrayView(piece.constData(), got));
    }
    return QString::fromLatin1(hash.result().toHex());
}

} // namespace alcove::app
