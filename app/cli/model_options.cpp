#include "app/cli/model_options.h"

#include "app/library/model_library.h"
#include "app/paths.h"
#include "engine/cpu.h"

#include <fmt/format.h>

#include <filesystem>

namespace alcove::cli {

void add_model_option(CLI::App& command, std::string& model, bool required) {
    command.add_option("-m,--model", model, "Model file, or a name in the library")
        ->required(required)
        ->type_name("FILE|NAME");
}

void add_model_options(CLI::App& command, ModelOptions& options) {
    add_model_option(command, options.model);
    command.add_option("-t,--threads", options.threads, "Threads (0: physical cores minus one)")
        ->check(CLI::Range(0, 1024));
    command.add_option("-c,--ctx", options.ctx, "Context in tokens (0: as trained, at most 4096)")
        ->check(CLI::Range(0, 1 << 24));
    command.add_option("--kv", options.kv, "Type of the cache: f32, f16 or q8_0")
        ->check(CLI::IsMember({"f32", "f16", "q8_0"}))
        ->capture_default_str();
    command.add_option("--batch", options.batch, "Prompt tokens read at once")
        ->check(CLI::Range(1, 1 << 16))
        ->capture_default_str();
    command
        .add_option("--isa", options.isa,
                    "Instruction set: auto, scalar, avx2, avxvnni, avx512, avx512vnni, amx")
        ->check(CLI::IsMember({"auto", "scalar", "avx2", "avxvnni", "avx512", "avx512vnni", "amx",
                               "neon", "dotprod", "i8mm"}))
        ->capture_default_str();
    command
        .add_option("--activations", options.activations,
                    "auto, int8, or f32 (exact arithmetic, for checks)")
        ->check(CLI::IsMember({"auto", "int8", "f32"}))
        ->capture_default_str();
    command.add_flag("--no-mmap", options.no_mmap,
                     "Read the file into memory instead of mapping it");
    command.add_flag("-v,--verbose", options.verbose, "Say more on standard error");
    command
        .add_option("--adapter", options.adapters,
                    "Adapter file, PEFT folder or registered name, with its strength after a "
                    "colon; may be given several times")
        ->type_name("FILE|NAME[:SCALE]")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Result<std::string> resolve_model_path(Invocation& invocation, const std::string& model) {
    std::error_code ignored;
    const bool is_path = model.find('/') != std::string::npos || model.ends_with(".gguf");
    if (is_path || std::filesystem::exists(model, ignored))
        return model; // what is wrong with it, the reader says
    ALCOVE_ASSIGN_OR_RETURN(const app::AppPaths paths,
                            app::resolvePaths(QString::fromStdString(invocation.data_option)));
    ALCOVE_ASSIGN_OR_RETURN(const auto database, app::Database::open(paths.database));
    ALCOVE_RETURN_IF_ERROR(app::syncLibrary(*database, paths.models));
    ALCOVE_ASSIGN_OR_RETURN(const QString path,
                            app::resolveModel(*database, QString::fromStdString(model)));
    return path.toStdString();
}

SessionOptions session_options(const ModelOptions& options) {
    SessionOptions session;
    session.n_ctx = options.ctx;
    session.n_batch = options.batch;
    session.n_threads = options.threads;
    session.kv_type = options.kv == "f32"    ? KvType::F32
                      : options.kv == "q8_0" ? KvType::Q8_0
                                             : KvType::F16;
    session.activations = options.activations == "f32"    ? Activations::F32
                          : options.activations == "int8" ? Activations::Int8
                                                          : Activations::Auto;
    session.isa = options.isa;
    return session;
}

Result<std::shared_ptr<const Model>> load_model(Invocation& invocation, const ModelOptions& options,
                                                Use use) {
    Console& console = invocation.console;
    ALCOVE_ASSIGN_OR_RETURN(const std::string path, resolve_model_path(invocation, options.model));
    Model::LoadOptions load;
    load.use_mmap = !options.no_mmap;
    if (options.ctx > 0 || use == Use::Chat) // else the command takes what it needs
        load.for_session = session_options(options);
    // The loader logs its warnings, which are given below as far as they matter; what sessions log
    // later is passed on.
    const auto loading = std::make_shared<bool>(true);
    const LogSink sink = console.log_sink(options.verbose);
    load.log = [loading, sink](LogLevel level, std::string_view area, std::string_view message) {
        if (!(*loading && level == LogLevel::Warning))
            sink(level, area, message);
    };
    load.on_progress = [&console](float fraction) {
        console.progress(fmt::format("Loading {:.0f} %", static_cast<double>(fraction) * 100));
    };
    auto model = Model::load(path, load, console.stop_token());
    *loading = false;
    console.progress({});
    if (!model)
        return model;
    for (const std::string& warning : (*model)->tokenizer().warnings())
        console.warning(warning);
    if (use == Use::Chat || options.verbose) {
        for (const std::string& warning : (*model)->info().warnings)
            console.warning(warning);
    }
    return model;
}

std::int32_t effective_threads(const ModelOptions& options) {
    return options.threads > 0 ? options.threads : default_threads();
}

} // namespace alcove::cli
