#include "engine/engine.h"

#include "engine/cpu.h"
#include "engine/engine_model.h"
#include "engine/kernels/isa.h"
#include "engine/session/engine_session.h"
#include "engine/session/memory_need.h"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <utility>

namespace alcove {

namespace {

/// Runs `body`; what it throws becomes an Error.
template <typename T, typename Body> Result<T> guarded(Body&& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return Error{Errc::Memory, "memory ran out"};
    } catch (const std::exception& error) {
        return Error{Errc::Internal, fmt::format("unexpected failure: {}", error.what())};
    }
}

} // namespace

Result<ModelInfo> read_model_info(const std::filesystem::path& path) {
    return guarded<ModelInfo>([&]() -> Result<ModelInfo> {
        ALCOVE_ASSIGN_OR_RETURN(const std::shared_ptr<const GgufFile> file, GgufFile::open(path));
        ModelInfo info = describe(*file);
        Result<model::LoadedModel> loaded = model::load_model(file);
        if (!loaded) {
            info.reason = loaded.error().message;
            return info;
        }
        adopt(info, *loaded);
        const auto tokenizer = load_tokenizer(*file, loaded->hparams);
        if (!tokenizer) {
            info.reason = tokenizer.error().message;
            return info;
        }
        const auto more = (*tokenizer)->warnings();
        info.warnings.insert(info.warnings.end(), more.begin(), more.end());
        info.runnable = true;
        return info;
    });
}

Result<MemoryEstimate> estimate_memory(const std::filesystem::path& path,
                                       const SessionOptions& options) {
    return guarded<MemoryEstimate>([&]() -> Result<MemoryEstimate> {
        ALCOVE_ASSIGN_OR_RETURN(std::shared_ptr<const GgufFile> file, GgufFile::open(path));
        ALCOVE_ASSIGN_OR_RETURN(const model::LoadedModel loaded,
                                model::load_model(std::move(file)));
        ALCOVE_ASSIGN_OR_RETURN(const Isa isa, choose_isa(options.isa));
        ALCOVE_ASSIGN_OR_RETURN(const SessionOptions resolved, resolve(options, loaded.hparams));
        return memory_need(loaded, resolved, kernel_table(isa));
    });
}

Result<std::shared_ptr<const Model>> Model::load(const std::filesystem::path& path,
                                                 const LoadOptions& options, std::stop_token stop) {
    return guarded<std::shared_ptr<const Model>>(
        [&] { return EngineModel::load(path, options, stop); });
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Model> model,
                                                 const SessionOptions& options) {
    return guarded<std::unique_ptr<Session>>(
        [&] { return EngineSession::create(std::move(model), options); });
}

const char* finish_reason_name(FinishReason reason) noexcept {
    switch (reason) {
    case FinishReason::Stop:
        return "stop";
    case FinishReason::Length:
        return "length";
    case FinishReason::Context:
        return "context";
    case FinishReason::Grammar:
        return "grammar";
    case FinishReason::Cancel:
        return "cancel";
    case FinishReason::Error:
        break;
    }
    return "error";
}

CpuInfo cpu_info() {
    // Names of the system, names of ours.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kFeatures = {{
        {"sse4_2", "sse4.2"},
        {"f16c", "f16c"},
        {"fma", "fma"},
        {"avx", "avx"},
        {"avx2", "avx2"},
        {"avx_vnni", "avxvnni"},
        {"avx512f", "avx512f"},
        {"avx512bw", "avx512bw"},
        {"avx512dq", "avx512dq"},
        {"avx512vl", "avx512vl"},
        {"avx512_vnni", "avx512vnni"},
        {"avx512_bf16", "avx512bf16"},
        {"amx_tile", "amx-tile"},
        {"amx_int8", "amx-int8"},
        {"amx_bf16", "amx-bf16"},
    }};
    CpuTopology cpu = cpu_topology();
    CpuInfo info;
    info.model_name = std::move(cpu.model_name);
    info.n_physical_cores = cpu.n_physical_cores;
    info.n_logical_cores = cpu.n_logical_cores;
    info.n_usable = cpu.n_usable;
    for (const auto& [flag, name] : kFeatures) {
        if (std::find(cpu.flags.begin(), cpu.flags.end(), flag) != cpu.flags.end())
            info.features.emplace_back(name);
    }
    for (const Isa isa : runnable_isas())
        info.isas.emplace_back(isa_name(isa));
    info.l1d_bytes = cpu.l1d_bytes;
    info.l2_bytes = cpu.l2_bytes;
    info.l3_bytes = cpu.l3_bytes;
    return info;
}

} // namespace alcove
