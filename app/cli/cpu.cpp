#include "engine/cpu.h"
#include "app/cli/command.h"
#include "app/cli/files.h"
#include "engine/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace alcove::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Bytes per second that `n_threads` threads together read from memory: the best of three passes
/// over a buffer that no cache holds. 0 if there is no memory for it.
double measure_read_bandwidth(std::int32_t n_threads, std::uint64_t l3_bytes) {
    const std::uint64_t wanted = std::clamp<std::uint64_t>(4 * l3_bytes, 256U << 20U, 1U << 30U);
    const std::uint64_t free_bytes = available_memory_bytes();
    if (free_bytes > 0 && wanted > free_bytes / 4)
        return 0;
    const std::size_t n = wanted / sizeof(std::uint64_t);
    std::vector<std::uint64_t> buffer(n, 1);
    double best = 0;
    std::atomic<std::uint64_t> total{0};
    for (int pass = 0; pass < 3; ++pass) {
        const auto begin = Clock::now();
        std::vector<std::thread> threads;
        for (std::int32_t t = 0; t < n_threads; ++t) {
            threads.emplace_back([&, t] {
                const std::size_t from =
                    n * static_cast<std::size_t>(t) / static_cast<std::size_t>(n_threads);
                const std::size_t to =
                    n * static_cast<std::size_t>(t + 1) / static_cast<std::size_t>(n_threads);
                std::uint64_t sum = 0;
                for (std::size_t i = from; i < to; ++i)
                    sum += buffer[i];
                total += sum;
            });
        }
        for (std::thread& thread : threads)
            thread.join();
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        best = std::max(best, static_cast<double>(wanted) / seconds);
    }
    return total > 0 ? best : 0;
}

std::string chosen_because(const CpuInfo& info) {
    return info.isas.size() > 1
               ? fmt::format("the best of the kernel sets that this processor, its system and this "
                             "build have: {}",
                             fmt::join(info.isas, ", "))
               : std::string("no vector kernel set of this build runs on this processor");
}

Result<int> cpu(Invocation& invocation, bool json) {
    const CpuInfo info = cpu_info();
    const std::string chosen = info.isas.empty() ? "scalar" : info.isas.front();
    const double bandwidth = measure_read_bandwidth(std::max(info.n_usable, 1), info.l3_bytes);
    if (json) {
        invocation.console.out(to_document({{"model", info.model_name},
                                            {"cores",
                                             {{"physical", info.n_physical_cores},
                                              {"logical", info.n_logical_cores},
                                              {"usable", info.n_usable}}},
                                            {"default_threads", default_threads()},
                                            {"features", info.features},
                                            {"isas", info.isas},
                                            {"chosen", chosen},
                                            {"reason", chosen_because(info)},
                                            {"caches",
                                             {{"l1d_bytes", info.l1d_bytes},
                                              {"l2_bytes", info.l2_bytes},
                                              {"l3_bytes", info.l3_bytes}}},
                                            {"memory",
                                             {{"available_bytes", available_memory_bytes()},
                                              {"read_bytes_per_second", bandwidth}}}}));
        return kDone;
    }
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    invocation.console.out(
        fmt::format("Processor   {}\n"
                    "Cores       {} physical, {} logical, {} usable; {} threads by default\n"
                    "Features    {}\n"
                    "Kernels     {}: {}\n"
                    "Caches      L1d {} KiB, L2 {} KiB, L3 {} KiB\n"
                    "Memory      {:.1f} GiB available, read at {:.1f} GiB/s\n",
                    info.model_name, info.n_physical_cores, info.n_logical_cores, info.n_usable,
                    default_threads(), fmt::join(info.features, " "), chosen, chosen_because(info),
                    info.l1d_bytes / 1024, info.l2_bytes / 1024, info.l3_bytes / 1024,
                    static_cast<double>(available_memory_bytes()) / kGiB, bandwidth / kGiB));
    return kDone;
}

} // namespace

CommandBody add_cpu(CLI::App& command) {
    auto json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "Print one JSON document");
    return [json](Invocation& invocation) { return cpu(invocation, *json); };
}

} // namespace alcove::cli
