#include "app/cli/adapter_options.h"
#include "app/cli/command.h"
#include "app/cli/data_folder.h"
#include "app/cli/files.h"
#include "app/library/adapter_library.h"
#include "app/store/adapter_store.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <fmt/format.h>

namespace alcove::cli {
namespace {

struct AdapterCommandOptions {
    std::vector<std::string> files;
    std::string name, model;
    double scale = 1;
    bool json = false;
};

Json info_json(const AdapterInfo& info) {
    Json targets = Json::array();
    for (const AdapterTarget& target : info.targets)
        targets.push_back(target.name);
    return {{"ok", true},
            {"kind", adapter_kind_name(info.kind)},
            {"rank", info.rank_max},
            {"rank_min", info.rank_min},
            {"alpha", info.alpha ? Json(*info.alpha) : Json(nullptr)},
            {"targets", targets},
            {"sha256", info.sha256},
            {"size", info.bytes},
            {"warnings", info.warnings}};
}

std::string ranks(int least, int most) {
    return least == most ? fmt::format("rank {}", most) : fmt::format("rank {} to {}", least, most);
}

std::string info_text(const AdapterInfo& info) {
    std::string text =
        fmt::format("{}: {}, {}, alpha {}, {} bytes\nSHA-256 {}\nTargets", info.name,
                    adapter_kind_name(info.kind), ranks(info.rank_min, info.rank_max),
                    info.alpha ? fmt::format("{}", *info.alpha) : "none", info.bytes, info.sha256);
    for (const AdapterTarget& target : info.targets)
        text += fmt::format(" {} ({})", target.name, target.n_pairs);
    return text + "\nIt fits.\n";
}

Result<int> check(Invocation& invocation, const AdapterCommandOptions& options) {
    Console& console = invocation.console;
    ALCOVE_ASSIGN_OR_RETURN(const std::string model, resolve_model_path(invocation, options.model));
    const auto base = read_model_info(model); // a bad model is no fault of the adapter's
    if (!base)
        return base.error();
    if (!base->runnable)
        return Error{Errc::Model,
                     fmt::format("{}: {}", base->path.filename().string(), base->reason)};
    std::string fault;
    AdapterOptions checked;
    checked.fault = &fault;
    const auto info = check_adapter(options.files.front(), model, checked, console.stop_token());
    if (info) {
        for (const std::string& warning : info->warnings)
            console.warning(warning);
        console.out(options.json ? to_line(info_json(*info)) : info_text(*info));
        return kDone;
    }
    if (!options.json || info.error().code == Errc::Cancelled)
        return info.error();
    console.out(to_line(Json{{"ok", false},
                             {"code", fault.empty() ? "adapter.open" : fault},
                             {"message", info.error().message}}));
    console.note(fmt::format("alcove-cli: {}", info.error().message));
    return kBadInput;
}

Json record_json(const app::AdapterRecord& record) {
    return {
        {"id", record.id},
        {"name", utf8(record.name)},
        {"path", utf8(record.path)},
        {"kind", utf8(record.kind)},
        {"rank", record.rankMax},
        {"rank_min", record.rankMin},
        {"alpha", record.alpha ? Json(*record.alpha) : Json(nullptr)},
        {"targets",
         Json::parse(QJsonDocument(record.targets).toJson(QJsonDocument::Compact).toStdString())},
        {"architecture",
         record.architecture.isEmpty() ? Json(nullptr) : Json(utf8(record.architecture))},
        {"base", record.baseName.isEmpty() ? Json(nullptr) : Json(utf8(record.baseName))},
        {"base_sha256",
         record.baseSha256.isEmpty() ? Json(nullptr) : Json(utf8(record.baseSha256))},
        {"sha256", utf8(record.sha256)},
        {"size", record.bytes},
        {"parameters", record.parameters},
        {"scale", record.defaultScale},
        {"note", utf8(record.note)},
        {"away", !QFileInfo::exists(record.path)},
        {"added", iso_time(record.added)},
        {"used", record.used.isValid() ? Json(iso_time(record.used)) : Json(nullptr)}};
}

std::string record_line(const app::AdapterRecord& record) {
    return fmt::format("{}\t{}\t{}\tstrength {}\t{}{}\n", utf8(record.name), utf8(record.kind),
                       ranks(record.rankMin, record.rankMax), record.defaultScale,
                       utf8(record.path),
                       QFileInfo::exists(record.path) ? "" : "\t(the file is away)");
}

void show(Console& console, const QVector<app::AdapterRecord>& records, bool json) {
    Json document = Json::array();
    std::string text;
    for (const app::AdapterRecord& record : records) {
        document.push_back(record_json(record));
        text += record_line(record);
    }
    if (records.isEmpty())
        text = "There are no adapters yet. Name one with: adapter add FILE\n";
    console.out(json ? to_document(document) : text);
}

Result<int> list(Invocation& invocation, bool json) {
    ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
    ALCOVE_ASSIGN_OR_RETURN(const auto records,
                            app::syncAdapters(*folder.database, {folder.paths.models}));
    show(invocation.console, records, json);
    return kDone;
}

Result<int> add(Invocation& invocation, const AdapterCommandOptions& options) {
    ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
    QVector<app::AdapterRecord> added;
    for (const std::string& file : options.files) {
        ALCOVE_ASSIGN_OR_RETURN(const auto record,
                                app::addAdapter(*folder.database, QString::fromStdString(file)));
        added.append(record);
    }
    show(invocation.console, added, options.json);
    return kDone;
}

/// Removes an adapter or changes its strength; both print what was changed.
Result<int> change(Invocation& invocation, const AdapterCommandOptions& options, bool remove) {
    ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
    app::AdapterStore store(*folder.database);
    ALCOVE_ASSIGN_OR_RETURN(
        app::AdapterRecord record,
        app::resolveAdapter(*folder.database, QString::fromStdString(options.name)));
    if (remove) {
        ALCOVE_RETURN_IF_ERROR(store.forget(record.id));
    } else {
        const auto kind = adapter_kind_from_name(utf8(record.kind)).value_or(AdapterKind::Gguf);
        ALCOVE_RETURN_IF_ERROR(check_adapter_scale(kind, static_cast<float>(options.scale)));
        ALCOVE_RETURN_IF_ERROR(store.setDefaultScale(record.id, options.scale));
        ALCOVE_ASSIGN_OR_RETURN(record, store.get(record.id));
    }
    show(invocation.console, {record}, options.json);
    return kDone;
}

} // namespace

CommandBody add_adapter(CLI::App& command) {
    auto options = std::make_shared<AdapterCommandOptions>();
    command.require_subcommand(1);
    const auto sub = [&](const char* name, const char* description) {
        CLI::App* made = command.add_subcommand(name, description);
        made->add_flag("--json", options->json, "Print JSON");
        return made;
    };
    auto* checking = sub("check", "Whether an adapter fits a model, and what is in it");
    checking->add_option("FILE", options->files, "Adapter file, or PEFT folder")
        ->required()
        ->expected(1);
    add_model_option(*checking, options->model);
    auto* adding = sub("add", "Registers adapters where they lie");
    adding->add_option("FILE", options->files, "Adapter files, or PEFT folders")->required();
    auto* listing = sub("list", "The registered adapters");
    auto* removing = sub("remove", "Takes an adapter off the list; its file stays");
    removing->add_option("NAME", options->name, "The adapter")->required();
    auto* setting = sub("set-scale", "Sets the strength that an adapter has when none is given");
    setting->add_option("NAME", options->name, "The adapter")->required();
    setting->add_option("SCALE", options->scale, "-4 to 4; rank-one adapters 0 to 2")->required();
    return [=](Invocation& invocation) -> Result<int> {
        if (checking->parsed())
            return check(invocation, *options);
        if (adding->parsed())
            return add(invocation, *options);
        if (listing->parsed())
            return list(invocation, options->json);
        return change(invocation, *options, removing->parsed());
    };
}

} // namespace alcove::cli
