#include "engine/model/workers.h"

#include "engine/model/spin.h"

#include <system_error>

namespace alcove::model {

Workers::~Workers() {
    for (const auto& worker : workers_) {
        worker->n_started.store(kStop, std::memory_order_release);
        worker->n_started.notify_one();
    }
    for (const auto& worker : workers_)
        worker->thread.join();
}

std::int32_t Workers::prepare(std::int32_t n_threads, std::int32_t n_usable) {
    n_spins_.store(n_threads <= n_usable ? kSpins : 0, std::memory_order_relaxed);
    while (static_cast<std::int32_t>(workers_.size()) + 1 < n_threads) {
        const auto i = static_cast<std::int32_t>(workers_.size()) + 1;
        auto worker = std::make_unique<Worker>();
        Worker& mine = *worker;
        workers_.push_back(std::move(worker));
        try {
            mine.thread = std::thread([this, &mine, i] { work(mine, i); });
        } catch (const std::system_error&) {
            workers_.pop_back(); // the system has no more: those that there are do the work
            break;
        }
    }
    const auto n = static_cast<std::int32_t>(workers_.size()) + 1;
    return n < n_threads ? n : n_threads;
}

void Workers::start(std::int32_t n_threads, void* body, Function function) {
    body_ = body;
    function_ = function;
    n_running_.store(n_threads - 1, std::memory_order_relaxed);
    for (std::int32_t i = 1; i < n_threads; ++i) {
        std::atomic<std::uint32_t>& started = workers_[static_cast<std::size_t>(i) - 1]->n_started;
        // Never kStop by counting: the count starts again below it.
        const std::uint32_t next = (started.load(std::memory_order_relaxed) + 1) % kStop;
        started.store(next, std::memory_order_release);
        started.notify_one();
    }
}

void Workers::wait() {
    for (;;) {
        const std::int32_t n = n_running_.load(std::memory_order_acquire);
        if (n == 0)
            return;
        if (!spin_while_equal(n_running_, n, n_spins_.load(std::memory_order_relaxed)))
            sleep_while_equal(n_running_, n);
    }
}

void Workers::work(Worker& worker, std::int32_t i) {
    for (std::uint32_t seen = 0;;) {
        if (!spin_while_equal(worker.n_started, seen, n_spins_.load(std::memory_order_relaxed)))
            sleep_while_equal(worker.n_started, seen);
        seen = worker.n_started.load(std::memory_order_acquire);
        if (seen == kStop)
            return;
        function_(body_, i);
        if (n_running_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            n_running_.notify_one();
    }
}

} // namespace alcove::model
