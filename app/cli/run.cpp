#include "app/cli/adapter_options.h"
#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "app/cli/sampling_options.h"

#include <fmt/format.h>

namespace alcove::cli {
namespace {

struct RunOptions {
    ModelOptions model;
    SamplingOptions sampling;
    std::string prompt, file;
    bool ids = false;
    bool json = false;
};

Result<int> run(Invocation& invocation, const RunOptions& options) {
    Console& console = invocation.console;
    ALCOVE_ASSIGN_OR_RETURN(GenerateRequest request, generate_request(options.sampling));
    std::string text = options.prompt;
    if (!options.file.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(text, read_text(options.file));
    }
    ALCOVE_ASSIGN_OR_RETURN(const auto model, load_model(invocation, options.model));
    request.prompt = model->tokenizer().encode(text, {.add_special = true, .parse_special = false});
    if (request.prompt.empty())
        return Error{Errc::Tokenizer,
                     fmt::format("the prompt has no tokens{}, expected at least one",
                                 options.file.empty() ? "" : " (" + options.file + ")")};
    ALCOVE_ASSIGN_OR_RETURN(const auto session, create_session(invocation, model, options.model));

    const bool streams = !options.json && !options.ids;
    GenerateCallbacks callbacks;
    if (streams) {
        callbacks.on_text = [&console](std::string_view piece, TokenId) {
            console.out(piece);
            console.flush();
        };
    }
    callbacks.on_progress = [&console](const GenerateStats& stats) {
        if (stats.generated_tokens == 0)
            console.progress(fmt::format("Reading {} of {} tokens",
                                         stats.cached_tokens + stats.prefilled_tokens,
                                         stats.prompt_tokens));
        else
            console.progress({});
    };
    ALCOVE_ASSIGN_OR_RETURN(const GenerateResult result,
                            session->generate(request, callbacks, console.stop_token()));
    console.progress({});
    if (result.finish == FinishReason::Error)
        return Error{Errc::Numeric, result.finish_detail};
    if (options.json)
        console.out(to_line(answer_json(result, request.sampling.seed)));
    else if (options.ids)
        console.out(ids_text(result.ids) + "\n");
    else if (console.output_is_terminal())
        console.out("\n");
    console.flush();
    if (result.finish == FinishReason::Context)
        console.note(result.finish_detail);
    if (options.model.verbose)
        console.note(fmt::format(
            "{} tokens read at {:.1f} tok/s, {} written at {:.1f} tok/s, first after {:.0f} ms",
            result.stats.prefilled_tokens, result.stats.prefill_tokens_per_second(),
            result.stats.generated_tokens, result.stats.decode_tokens_per_second(),
            result.stats.first_token_seconds * 1000));
    return console.interrupted() ? kInterrupted : kDone;
}

} // namespace

CommandBody add_run(CLI::App& command) {
    auto options = std::make_shared<RunOptions>();
    add_model_options(command, options->model);
    auto* source = command.add_option_group("prompt");
    source->add_option("-p,--prompt", options->prompt, "Text to complete");
    source->add_option("-f,--file", options->file, "File with the text (-: standard input)");
    source->require_option(1);
    add_sampling_options(command, options->sampling);
    command.add_flag("--ids", options->ids, "Print the token ids instead of the text");
    command.add_flag("--json", options->json, "Print one JSON document");
    return [options](Invocation& invocation) { return run(invocation, *options); };
}

} // namespace alcove::cli
