#include "engine/model/team.h"

#include "engine/model/spin.h"

namespace alcove::model {

void Team::begin(std::int32_t n_threads, std::int32_t n_usable) {
    n_threads_ = n_threads;
    n_spins_ = n_threads <= n_usable ? kSpins : 0;
    n_sleeps_.store(0, std::memory_order_relaxed);
    n_arrived_.store(0, std::memory_order_relaxed);
    generation_.store(0, std::memory_order_relaxed);
    for (Counter& counter : counters_)
        counter.value.store(0, std::memory_order_relaxed);
}

void Team::barrier() {
    if (n_threads_ == 1) {
        const std::uint32_t phase = generation_.load(std::memory_order_relaxed);
        counters_[phase % counters_.size()].value.store(0, std::memory_order_relaxed);
        generation_.store(phase + 1, std::memory_order_relaxed);
        return;
    }
    const std::uint32_t phase = generation_.load(std::memory_order_relaxed);
    if (n_arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_threads_) {
        // The last one in: everybody has left this phase's counter, which serves again in two.
        counters_[phase % counters_.size()].value.store(0, std::memory_order_relaxed);
        n_arrived_.store(0, std::memory_order_relaxed);
        generation_.store(phase + 1, std::memory_order_release);
        generation_.notify_all();
        return;
    }
    if (spin_while_equal(generation_, phase, n_spins_))
        return;
    n_sleeps_.fetch_add(1, std::memory_order_relaxed);
    sleep_while_equal(generation_, phase);
}

} // namespace alcove::model
