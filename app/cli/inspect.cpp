#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "engine/format/gguf_file.h"
#include "engine/format/gguf_parser.h"
#include "engine/format/memory_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace alcove::cli {
namespace {

constexpr std::size_t kShownElements = 8;
constexpr std::size_t kShownTextBytes = 200;

struct InspectOptions {
    std::string file;
    std::int32_t ctx = 0;
    bool full = false;
    bool json = false;
};

Json value_json(const GgufValue& value, bool full);

Json array_json(const GgufArray& array, bool full) {
    const std::size_t n = full ? array.size : std::min(array.size, kShownElements);
    Json elements = Json::array();
    std::visit(
        [&](const auto& all) {
            for (std::size_t i = 0; i < n; ++i) {
                if constexpr (std::is_same_v<std::decay_t<decltype(all[i])>, GgufValue>)
                    elements.push_back(value_json(all[i], full));
                else if constexpr (std::is_same_v<std::decay_t<decltype(all[i])>, std::string_view>)
                    elements.push_back(std::string(all[i]));
                else if constexpr (std::is_same_v<std::decay_t<decltype(all[i])>, std::int64_t>) {
                    if (array.element_type == GgufValueType::Bool)
                        elements.push_back(all[i] != 0);
                    else if (array.element_type == GgufValueType::U64)
                        elements.push_back(static_cast<std::uint64_t>(all[i]));
                    else
                        elements.push_back(all[i]);
                } else
                    elements.push_back(all[i]);
            }
        },
        array.elements);
    if (n == array.size)
        return elements;
    return {{"array_of", gguf_value_type_name(array.element_type)},
            {"size", array.size},
            {"first", std::move(elements)}};
}

Json value_json(const GgufValue& value, bool full) {
    return std::visit(
        [full](const auto& held) -> Json {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::shared_ptr<const GgufArray>>)
                return array_json(*held, full);
            else if constexpr (std::is_same_v<T, std::string_view>)
                return std::string(held);
            else
                return held;
        },
        value.value);
}

std::vector<std::uint64_t> shape_of(const GgufTensor& tensor) {
    return {tensor.dims.begin(), tensor.dims.begin() + tensor.n_dims};
}

std::uint64_t count_params(const GgufFile& file) {
    std::uint64_t total = 0;
    for (const GgufTensor& tensor : file.tensors())
        total += tensor.dims[0] * tensor.dims[1] * tensor.dims[2] * tensor.dims[3];
    return total;
}

/// Memory of a context, or null where the file cannot run.
Json memory_json(const InspectOptions& options, const ModelInfo& info) {
    if (!info.runnable)
        return nullptr;
    SessionOptions session;
    session.n_ctx = options.ctx;
    const auto estimate = estimate_memory(options.file, session);
    if (!estimate)
        return {{"error", estimate.error().message}};
    const std::int32_t automatic = info.n_ctx_train > 0 ? std::min(info.n_ctx_train, 4096) : 4096;
    return {{"n_ctx", options.ctx > 0 ? options.ctx : automatic},
            {"weights_bytes", estimate->weights_bytes},
            {"kv_bytes", estimate->kv_bytes},
            {"work_bytes", estimate->work_bytes},
            {"total_bytes", estimate->total_bytes()}};
}

Json inspect_json(const InspectOptions& options, const GgufFile& file, const ModelInfo& info) {
    Json metadata = Json::object();
    for (const std::string_view key : file.keys())
        metadata[std::string(key)] = value_json(*file.find(key), options.full);
    Json tensors = Json::array();
    for (const GgufTensor& tensor : file.tensors())
        tensors.push_back({{"name", std::string(tensor.name)},
                           {"type", std::string(quant_traits(tensor.type)->name)},
                           {"shape", shape_of(tensor)},
                           {"offset", tensor.offset},
                           {"bytes", tensor.bytes}});
    return {{"file", options.file},
            {"format", "gguf"},
            {"version", file.version()},
            {"alignment", file.alignment()},
            {"file_bytes", file.file_bytes()},
            {"parts", file.n_parts()},
            {"name", info.name},
            {"architecture", info.architecture},
            {"quantization", info.quantization},
            {"n_params", count_params(file)},
            {"n_ctx_train", info.n_ctx_train},
            {"n_vocab", info.n_vocab},
            {"memory", memory_json(options, info)},
            {"runnable", info.runnable},
            {"reason", info.runnable ? Json(nullptr) : Json(info.reason)},
            {"warnings", info.warnings},
            {"metadata", std::move(metadata)},
            {"tensors", std::move(tensors)}};
}

/// One line, so that a chat template does not fill the screen.
std::string short_text(const Json& value, bool full) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (full || text.size() <= kShownTextBytes)
        return text;
    std::size_t cut = kShownTextBytes;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80)
        --cut;
    return text.substr(0, cut) + fmt::format(" … ({} bytes)", text.size());
}

std::string inspect_text(const Json& facts, bool full) {
    std::string text = fmt::format("{}: GGUF version {}, {} bytes, {} tensors, {} parameters\n",
                                   facts["file"].get<std::string>(), facts["version"].get<int>(),
                                   facts["file_bytes"].get<std::uint64_t>(),
                                   facts["tensors"].size(), facts["n_params"].get<std::uint64_t>());
    text += facts["runnable"].get<bool>()
                ? std::string("Runs: yes\n")
                : fmt::format("Runs: no: {}\n", facts["reason"].get<std::string>());
    if (facts["memory"].is_object() && facts["memory"].contains("total_bytes"))
        text += fmt::format("Memory: {} MiB for a context of {} tokens\n",
                            facts["memory"]["total_bytes"].get<std::uint64_t>() >> 20U,
                            facts["memory"]["n_ctx"].get<int>());
    for (const auto& warning : facts["warnings"])
        text += fmt::format("Warning: {}\n", warning.get<std::string>());
    text += "\n";
    for (const auto& [key, value] : facts["metadata"].items())
        text += fmt::format("{} = {}\n", key, short_text(value, full));
    text += "\n";
    for (const auto& tensor : facts["tensors"])
        text += fmt::format("{:<48} {:<8} {:<24} at {} ({} bytes)\n",
                            tensor["name"].get<std::string>(), tensor["type"].get<std::string>(),
                            tensor["shape"].dump(), tensor["offset"].get<std::uint64_t>(),
                            tensor["bytes"].get<std::uint64_t>());
    return text;
}

Result<int> inspect(Invocation& invocation, InspectOptions options) {
    ALCOVE_ASSIGN_OR_RETURN(options.file, resolve_model_path(invocation, options.file));
    ALCOVE_ASSIGN_OR_RETURN(const auto file, GgufFile::open(options.file));
    auto info = read_model_info(options.file);
    if (!info)
        return std::move(info).error();
    const Json facts = inspect_json(options, *file, *info);
    invocation.console.out(options.json ? to_document(facts) : inspect_text(facts, options.full));
    return kDone;
}

} // namespace

CommandBody add_inspect(CLI::App& command) {
    auto options = std::make_shared<InspectOptions>();
    command.add_option("FILE", options->file, "Model file, or a name in the library")->required();
    command
        .add_option("-c,--ctx", options->ctx,
                    "Context for the memory estimate (0: as run would take)")
        ->check(CLI::Range(0, 1 << 24));
    command.add_flag("--full", options->full, "Long arrays and texts whole");
    command.add_flag("--json", options->json, "Print one JSON document");
    return [options](Invocation& invocation) { return inspect(invocation, *options); };
}

} // namespace alcove::cli
