#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "engine/format/gguf_file.h"
#include "engine/format/memory_map.h"
#include "engine/text/chat_template.h"
#include "engine/text/tokenizer.h"

#include <fmt/format.h>

#include <ctime>
#include <unordered_map>

namespace alcove::cli {
namespace {

const char* kind_name(TemplateErrorKind kind) {
    switch (kind) {
    case TemplateErrorKind::Raised:
        return "raised";
    case TemplateErrorKind::Undefined:
        return "undefined";
    case TemplateErrorKind::Security:
        return "security";
    case TemplateErrorKind::Syntax:
        return "syntax";
    case TemplateErrorKind::Runtime:
        break;
    }
    return "runtime";
}

Json error_json(const TemplateError& error) {
    return {{"error", error.message}, {"kind", kind_name(error.kind)}};
}

/// Compiles each template once: a cases file often uses few for many lines.
class TemplateCache {
public:
    Json render(const std::string& source, const Json& context, std::optional<std::int64_t> now) {
        auto found = compiled_.find(source);
        if (found == compiled_.end()) {
            if (compiled_.size() >= 256)
                compiled_.clear();
            found = compiled_.emplace(source, ChatTemplate::compile(source)).first;
        }
        if (const auto* error = std::get_if<TemplateError>(&found->second))
            return error_json(*error);
        const auto rendered =
            std::get<std::shared_ptr<const ChatTemplate>>(found->second)->render(context, now);
        if (const auto* error = std::get_if<TemplateError>(&rendered))
            return error_json(*error);
        return {{"text", std::get<ChatTemplate::Rendered>(rendered).text()}};
    }

private:
    std::unordered_map<std::string,
                       std::variant<std::shared_ptr<const ChatTemplate>, TemplateError>>
        compiled_;
};

/// Seconds since the epoch as a number, or "2026-03-09T14:05:07" (also with a space, also with a
/// Z).
Result<std::optional<std::int64_t>> read_now(const Json& line) {
    if (!line.contains("now") || line.at("now").is_null())
        return std::optional<std::int64_t>();
    const Json& now = line.at("now");
    if (now.is_number())
        return std::optional<std::int64_t>(static_cast<std::int64_t>(now.get<double>()));
    std::tm parts{};
    if (now.is_string()) {
        const auto text = now.get<std::string>();
        for (const char* format : {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"}) {
            const char* end = ::strptime(text.c_str(), format, &parts);
            if (end != nullptr && (*end == '\0' || *end == 'Z' || *end == '+' || *end == '.'))
                return std::optional<std::int64_t>(::timegm(&parts));
            parts = {};
        }
    }
    return Error{Errc::Format,
                 fmt::format("now is {}, expected seconds since 1970 or a date such as "
                             "2026-03-09T14:05:07",
                             now.dump(-1, ' ', false, Json::error_handler_t::replace))};
}

struct TemplateSource {
    std::string text;
    Json tokens = Json::object(); // bos_token and eos_token of a model
};

Result<TemplateSource> template_of_model(Invocation& invocation, const std::string& model) {
    ALCOVE_ASSIGN_OR_RETURN(const std::string path, resolve_model_path(invocation, model));
    ALCOVE_ASSIGN_OR_RETURN(const auto file, GgufFile::open(path));
    ALCOVE_ASSIGN_OR_RETURN(const auto text, file->get_string("tokenizer.chat_template"));
    if (!text.has_value())
        return Error{Errc::Template,
                     fmt::format("{}: the file has no chat template (tokenizer.chat_template)",
                                 display_path(path))};
    TemplateSource source{std::string(*text)};
    ALCOVE_ASSIGN_OR_RETURN(const auto tokenizer, Tokenizer::load(*file));
    if (tokenizer->bos() >= 0)
        source.tokens["bos_token"] = std::string(tokenizer->piece(tokenizer->bos()));
    if (tokenizer->eos() >= 0)
        source.tokens["eos_token"] = std::string(tokenizer->piece(tokenizer->eos()));
    return source;
}

Result<Json> template_line(TemplateCache& cache, const std::optional<TemplateSource>& fallback,
                           const Json& line) {
    std::string source;
    Json context = Json::object();
    if (line.contains("template") && line.at("template").is_string()) {
        source = line.at("template").get<std::string>();
    } else if (fallback.has_value()) {
        source = fallback->text;
        context = fallback->tokens;
    } else {
        return Error{Errc::Template,
                     "the line has no template, and neither --template nor -m was given"};
    }
    ALCOVE_ASSIGN_OR_RETURN(const auto now, read_now(line));
    // As transformers does: these are always defined, none where absent.
    context["messages"] = Json::array();
    context["tools"] = nullptr;
    context["documents"] = nullptr;
    context["add_generation_prompt"] = false;
    for (const auto& [key, value] : line.items()) {
        if (key != "template" && key != "now")
            context[key] = value;
    }
    return cache.render(source, context, now);
}

struct TemplateOptions {
    std::string cases, file, model;
    bool json = false;
};

Result<int> render_templates(Invocation& invocation, const TemplateOptions& options) {
    std::optional<TemplateSource> fallback;
    if (!options.file.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(std::string text, read_text(options.file));
        fallback = TemplateSource{std::move(text)};
    } else if (!options.model.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(fallback, template_of_model(invocation, options.model));
    }
    TemplateCache cache;
    return answer_cases(invocation.console, options.cases,
                        [&](const Json& line) { return template_line(cache, fallback, line); });
}

Result<int> render_snippets(Invocation& invocation, const std::string& cases) {
    TemplateCache cache;
    return answer_cases(invocation.console, cases, [&](const Json& line) -> Result<Json> {
        ALCOVE_ASSIGN_OR_RETURN(const auto now, read_now(line));
        const Json context = line.contains("context") ? line.at("context") : Json::object();
        if (!context.is_object())
            return Error{Errc::Format, fmt::format("context is a JSON {}, expected an object",
                                                   context.type_name())};
        return cache.render(line.at("template").get<std::string>(), context, now);
    });
}

} // namespace

CommandBody add_template(CLI::App& command) {
    auto options = std::make_shared<TemplateOptions>();
    command
        .add_option("--cases", options->cases,
                    "JSON Lines: {\"template\"?,\"messages\",\"tools\",…}")
        ->required();
    auto* file =
        command.add_option("--template", options->file, "The template of lines without one");
    add_model_option(command, options->model, false);
    command.get_option("--model")->excludes(file);
    command.add_flag("--json", options->json, "JSON Lines (always so)");
    return [options](Invocation& invocation) { return render_templates(invocation, *options); };
}

CommandBody add_jinja(CLI::App& command) {
    auto cases = std::make_shared<TemplateOptions>();
    command.add_option("--cases", cases->cases, "JSON Lines: {\"template\",\"context\"}")
        ->required();
    command.add_flag("--json", cases->json, "JSON Lines (always so)");
    return [cases](Invocation& invocation) { return render_snippets(invocation, cases->cases); };
}

} // namespace alcove::cli
