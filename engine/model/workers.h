#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

namespace alcove::model {

/// The threads that help with the passes of one session. They are started when first needed and
/// stay, asleep between passes: a short spin first, as the next token mostly comes at once, then
/// no processor time at all. (The OpenMP runtime spins for many milliseconds wherever it waits,
/// which on a busy machine takes from the very threads that are waited for.)
class Workers {
public:
    Workers() = default;
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Makes sure of `n_threads` threads, the caller among them; returns how many there are, fewer
    /// if the system gives no more. Allocates only when the number grows. With more threads than
    /// the `n_usable` processors nobody spins.
    std::int32_t prepare(std::int32_t n_threads, std::int32_t n_usable);

    /// job(i) for i in [0, n_threads), i = 0 on the caller's thread. Returns when all are done.
    /// `n_threads` is at most what prepare() returned; a job does not throw.
    template <typename Job> void run(std::int32_t n_threads, Job&& job) {
        using Body = std::remove_reference_t<Job>;
        start(n_threads, &job, [](void* body, std::int32_t i) { (*static_cast<Body*>(body))(i); });
        job(0);
        wait();
    }

private:
    using Function = void (*)(void* body, std::int32_t i);
    struct alignas(64) Worker {
        std::atomic<std::uint32_t> n_started{0}; ///< jobs given; kStop: end the thread
        std::thread thread;
    };
    static constexpr std::uint32_t kStop = UINT32_MAX;

    void start(std::int32_t n_threads, void* body, Function function);
    void wait();
    void work(Worker& worker, std::int32_t i);

    std::vector<std::unique_ptr<Worker>> workers_; // thread i is workers_[i - 1]
    std::atomic<std::int32_t> n_spins_{0};
    void* body_ = nullptr;
    Function function_ = nullptr;
    alignas(64) std::atomic<std::int32_t> n_running_{0};
};

} // namespace alcove::model
