#include "engine/cpu.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <omp.h>
#include <sched.h>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

namespace alcove {

namespace {

std::string first_line(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

/// The number at the begin of `text`, or `fallback`.
std::int64_t leading_number(std::string_view text, std::int64_t fallback) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end != text.data() ? number : fallback;
}

std::uint64_t cache_bytes(const char* index) {
    const std::string size =
        first_line(std::string("/sys/devices/system/cpu/cpu0/cache/") + index + "/size");
    const std::int64_t n = leading_number(size, 0);
    const std::uint64_t unit = size.ends_with('M')   ? 1U << 20U
                               : size.ends_with('K') ? 1U << 10U
                                                     : 1;
    return n > 0 ? static_cast<std::uint64_t>(n) * unit : 0;
}

/// The folder of this process's control group (version 2), or empty.
std::string cgroup_folder() {
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("0::"))
            return "/sys/fs/cgroup" + line.substr(3);
    }
    return {};
}

/// Processors that the control groups above this process grant, rounded up; a large number if none.
std::int32_t cgroup_processors() {
    constexpr std::int32_t kNone = 1 << 20;
    std::int32_t granted = kNone;
    for (std::string folder = cgroup_folder(); folder.size() >= 14;
         folder = folder.substr(0, folder.find_last_of('/'))) {
        std::istringstream in(first_line(folder + "/cpu.max"));
        std::string quota;
        double period = 0;
        if (in >> quota >> period && quota != "max" && period > 0) {
            const double share = static_cast<double>(leading_number(quota, 0)) / period;
            if (share > 0)
                granted = std::min(granted, std::max(1, static_cast<std::int32_t>(share + 0.999)));
        }
    }
    return granted;
}

/// True for the processors that this process may run on.
struct Affinity {
    cpu_set_t set{};
    bool known = sched_getaffinity(0, sizeof(set), &set) == 0;
    bool allows(std::int32_t cpu) const {
        return !known || cpu >= CPU_SETSIZE || CPU_ISSET(static_cast<std::size_t>(cpu), &set);
    }
};

struct Counts {
    std::int32_t physical = 0, logical = 0, usable_physical = 0, usable_logical = 0;
};

Counts count_processors() {
    const Affinity affinity;
    std::set<std::string> cores;
    std::set<std::string> usable_cores;
    Counts counts;
    const auto n = static_cast<std::int32_t>(std::max(1U, std::thread::hardware_concurrency()));
    // Numbers may have gaps; twice the count covers what occurs.
    for (std::int32_t cpu = 0; cpu < 2 * n + 64; ++cpu) {
        const std::string folder =
            "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
        std::string siblings = first_line(folder + "thread_siblings_list");
        if (siblings.empty())
            continue;
        ++counts.logical;
        cores.insert(siblings);
        if (affinity.allows(cpu)) {
            ++counts.usable_logical;
            usable_cores.insert(std::move(siblings));
        }
    }
    if (counts.logical == 0) // no such files here
        return {n, n, n, n};
    counts.physical = static_cast<std::int32_t>(cores.size());
    counts.usable_physical = std::max(1, static_cast<std::int32_t>(usable_cores.size()));
    counts.usable_logical = std::max(1, counts.usable_logical);
    return counts;
}

std::string proc_cpuinfo(std::string_view key) {
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        const std::size_t colon = line.find(':');
        if (line.starts_with(key) && colon != std::string::npos && colon + 2 <= line.size())
            return line.substr(colon + 2);
    }
    return {};
}

} // namespace

CpuTopology cpu_topology() {
    static const CpuTopology fixed = [] {
        CpuTopology cpu;
        cpu.model_name = proc_cpuinfo("model name");
        std::istringstream flags(proc_cpuinfo("flags"));
        for (std::string flag; flags >> flag;)
            cpu.flags.push_back(std::move(flag));
        cpu.l1d_bytes = cache_bytes("index0");
        cpu.l2_bytes = cache_bytes("index2");
        cpu.l3_bytes = cache_bytes("index3");
        return cpu;
    }();
    CpuTopology cpu = fixed;
    const Counts counts = count_processors();
    cpu.n_physical_cores = counts.physical;
    cpu.n_logical_cores = counts.logical;
    cpu.n_usable = std::min(counts.usable_logical, cgroup_processors());
    cpu.n_usable_cores = std::min(counts.usable_physical, cpu.n_usable);
    return cpu;
}

std::int32_t default_threads() {
    const std::int32_t cores = cpu_topology().n_usable_cores;
    const std::int32_t threads = cores <= 2 ? cores : cores - 1;
    const bool chosen = std::getenv("OMP_NUM_THREADS") != nullptr;
    const std::int32_t limit = chosen ? omp_get_max_threads() : omp_get_thread_limit();
    return std::max(1, std::min(threads, limit));
}

std::uint64_t available_memory_bytes() {
    std::uint64_t available = 0;
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        constexpr std::string_view kKey = "MemAvailable:";
        if (!line.starts_with(kKey))
            continue;
        const std::size_t digit = line.find_first_of("0123456789");
        if (digit != std::string::npos)
            available =
                static_cast<std::uint64_t>(leading_number(std::string_view(line).substr(digit), 0))
                << 10U;
    }
    for (std::string folder = cgroup_folder(); folder.size() >= 14;
         folder = folder.substr(0, folder.find_last_of('/'))) {
        const std::int64_t limit = leading_number(first_line(folder + "/memory.max"), -1);
        const std::int64_t used = leading_number(first_line(folder + "/memory.current"), 0);
        if (limit < 0)
            continue;
        // Pages of files count as used but give way.
        std::int64_t droppable = 0;
        std::ifstream stat(folder + "/memory.stat");
        for (std::string key; stat >> key;) {
            std::int64_t value = 0;
            stat >> value;
            if (key == "inactive_file" || key == "active_file")
                droppable += value;
        }
        const auto free =
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, limit - used + droppable));
        available = available == 0 ? free : std::min(available, free);
    }
    return available;
}

} // namespace alcove
