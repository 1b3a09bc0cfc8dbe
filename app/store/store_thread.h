#pragma once

#include "app/store/database.h"

#include <QFuture>
#include <QPromise>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>

namespace alcove::app {

/// A worker thread that owns a Database, so that the window's thread never waits for the disk. Work
/// is done in the order it was given. Destroying it finishes the work given so far, then closes the
/// database.
///
///     store.run([=](Database& db) { return ConversationStore(db).list(cursor); })
///         .then(this, [this](Result<QVector<Conversation>> page) { … });
class StoreThread {
public:
    /// Begins to open `path`. If that fails, every run() gives the error of opening.
    explicit StoreThread(const QString& path);
    ~StoreThread();
    StoreThread(const StoreThread&) = delete;
    StoreThread& operator=(const StoreThread&) = delete;

    /// The notice of Database::open (empty: nothing to tell), or why opening failed.
    QFuture<Result<QString>> opened() const { return m_opened; }

    /// Runs `work(Database&)`, which returns some Result<T>, on the store's thread. What it throws
    /// becomes an Error. Continue on your own thread with `.then(context, …)`; a context that is
    /// gone by then is not called.
    template <class F> auto run(F work) -> QFuture<std::invoke_result_t<F, Database&>> {
        using R = std::invoke_result_t<F, Database&>;
        auto promise = std::make_shared<QPromise<R>>();
        promise->start();
        QFuture<R> future = promise->future();
        post([promise, work = std::move(work)](Database* database, const Error& openError) mutable {
            if (database == nullptr)
                promise->addResult(R(openError));
            else
                promise->addResult(guarded("The database", [&]() -> R { return work(*database); }));
            promise->finish();
        });
        return future;
    }

    /// Blocks until everything given so far is done. For program end and tests, never for the
    /// window's normal life.
    void waitForIdle();

private:
    using Work = std::function<void(Database* database, const Error& openError)>;
    void post(Work work);
    void main(const QString& path, QPromise<Result<QString>> opened);

    std::mutex m_mutex; // guards the queue; held for moments only, never during work
    std::condition_variable m_wake;
    std::deque<Work> m_queue;
    bool m_ending = false;
    QFuture<Result<QString>> m_opened;
    std::thread m_thread;
};

} // namespace alcove::app
