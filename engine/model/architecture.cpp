#include "engine/model/architecture.h"

#include "engine/model/arch/arch.h"

#include <array>
#include <fmt/format.h>

namespace alcove::model {

namespace {

constexpr std::array kArchitectures = {
    &arch::kLlama,    &arch::kMistral3, &arch::kGranite, &arch::kQwen2,  &arch::kQwen3,
    &arch::kQwen3Moe, &arch::kSmolLm3,  &arch::kGemma2,  &arch::kGemma3, &arch::kPhi3,
    &arch::kOlmo2,    &arch::kLfm2,     &arch::kLfm2Moe,
};

} // namespace

std::span<const Architecture* const> architectures() noexcept {
    return kArchitectures;
}

Result<const Architecture*> find_architecture(std::string_view name) {
    std::string known;
    for (const Architecture* architecture : kArchitectures) {
        if (architecture->name == name)
            return architecture;
        known += (known.empty() ? "" : ", ") + std::string(architecture->name);
    }
    return Error{
        Errc::Unsupported,
        fmt::format("the architecture \"{}\" is not supported, expected one of: {}", name, known)};
}

} // namespace alcove::model
