#include "app/cli/command.h"
#include "app/cli/data_folder.h"
#include "app/cli/files.h"
#include "app/library/model_library.h"

#include <fmt/format.h>

namespace alcove::cli {
namespace {

Json record_json(const app::ModelRecord& record) {
    return {{"id", record.id},
            {"name", utf8(record.name)},
            {"path", utf8(record.path)},
            {"architecture", utf8(record.architecture)},
            {"quantization", utf8(record.quantization)},
            {"bytes", record.fileBytes},
            {"n_ctx_train", record.contextTrained},
            {"sha256", record.sha256.isEmpty() ? Json(nullptr) : Json(utf8(record.sha256))},
            {"runnable", record.runnable},
            {"reason", record.runnable ? Json(nullptr) : Json(utf8(record.reason))},
            {"added", iso_time(record.added)},
            {"used", record.used.isValid() ? Json(iso_time(record.used)) : Json(nullptr)}};
}

std::string record_line(const app::ModelRecord& record, bool away) {
    std::string line =
        fmt::format("{}\t{}\t{} MiB\t{}", utf8(record.name), utf8(record.quantization),
                    record.fileBytes >> 20, utf8(record.path));
    if (away)
        line += "\t(the file is away)";
    else if (!record.runnable)
        line += fmt::format("\t(does not run: {})", utf8(record.reason));
    return line + "\n";
}

Result<int> list_models(Invocation& invocation, bool json) {
    ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
    ALCOVE_ASSIGN_OR_RETURN(const auto models,
                            app::syncLibrary(*folder.database, folder.paths.models));
    Json document = Json::array();
    std::string text;
    for (const app::LibraryModel& model : models) {
        Json entry = record_json(model.record);
        entry["away"] = model.away;
        entry["memory_bytes"] = model.memoryNeeded > 0 ? Json(model.memoryNeeded) : Json(nullptr);
        document.push_back(std::move(entry));
        text += record_line(model.record, model.away);
    }
    if (models.isEmpty())
        text = fmt::format(
            "There are no models yet. Put GGUF files in {}, or name one with: model add FILE\n",
            utf8(folder.paths.models));
    invocation.console.out(json ? to_document(document) : text);
    return kDone;
}

Result<int> add_models(Invocation& invocation, const std::vector<std::string>& files, bool json) {
    ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
    Json document = Json::array();
    std::string text;
    for (const std::string& file : files) {
        ALCOVE_ASSIGN_OR_RETURN(const app::ModelRecord record,
                                app::addModel(*folder.database, QString::fromStdString(file)));
        document.push_back(record_json(record));
        text += record_line(record, false);
    }
    invocation.console.out(json ? to_document(document) : text);
    return kDone;
}

struct ModelCommandOptions {
    std::vector<std::string> files;
    bool json = false;
};

} // namespace

CommandBody add_model(CLI::App& command) {
    auto options = std::make_shared<ModelCommandOptions>();
    command.require_subcommand(1);
    auto* list = command.add_subcommand("list", "The models of the data folder and those added");
    list->add_flag("--json", options->json, "Print a JSON array");
    auto* add = command.add_subcommand("add", "Registers model files where they lie");
    add->add_option("FILE", options->files, "GGUF files")->required();
    add->add_flag("--json", options->json, "Print a JSON array");
    return [options, list](Invocation& invocation) {
        return list->parsed() ? list_models(invocation, options->json)
                              : add_models(invocation, options->files, options->json);
    };
}

} // namespace alcove::cli
