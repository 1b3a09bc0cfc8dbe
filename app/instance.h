#pragma once

#include "app/paths.h"

#include <QLockFile>
#include <QObject>
#include <QStringList>

#include <memory>

class QLocalServer;

namespace alcove::app {

/// One window per data folder: a lock file and a local socket. A second start hands over its files
/// and ends; a start after a crash takes over the stale lock.
class Instance : public QObject {
    Q_OBJECT

public:
    /// The running window of this folder, if there is one, gets `files` (absolute paths) and comes
    /// to the front: handedOver() is then true and this process should exit with 0. Else this
    /// process holds the folder until the object is destroyed. Fails with a sentence if the lock is
    /// held by a process that does not answer.
    static Result<std::unique_ptr<Instance>> acquire(const AppPaths& paths,
                                                     const QStringList& files);
    ~Instance() override;

    bool handedOver() const { return m_handedOver; }

Q_SIGNALS:
    /// Another start asked for the window; `files` may be empty.
    void activated(const QStringList& files);

private:
    Instance() = default;
    bool m_handedOver = false;
    std::unique_ptr<QLockFile> m_lock;
    QLocalServer* m_server = nullptr;
};

} // namespace alcove::app
