#include "app/cli/command.h"
#include "app/cli/console.h"
#include "engine/format/mapping_guard.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <fmt/format.h>

#include <clocale>
#include <exception>
#include <new>
#include <vector>

namespace alcove::cli {
namespace {

struct Command {
    const char* name;
    const char* description;
    CommandBody (*add)(CLI::App& command);
};

// The one list of commands, in the order of --help.
constexpr Command kCommands[] = {
    {"run", "Completes a text", &add_run},
    {"chat", "Converses, with the model's own chat template", &add_chat},
    {"tokenize", "Text to token ids", &add_tokenize},
    {"detokenize", "Token ids to text", &add_detokenize},
    {"template", "Renders chat templates", &add_template},
    {"jinja", "Renders template snippets", &add_jinja},
    {"logits", "Forward pass over tokens", &add_logits},
    {"embed", "Vectors of texts", &add_embed},
    {"perplexity", "Perplexity of a model over a text", &add_perplexity},
    {"grammar", "Judges texts by a grammar or a JSON Schema", &add_grammar},
    {"sample", "Applies a sampling chain to given logits", &add_sample},
    {"inspect", "What is in a model file, and whether it runs", &add_inspect},
    {"dequantize", "Raw blocks of weights to raw float32", &add_dequantize},
    {"bench", "Measures reading and writing speed", &add_bench},
    {"cpu", "What the processor offers and what is used of it", &add_cpu},
    {"adapter", "Checks adapters and keeps the list of them", &add_adapter},
    {"model", "The models of the library", &add_model},
    {"chats", "The conversations of the data folder", &add_chats},
};

int fail(Console& console, const Error& error) {
    console.discard();
    const int status = exit_status(error);
    console.note(status == kInterrupted ? std::string("interrupted")
                                        : fmt::format("alcove-cli: {}", error.message));
    return status;
}

int run_command(Console& console, Invocation& invocation, const CommandBody& body) {
    try {
        const Result<int> status = body(invocation);
        if (!status && console.reader_gone())
            return kDone;
        if (!status)
            return fail(console, status.error());
        console.flush();
        return *status;
    } catch (const std::bad_alloc&) {
        return fail(console, {Errc::Memory, "memory is not enough"});
    } catch (const std::exception& exception) {
        return fail(console,
                    {Errc::Internal, fmt::format("unexpected failure: {}", exception.what())});
    }
}

int parse_and_run(Console& console, int argc, char** argv) {
    CLI::App app{"Alcove on the command line: language models on this computer's own processor.",
                 "alcove-cli"};
    Invocation invocation{console, {}};
    app.set_version_flag("--version", "alcove-cli " ALCOVE_VERSION);
    app.add_option("--data", invocation.data_option,
                   "Data folder (else ALCOVE_DATA, else the platform's)");
    app.require_subcommand(1);
    app.fallthrough();
    std::vector<std::pair<CLI::App*, CommandBody>> bodies;
    for (const Command& command : kCommands) {
        CLI::App* sub = app.add_subcommand(command.name, command.description);
        bodies.emplace_back(sub, command.add(*sub));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        console.out(app.help());
        console.flush();
        return kDone;
    } catch (const CLI::CallForVersion& version) {
        console.out(fmt::format("{}\n", version.what()));
        console.flush();
        return kDone;
    } catch (const CLI::ParseError& error) {
        const auto used = app.get_subcommands();
        const auto rest = app.remaining(true);
        const bool unknown =
            error.get_name() == "RequiredError" && !rest.empty() && !rest.front().starts_with('-');
        console.note(unknown ? fmt::format("alcove-cli: there is no command \"{}{}\"",
                                           used.empty() ? "" : used.front()->get_name() + " ",
                                           rest.front())
                             : fmt::format("alcove-cli: {}", error.what()));
        console.note(fmt::format("Try: alcove-cli {}--help",
                                 used.empty() ? "" : used.front()->get_name() + " "));
        return kWrongUsage;
    }
    for (const auto& [sub, body] : bodies) {
        if (sub->parsed())
            return run_command(console, invocation, body);
    }
    return kWrongUsage;
}

} // namespace

int exit_status(const Error& error) {
    switch (error.code) {
    case Errc::Cancelled:
        return kInterrupted;
    case Errc::InvalidArgument:
        return kWrongUsage;
    default:
        return kBadInput;
    }
}

Error as_bad_input(Error error) {
    if (error.code == Errc::InvalidArgument)
        error.code = Errc::Format;
    return error;
}

} // namespace alcove::cli

int main(int argc, char** argv) {
    alcove::cli::Console console;
    alcove::install_mapping_guard();
    const QCoreApplication application(argc, argv);
    // Qt takes the user's locale, which may write numbers with a comma: options and files do not.
    std::setlocale(LC_NUMERIC, "C");
    return alcove::cli::parse_and_run(console, argc, argv);
}
