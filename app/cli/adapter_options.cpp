#include "app/cli/adapter_options.h"

#include "app/cli/data_folder.h"
#include "app/library/adapter_library.h"
#include "app/store/model_store.h"

#include <QFileInfo>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <locale>
#include <sstream>

namespace alcove::cli {

namespace {

/// The number in `text`, which no double can hold: the largest, or 0 for what is next to nothing.
/// from_chars does not tell one from the other.
double saturated(const std::string& text) {
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    in >> value;
    return value;
}

/// Infinite where no float is as large.
float as_float(double value) {
    if (std::abs(value) <= std::numeric_limits<float>::max() || std::isnan(value))
        return static_cast<float>(value);
    return std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0F : 1.0F);
}

} // namespace

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
        double scale = 0;
        const auto [stop, error] = std::from_chars(begin, end, scale);
        const bool out_of_range = error == std::errc::result_out_of_range;
        if ((error != std::errc() && !out_of_range) || stop != end)
            return Error{Errc::InvalidArgument,
                         fmt::format("--adapter {}: the strength after the last ':' is \"{}\", "
                                     "expected a number",
                                     text, text.substr(colon + 1))};
        spec.scale = as_float(out_of_range ? saturated({begin, end}) : scale);
    }
    spec.is_path = std::filesystem::exists(spec.name, ignored) ||
                   spec.name.find('/') != std::string::npos || spec.name.ends_with(".gguf") ||
                   spec.name.ends_with(".safetensors");
    return spec;
}

namespace {

/// Loads adapters for one model. The data folder is opened for the first that has a name, once.
class Loader {
public:
    Loader(Invocation& invocation, const std::shared_ptr<const Model>& model)
        : invocation_(invocation), model_(model) {}

    Result<AdapterUse> load(const AdapterSpec& spec) {
        AdapterUse use;
        use.scale = spec.scale;
        std::string path = spec.name;
        AdapterOptions options;
        if (!spec.is_path) {
            ALCOVE_ASSIGN_OR_RETURN(const app::AdapterRecord record, find(spec.name));
            path = utf8(record.path);
            options = app::adapterOptions(record, base_sha256());
            if (!spec.has_scale)
                use.scale = static_cast<float>(record.defaultScale);
        }
        Console& console = invocation_.console;
        ALCOVE_ASSIGN_OR_RETURN(use.adapter,
                                Adapter::load(path, model_, options, console.stop_token()));
        const Status range = check_adapter_scale(use.adapter->info().kind, use.scale);
        if (!range)
            return Error{Errc::Adapter, fmt::format("{}: {}", spec.name, range.error().message)};
        for (const std::string& warning : use.adapter->info().warnings)
            console.warning(fmt::format("{}: {}", use.adapter->info().name, warning));
        return use;
    }

private:
    Result<app::AdapterRecord> find(const std::string& name) {
        if (folder_.database == nullptr) {
            ALCOVE_ASSIGN_OR_RETURN(folder_, open_data_folder(invocation_));
            ALCOVE_RETURN_IF_ERROR(app::syncAdapters(*folder_.database, {folder_.paths.models}));
        }
        return app::resolveAdapter(*folder_.database, QString::fromStdString(name));
    }

    /// Hash of the model's file where the library knows it for the file as it is now, else empty: a
    /// file of gigabytes is not read for it.
    QString base_sha256() {
        const QFileInfo file(QString::fromStdString(model_->info().path.string()));
        const auto record = app::ModelStore(*folder_.database).findByPath(file.absoluteFilePath());
        const bool same =
            record && record->fileBytes == file.size() &&
            record->modified.toSecsSinceEpoch() == file.lastModified().toSecsSinceEpoch();
        return same ? record->sha256 : QString();
    }

    Invocation& invocation_;
    const std::shared_ptr<const Model>& model_;
    DataFolder folder_;
};

} // namespace

Result<AdapterUse> load_adapter(Invocation& invocation, const AdapterSpec& spec,
                                const std::shared_ptr<const Model>& model) {
    return Loader(invocation, model).load(spec);
}

Result<std::vector<AdapterUse>> load_adapters(Invocation& invocation, const ModelOptions& options,
                                              const std::shared_ptr<const Model>& model) {
    std::vector<AdapterSpec> specs;
    for (const std::string& text : options.adapters) {
        ALCOVE_ASSIGN_OR_RETURN(const AdapterSpec spec, parse_adapter(text));
        specs.push_back(spec);
    }
    Loader loader(invocation, model);
    std::vector<AdapterUse> uses;
    for (const AdapterSpec& spec : specs) {
        ALCOVE_ASSIGN_OR_RETURN(AdapterUse use, loader.load(spec));
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
