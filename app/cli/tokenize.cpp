#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "engine/format/gguf_file.h"
#include "engine/format/memory_map.h"
#include "engine/text/tokenizer.h"

#include <fmt/format.h>

// A vocabulary-only file has no tensors, so that these two commands read the tokenizer without
// building a model.
namespace alcove::cli {
namespace {

Result<std::shared_ptr<const Tokenizer>> load_tokenizer(Invocation& invocation,
                                                        const std::string& model) {
    ALCOVE_ASSIGN_OR_RETURN(const std::string path, resolve_model_path(invocation, model));
    ALCOVE_ASSIGN_OR_RETURN(const auto file, GgufFile::open(path));
    auto tokenizer = Tokenizer::load(*file);
    if (!tokenizer)
        return std::move(tokenizer).error();
    for (const std::string& warning : (*tokenizer)->warnings())
        invocation.console.warning(warning);
    return tokenizer;
}

Json tokens_json(const Tokenizer& tokenizer, std::string_view text, EncodeOptions options) {
    const std::vector<TokenId> ids = tokenizer.encode(text, options);
    Json pieces = Json::array();
    for (const TokenId id : ids)
        pieces.push_back(std::string(tokenizer.piece(id)));
    return {{"ids", ids}, {"pieces", std::move(pieces)}};
}

Result<std::string> from_hex(const std::string& hex) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size() + 1; i += 2) {
        if (i + 1 >= hex.size() || digit(hex[i]) < 0 || digit(hex[i + 1]) < 0)
            return Error{
                Errc::Format,
                fmt::format("text_hex is no hexadecimal at character {}, expected pairs of digits",
                            i)};
        bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    }
    return bytes;
}

Result<Json> tokenize_line(const Tokenizer& tokenizer, const Json& line) {
    std::string text;
    if (line.contains("text_hex")) {
        ALCOVE_ASSIGN_OR_RETURN(text, from_hex(line.at("text_hex").get<std::string>()));
    } else if (line.contains("text")) {
        text = line.at("text").get<std::string>();
    } else {
        return Error{Errc::Format, "the line has neither text nor text_hex"};
    }
    return tokens_json(tokenizer, text,
                       {.add_special = line.value("add_special", true),
                        .parse_special = line.value("parse_special", false)});
}

struct TokenizeOptions {
    std::string model, text, file, cases;
    bool no_special = false, parse_special = false, json = false;
};

Result<int> tokenize(Invocation& invocation, const TokenizeOptions& options, bool has_text) {
    ALCOVE_ASSIGN_OR_RETURN(const auto tokenizer, load_tokenizer(invocation, options.model));
    if (!options.cases.empty())
        return answer_cases(invocation.console, options.cases,
                            [&](const Json& line) { return tokenize_line(*tokenizer, line); });
    std::string text = options.text;
    if (!has_text) {
        ALCOVE_ASSIGN_OR_RETURN(text, read_text(options.file));
    }
    invocation.console.out(to_line(
        tokens_json(*tokenizer, text,
                    {.add_special = !options.no_special, .parse_special = options.parse_special})));
    return kDone;
}

Result<std::vector<TokenId>> ids_in_vocabulary(const Tokenizer& tokenizer,
                                               std::vector<TokenId> ids) {
    for (const TokenId id : ids) {
        if (id < 0 || id >= tokenizer.n_vocab())
            return Error{Errc::Tokenizer,
                         fmt::format("token {} is not in the vocabulary, expected 0 to {}", id,
                                     tokenizer.n_vocab() - 1)};
    }
    return ids;
}

Result<Json> detokenize_line(const std::shared_ptr<const Tokenizer>& tokenizer, const Json& line) {
    ALCOVE_ASSIGN_OR_RETURN(
        const std::vector<TokenId> ids,
        ids_in_vocabulary(*tokenizer, line.at("ids").get<std::vector<TokenId>>()));
    const bool special = line.value("special", false);
    if (!line.value("stream", false))
        return Json{{"text", tokenizer->decode(ids, special)}};
    TokenStream stream(tokenizer, special);
    std::string text;
    Json deltas = Json::array();
    for (const TokenId id : ids) {
        std::string delta = stream.push(id);
        text += delta;
        deltas.push_back(std::move(delta));
    }
    const std::string flush = stream.flush();
    return Json{{"text", text + flush}, {"deltas", std::move(deltas)}, {"flush", flush}};
}

struct DetokenizeOptions {
    std::string model, ids, file, cases;
    bool special = false, json = false;
};

Result<int> detokenize(Invocation& invocation, const DetokenizeOptions& options) {
    ALCOVE_ASSIGN_OR_RETURN(const auto tokenizer, load_tokenizer(invocation, options.model));
    if (!options.cases.empty())
        return answer_cases(invocation.console, options.cases,
                            [&](const Json& line) { return detokenize_line(tokenizer, line); });
    std::vector<TokenId> ids;
    if (options.file.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(ids, parse_ids(options.ids, "--ids"));
    } else {
        ALCOVE_ASSIGN_OR_RETURN(const std::string text, read_text(options.file));
        auto parsed = parse_ids(text, display_path(options.file));
        if (!parsed)
            return as_bad_input(parsed.error());
        ids = std::move(parsed).value();
    }
    ALCOVE_ASSIGN_OR_RETURN(ids, ids_in_vocabulary(*tokenizer, std::move(ids)));
    const std::string text = tokenizer->decode(ids, options.special);
    invocation.console.out(options.json ? to_line(Json{{"text", text}}) : text + "\n");
    return kDone;
}

} // namespace

CommandBody add_tokenize(CLI::App& command) {
    auto options = std::make_shared<TokenizeOptions>();
    add_model_option(command, options->model);
    auto* source = command.add_option_group("text");
    const auto* text = source->add_option("--text", options->text, "The text");
    source->add_option("-f,--file", options->file, "A file with the text (-: standard input)");
    source->add_option("--cases", options->cases,
                       "JSON Lines: {\"text\"|\"text_hex\",\"add_special\",\"parse_special\"}");
    source->require_option(1);
    command.add_flag("--no-special", options->no_special, "Add no BOS or EOS");
    command.add_flag("--parse-special", options->parse_special,
                     "The text of a control token becomes that token");
    command.add_flag("--json", options->json, "JSON Lines (always so)");
    return [options, text](Invocation& invocation) {
        return tokenize(invocation, *options, text->count() > 0);
    };
}

CommandBody add_detokenize(CLI::App& command) {
    auto options = std::make_shared<DetokenizeOptions>();
    add_model_option(command, options->model);
    auto* source = command.add_option_group("ids");
    source->add_option("--ids", options->ids, "Token ids: 1,2,3");
    source->add_option("-f,--file", options->file, "A file with token ids (-: standard input)");
    source->add_option("--cases", options->cases, "JSON Lines: {\"ids\",\"special\",\"stream\"}");
    source->require_option(1);
    command.add_flag("--special", options->special, "Write control tokens out");
    command.add_flag("--json", options->json, "Print {\"text\"}");
    return [options](Invocation& invocation) { return detokenize(invocation, *options); };
}

} // namespace alcove::cli
