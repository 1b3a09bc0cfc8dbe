#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What the machine offers to this process.
namespace alcove {

struct CpuTopology {
    std::string model_name;
    std::int32_t n_physical_cores = 1; ///< of the whole machine
    std::int32_t n_logical_cores = 1;
    std::int32_t n_usable_cores = 1; ///< physical cores that the affinity mask allows
    std::int32_t n_usable = 1;       ///< logical processors: affinity mask and cgroup quota
    std::vector<std::string> flags;  ///< as the system names them
    std::uint64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;
};

/// Read once from the system, then remembered, but for the affinity mask and the quota.
CpuTopology cpu_topology();

/// Threads where the user chose none: physical cores − 1, all of them with two cores or fewer,
/// never more than may be used, and OMP_NUM_THREADS or OMP_THREAD_LIMIT where those are set lower.
std::int32_t default_threads();

/// Memory that can be used without pushing others out: the system's figure and the limit of the
/// control group. 0: unknown.
std::uint64_t available_memory_bytes();

} // namespace alcove
