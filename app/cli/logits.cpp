#include "app/cli/adapter_options.h"
#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace alcove::cli {
namespace {

struct LogitsOptions {
    ModelOptions model;
    std::string tokens, tokens_file, out, hidden, dump_nodes;
    std::string positions = "all";
    bool per_token = false;
    bool json = false;
};

Status write_floats(const std::filesystem::path& path, std::span<const float> values) {
    return write_file_atomically(path, std::as_bytes(values));
}

Result<std::vector<TokenId>> read_tokens(const LogitsOptions& options) {
    std::vector<TokenId> tokens;
    std::string what = "--tokens";
    if (options.tokens_file.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(tokens, parse_ids(options.tokens, what));
    } else {
        what = display_path(options.tokens_file);
        ALCOVE_ASSIGN_OR_RETURN(const std::string text, read_text(options.tokens_file));
        auto parsed = parse_ids(text, what);
        if (!parsed)
            return as_bad_input(parsed.error());
        tokens = std::move(parsed).value();
    }
    if (tokens.empty())
        return Error{Errc::Format,
                     fmt::format("{}: there are no token ids, expected at least one", what)};
    return tokens;
}

/// A node's name as a file name: nothing in it leads out of the folder.
std::string file_name(const std::string& node) {
    std::string name = node;
    for (char& c : name) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
        if (!plain)
            c = '_';
    }
    return name + ".f32";
}

Result<Json> write_nodes(const std::string& folder, const std::vector<Session::Node>& nodes) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure)
        return Error{Errc::Io, fmt::format("{}: the folder cannot be made: {}",
                                           display_path(folder), failure.message())};
    Json shapes = Json::object();
    for (const Session::Node& node : nodes) {
        ALCOVE_RETURN_IF_ERROR(
            write_floats(std::filesystem::path(folder) / file_name(node.name), node.values));
        shapes[node.name] = {node.n_rows, node.n_cols};
    }
    return shapes;
}

std::vector<TokenId> best_of_rows(const Session::Evaluation& evaluation) {
    std::vector<TokenId> best;
    const auto n_vocab = static_cast<std::ptrdiff_t>(evaluation.n_vocab);
    for (std::ptrdiff_t row = 0; row < evaluation.rows; ++row) {
        const auto begin = evaluation.logits.begin() + row * n_vocab;
        best.push_back(static_cast<TokenId>(std::max_element(begin, begin + n_vocab) - begin));
    }
    return best;
}

Result<int> logits(Invocation& invocation, LogitsOptions options) {
    ALCOVE_ASSIGN_OR_RETURN(const std::vector<TokenId> tokens, read_tokens(options));
    ALCOVE_ASSIGN_OR_RETURN(const auto model, load_model(invocation, options.model));
    for (const TokenId id : tokens) {
        if (id >= model->info().n_vocab)
            return Error{Errc::Tokenizer,
                         fmt::format("token {} is not in the model's vocabulary, expected 0 to {}",
                                     id, model->info().n_vocab - 1)};
    }
    if (options.model.ctx == 0) // just what is needed
        options.model.ctx = static_cast<std::int32_t>(tokens.size());
    ALCOVE_ASSIGN_OR_RETURN(const auto session, create_session(invocation, model, options.model));
    Session::EvaluateOptions evaluate;
    evaluate.all_logits = options.positions == "all";
    evaluate.per_token = options.per_token;
    evaluate.keep_nodes = !options.dump_nodes.empty();
    ALCOVE_ASSIGN_OR_RETURN(const auto evaluation,
                            session->evaluate(tokens, evaluate, invocation.console.stop_token()));

    Json result{{"shape", {evaluation.rows, evaluation.n_vocab}},
                {"argmax", best_of_rows(evaluation)}};
    if (!options.dump_nodes.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(result["nodes"], write_nodes(options.dump_nodes, evaluation.nodes));
    }
    if (!options.hidden.empty()) {
        ALCOVE_RETURN_IF_ERROR(write_floats(options.hidden, evaluation.hidden_last));
        result["hidden_shape"] = {evaluation.hidden_last.size()};
    }
    if (!options.out.empty())
        ALCOVE_RETURN_IF_ERROR(write_floats(options.out, evaluation.logits));
    invocation.console.out(to_line(result));
    return kDone;
}

} // namespace

CommandBody add_logits(CLI::App& command) {
    auto options = std::make_shared<LogitsOptions>();
    add_model_options(command, options->model);
    auto* source = command.add_option_group("tokens");
    source->add_option("--tokens", options->tokens, "Token ids: 1,2,3 (fed as they are)");
    source->add_option("--tokens-file", options->tokens_file,
                       "A file with token ids (-: standard input)");
    source->require_option(1);
    command.add_option("--out", options->out, "Logits as raw float32, [rows, vocabulary]");
    command.add_option("--positions", options->positions, "all or last")
        ->check(CLI::IsMember({"all", "last"}))
        ->capture_default_str();
    command.add_option("--hidden", options->hidden,
                       "Last position after the final norm, as raw float32");
    command.add_flag("--per-token", options->per_token, "One token at a time");
    command.add_option("--dump-nodes", options->dump_nodes,
                       "Folder for named intermediate tensors");
    command.add_flag("--json", options->json, "Print the shapes as JSON (always so)");
    return [options](Invocation& invocation) { return logits(invocation, *options); };
}

} // namespace alcove::cli
