#include "app/cli/adapter_options.h"

#include "app/cli/data_folder.h"
#include "app/library/adapter_library.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>

namespace alcove::cli {

Result<AdapterSpec> parse_adapter(const std::string& text) {
    AdapterSpec spec;
    std::error_code ignored;
    const std::size_t colon = text.rfind(':');
    if (std::filesystem::exists(text, ignored) || colon == std::string::npos) {
        spec.name = text;
    } else {
        spec.name = text.substr(0, colon);
        spec.has_scale = true;
        const char* const end = text.data() + text.size();
        const char* begin = text.data() + colon + 1;
        if (begin < end && *begin == '+')
            ++begin;
        const auto [stop, error] = std::from_chars(begin, end, spec.scale);
        if (error == std::errc::result_out_of_range)
            spec.scale = 0; // 1e-99: as good as nothing
        if ((error != std::errc() && error != std::errc::result_out_of_range) || stop != end)
            return Error{Errc::InvalidArgument,
                         fmt::format("--adapter {}: the strength after the last ':' is \"{}\", "
                                     "expected a number",
                                     text, text.substr(colon + 1))};
    }
    spec.is_path = std::filesystem::exists(spec.name, ignored) ||
                   spec.name.find('/') != std::string::npos || spec.name.ends_with(".gguf") ||
                   spec.name.ends_with(".safetensors");
    return spec;
}

Result<AdapterUse> load_adapter(Invocation& invocation, const AdapterSpec& spec,
                                const std::shared_ptr<const Model>& model) {
    AdapterUse use;
    use.scale = spec.scale;
    std::string path = spec.name;
    AdapterOptions options;
    if (!spec.is_path) {
        ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
        ALCOVE_RETURN_IF_ERROR(app::syncAdapters(*folder.database, {folder.paths.models}));
        ALCOVE_ASSIGN_OR_RETURN(
            const app::AdapterRecord record,
            app::resolveAdapter(*folder.database, QString::fromStdString(spec.name)));
        path = utf8(record.path);
        options = app::adapterOptions(record, {});
        if (!spec.has_scale)
            use.scale = static_cast<float>(record.defaultScale);
    }
    ALCOVE_ASSIGN_OR_RETURN(use.adapter,
                            Adapter::load(path, model, options, invocation.console.stop_token()));
    const Status range = check_adapter_scale(use.adapter->info().kind, use.scale);
    if (!range)
        return Error{Errc::Adapter, fmt::format("{}: {}", spec.name, range.error().message)};
    for (const std::string& warning : use.adapter->info().warnings)
        invocation.console.warning(fmt::format("{}: {}", use.adapter->info().name, warning));
    return use;
}

Result<std::vector<AdapterUse>> load_adapters(Invocation& invocation, const ModelOptions& options,
                                              const std::shared_ptr<const Model>& model) {
    std::vector<AdapterSpec> specs;
    for (const std::string& text : options.adapters) {
        ALCOVE_ASSIGN_OR_RETURN(const AdapterSpec spec, parse_adapter(text));
        specs.push_back(spec);
    }
    std::vector<AdapterUse> uses;
    for (const AdapterSpec& spec : specs) {
        ALCOVE_ASSIGN_OR_RETURN(AdapterUse use, load_adapter(invocation, spec, model));
        uses.push_back(std::move(use));
    }
    return uses;
}

Result<std::unique_ptr<Session>> create_session(Invocation& invocation,
                                                const std::shared_ptr<const Model>& model,
                                                const ModelOptions& options) {
    ALCOVE_ASSIGN_OR_RETURN(const std::vector<AdapterUse> uses,
                            load_adapters(invocation, options, model));
    ALCOVE_ASSIGN_OR_RETURN(auto session, Session::create(model, session_options(options)));
    ALCOVE_RETURN_IF_ERROR(session->set_adapters(uses));
    return session;
}

} // namespace alcove::cli
