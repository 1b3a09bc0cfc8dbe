#pragma once

#include "engine/result.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace alcove {

/// Kernel sets that can be chosen with `--isa`. Avx512 is F+BW+DQ+VL without VNNI.
enum class Isa : std::uint8_t { Scalar, Avx2, AvxVnni, Avx512, Avx512Vnni, Amx };

std::string_view isa_name(Isa isa) noexcept; ///< "scalar" … "avx512vnni"

/// The sets this processor and operating system can run and this build contains, best first; scalar
/// is always last.
std::span<const Isa> runnable_isas() noexcept;

/// "auto" or a name. InvalidArgument for an unknown name, Unsupported where the processor or the
/// build lacks it.
Result<Isa> choose_isa(std::string_view name);

} // namespace alcove
