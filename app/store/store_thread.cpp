#include "app/store/store_thread.h"

namespace alcove::app {

StoreThread::StoreThread(const QString& path) {
    QPromise<Result<QString>> opened;
    opened.start();
    m_opened = opened.future();
    m_thread = std::thread(
        [this, path, promise = std::move(opened)]() mutable { main(path, std::move(promise)); });
}

StoreThread::~StoreThread() {
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

void StoreThread::post(Work work) {
    {
        const std::lock_guard lock(m_mutex);
        m_queue.push_back(std::move(work));
    }
    m_wake.notify_one();
}

void StoreThread::waitForIdle() {
    run([](Database&) -> Status { return ok(); }).waitForFinished();
}

void StoreThread::main(const QString& path, QPromise<Result<QString>> opened) {
    auto database = Database::open(path);
    const Error openError = database ? Error{} : database.error();
    opened.addResult(database ? Result<QString>((*database)->notice())
                              : Result<QString>(openError));
    opened.finish();
    for (;;) {
        Work work;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_ending || !m_queue.empty(); });
            if (m_queue.empty())
                return; // ending, and everything given before is done
            work = std::move(m_queue.front());
            m_queue.pop_front();
        }
        work(database ? database->get() : nullptr, openError);
    }
}

} // namespace alcove::app
