#include "engine/format/mapping_guard.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>

namespace alcove {
namespace {

// The one global of this room: a signal handler can reach nothing else. Plain lock-free atomics, so
// that the handler never waits for the thread that it interrupted.
struct Slot {
    std::atomic<std::uintptr_t> begin{0}; // 0: free; 1: being filled
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> hit{false};
};

constexpr int kSlots = 256;
Slot g_slots[kSlots];
std::atomic<bool> g_installed{false};
std::uintptr_t g_page_bytes = 4096;
struct sigaction g_previous {};

void on_bus_error(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (Slot& slot : g_slots) {
        const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
        if (begin <= 1 || address < begin || address >= slot.end.load(std::memory_order_relaxed))
            continue;
        void* page = reinterpret_cast<void*>(address & ~(g_page_bytes - 1));
        void* zeros =
            ::mmap(page, g_page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros == MAP_FAILED)
            break;
        slot.hit.store(true, std::memory_order_release);
        return;
    }
    if ((g_previous.sa_flags & SA_SIGINFO) != 0 && g_previous.sa_sigaction != nullptr) {
        g_previous.sa_sigaction(signal, info, context);
        return;
    }
    // Not ours: the default action, by the same fault again.
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(SIGBUS, &by_default, nullptr);
}

} // namespace

void install_mapping_guard() {
    if (g_installed.exchange(true))
        return;
    g_page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = &on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &g_previous);
}

namespace mapping_guard {

int add(const void* begin, std::size_t bytes) noexcept {
    for (int i = 0; i < kSlots; ++i) {
        std::uintptr_t expected = 0;
        if (!g_slots[i].begin.compare_exchange_strong(expected, 1))
            continue;
        const auto address = reinterpret_cast<std::uintptr_t>(begin);
        g_slots[i].hit.store(false, std::memory_order_relaxed);
        g_slots[i].end.store(address + bytes, std::memory_order_relaxed);
        g_slots[i].begin.store(address, std::memory_order_release);
        return i;
    }
    return -1;
}

void remove(int slot) noexcept {
    if (slot >= 0)
        g_slots[slot].begin.store(0, std::memory_order_release);
}

bool was_hit(int slot) noexcept {
    return slot >= 0 && g_slots[slot].hit.load(std::memory_order_acquire);
}

} // namespace mapping_guard
} // namespace alcove
