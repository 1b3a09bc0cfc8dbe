#include "engine/kernels/isa.h"

#include <fmt/format.h>

#include <array>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace alcove {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"scalar", "avx2",       "avxvnni",
                                                    "avx512", "avx512vnni", "amx"};

#if defined(__x86_64__)
struct CpuidRegisters {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

CpuidRegisters cpuid(unsigned leaf, unsigned subleaf) {
    CpuidRegisters r;
    if (__get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx) == 0)
        return {};
    return r;
}

/// The register states that the operating system saves (XCR0); needs OSXSAVE.
std::uint64_t saved_states() {
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0)); // NOLINT(hicpp-no-assembler)
    return (static_cast<std::uint64_t>(high) << 32) | low;
}

bool bit(unsigned value, int index) {
    return ((value >> index) & 1u) != 0;
}

/// Whether processor and operating system run `isa`. Bits: Intel SDM volume 2, CPUID; volume 1, 13.
bool processor_runs(Isa isa) {
    if (isa == Isa::Scalar)
        return true;
    const CpuidRegisters leaf1 = cpuid(1, 0), leaf7 = cpuid(7, 0), leaf7_1 = cpuid(7, 1);
    if (!bit(leaf1.ecx, 27)) // OSXSAVE
        return false;
    const std::uint64_t states = saved_states();
    const bool ymm = (states & 0x6) == 0x6, zmm = (states & 0xe6) == 0xe6;
    const bool avx2 = ymm && bit(leaf1.ecx, 28) && bit(leaf1.ecx, 12) && bit(leaf1.ecx, 29) &&
                      bit(leaf7.ebx, 5); // AVX, FMA, F16C, AVX2
    const bool avx512 = avx2 && zmm && bit(leaf7.ebx, 16) && bit(leaf7.ebx, 17) &&
                        bit(leaf7.ebx, 30) && bit(leaf7.ebx, 31); // F, DQ, BW, VL
    switch (isa) {
    case Isa::Avx2:
        return avx2;
    case Isa::AvxVnni:
        return avx2 && bit(leaf7_1.eax, 4);
    case Isa::Avx512:
        return avx512;
    case Isa::Avx512Vnni:
        return avx512 && bit(leaf7.ecx, 11);
    default:
        return false;
    }
}
#else
bool processor_runs(Isa isa) {
    return isa == Isa::Scalar;
}
#endif

constexpr std::array kBuilt = {
#define KERNELS(isa, products, floats) Isa::isa,
#include "engine/kernels/kernels.inc"
#undef KERNELS
};

struct Runnable {
    std::array<Isa, kBuilt.size()> isas{};
    std::size_t count = 0;
};

Runnable find_runnable() {
    Runnable found;
    for (const Isa isa : kBuilt)
        if (processor_runs(isa))
            found.isas[found.count++] = isa;
    return found;
}

} // namespace

std::string_view isa_name(Isa isa) noexcept {
    return kNames[static_cast<std::size_t>(isa)];
}

std::span<const Isa> runnable_isas() noexcept {
    static const Runnable runnable = find_runnable();
    return {runnable.isas.data(), runnable.count};
}

Result<Isa> choose_isa(std::string_view name) {
    if (name == "auto")
        return runnable_isas().front();
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] != name)
            continue;
        for (const Isa isa : runnable_isas())
            if (isa == static_cast<Isa>(i))
                return isa;
        return Error{Errc::Unsupported,
                     fmt::format("instruction set {} is not available here: {}", name,
                                 processor_runs(static_cast<Isa>(i))
                                     ? "this build has no kernels for it"
                                     : "the processor or the operating system lacks it")};
    }
    if (name == "neon" || name == "dotprod" || name == "i8mm")
        return Error{Errc::Unsupported,
                     fmt::format("instruction set {} is not available here: it belongs to another "
                                 "processor family",
                                 name)};
    return Error{
        Errc::InvalidArgument,
        fmt::format("unknown instruction set \"{}\", expected auto, scalar, avx2, avxvnni, "
                    "avx512, avx512vnni or amx",
                    name)};
}

} // namespace alcove
