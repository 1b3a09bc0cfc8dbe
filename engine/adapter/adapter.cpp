#include "engine/adapter/adapter.h"

#include "engine/adapter/engine_adapter.h"
#include "engine/engine_model.h"

#include <cmath>
#include <fmt/format.h>
#include <new>

namespace alcove {

namespace {

/// Runs `body` so that nothing is thrown through the engine's face.
template <typename T, typename Body> Result<T> guarded(const AdapterOptions& options, Body&& body) {
    const adapter::Refusal refuse("adapter", options.fault);
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return refuse.pass_on("memory", Error{Errc::Memory, "memory ran out for the adapter"});
    } catch (const std::exception& error) {
        return Error{Errc::Internal, fmt::format("unexpected failure: {}", error.what())};
    }
}

} // namespace

const char* adapter_kind_name(AdapterKind kind) noexcept {
    switch (kind) {
    case AdapterKind::Gguf:
        return "gguf";
    case AdapterKind::Peft:
        return "peft";
    case AdapterKind::Gemma:
        return "gemma";
    case AdapterKind::RankOne:
        break;
    }
    return "rank-one";
}

std::optional<AdapterKind> adapter_kind_from_name(std::string_view name) noexcept {
    for (const AdapterKind kind :
         {AdapterKind::Gguf, AdapterKind::Peft, AdapterKind::Gemma, AdapterKind::RankOne}) {
        if (name == adapter_kind_name(kind))
            return kind;
    }
    return std::nullopt;
}

ScaleRange adapter_scale_range(AdapterKind kind) noexcept {
    return kind == AdapterKind::RankOne ? ScaleRange{0.0F, 2.0F} : ScaleRange{-4.0F, 4.0F};
}

Status check_adapter_scale(AdapterKind kind, float scale) {
    const ScaleRange range = adapter_scale_range(kind);
    if (!std::isfinite(scale) || scale < range.min || scale > range.max)
        return Error{Errc::Adapter,
                     fmt::format("the strength of the adapter is {}, expected {} to {}", scale,
                                 range.min, range.max)};
    return ok();
}

Result<std::shared_ptr<const Adapter>> Adapter::load(const std::filesystem::path& path,
                                                     const std::shared_ptr<const Model>& base,
                                                     const AdapterOptions& options,
                                                     std::stop_token stop) {
    using Loaded = std::shared_ptr<const Adapter>;
    return guarded<Loaded>(options, [&]() -> Result<Loaded> {
        const auto model = std::dynamic_pointer_cast<const EngineModel>(base);
        if (model == nullptr)
            return Error{Errc::InvalidArgument, "an adapter needs a model that Model::load made"};
        ALCOVE_ASSIGN_OR_RETURN(adapter::AdapterFile file,
                                adapter::read_adapter_file(path, &model->loaded(), options, stop));
        ALCOVE_ASSIGN_OR_RETURN(
            const std::vector<adapter::Match> matches,
            adapter::match(file, model->loaded(), adapter::Refusal(file.shown, options.fault)));
        std::vector<adapter::Slot> slots = adapter::pack(file.info.kind, matches, model->loaded());
        return Loaded(std::make_shared<const EngineAdapter>(std::move(file.info), std::move(slots),
                                                            model->loaded().file));
    });
}

Result<AdapterInfo> check_adapter(const std::filesystem::path& path,
                                  const std::filesystem::path& model_path,
                                  const AdapterOptions& options, std::stop_token stop) {
    return guarded<AdapterInfo>(options, [&]() -> Result<AdapterInfo> {
        ALCOVE_ASSIGN_OR_RETURN(std::shared_ptr<const GgufFile> gguf, GgufFile::open(model_path));
        ALCOVE_ASSIGN_OR_RETURN(const model::LoadedModel base, model::load_model(std::move(gguf)));
        ALCOVE_ASSIGN_OR_RETURN(adapter::AdapterFile file,
                                adapter::read_adapter_file(path, &base, options, stop));
        ALCOVE_RETURN_IF_ERROR(
            adapter::match(file, base, adapter::Refusal(file.shown, options.fault)));
        return std::move(file.info);
    });
}

Result<AdapterInfo> read_adapter_info(const std::filesystem::path& path,
                                      const AdapterOptions& options, std::stop_token stop) {
    return guarded<AdapterInfo>(options, [&]() -> Result<AdapterInfo> {
        ALCOVE_ASSIGN_OR_RETURN(adapter::AdapterFile file,
                                adapter::read_adapter_file(path, nullptr, options, stop));
        return std::move(file.info);
    });
}

bool is_adapter_file(const std::filesystem::path& path) {
    try {
        return adapter::says_adapter(path);
    } catch (const std::exception&) {
        return false; // memory ran out, or the path is none
    }
}

} // namespace alcove
