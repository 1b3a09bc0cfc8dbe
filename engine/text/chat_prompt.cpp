#include "engine/text/chat_prompt.h"

#include "engine/format/gguf_file.h"
#include "engine/text/chat_fallbacks.h"
#include "engine/text/tokenizer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace alcove {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_key(const GgufFile& file, std::string_view key) {
    const auto found = file.get_string(key);
    return found && found->has_value() ? std::string(**found) : std::string();
}

std::vector<std::pair<std::string, std::string>> special_tokens_of(const GgufFile& file,
                                                                   const Tokenizer& tokenizer) {
    std::vector<std::pair<std::string, std::string>> out;
    const auto add = [&](const char* name, std::int64_t id) {
        if (id >= 0 && id < tokenizer.n_vocab())
            out.emplace_back(name, tokenizer.piece(static_cast<TokenId>(id)));
    };
    const auto id_of = [&](std::string_view key) -> std::int64_t {
        const auto found = file.get_u64(key);
        return found && found->has_value() && **found < (1U << 30U)
                   ? static_cast<std::int64_t>(**found)
                   : -1;
    };
    add("bos_token", tokenizer.bos());
    add("eos_token", tokenizer.eos());
    add("pad_token", id_of("tokenizer.ggml.padding_token_id"));
    add("unk_token", id_of("tokenizer.ggml.unknown_token_id"));
    return out;
}

/// The text of a list of parts. Fails for a part that is not text.
Result<std::string> joined_parts(const Json& parts, std::size_t message) {
    std::string out;
    for (const Json& part : parts) {
        if (part.is_string()) {
            out += part.get_ref<const std::string&>();
            continue;
        }
        const auto text = part.is_object() ? part.find("text") : part.end();
        if (!part.is_object() || text == part.end() || !text->is_string())
            return Error{Errc::InvalidArgument,
                         fmt::format("message {} has a part of type {}, expected text", message,
                                     part.is_object() && part.contains("type") ? part["type"].dump()
                                                                               : part.type_name())};
        out += text->get_ref<const std::string&>();
    }
    return out;
}

/// Checks the messages and puts "" in place of contents that are null or missing.
Result<Json> normalised(const Json& messages) {
    if (!messages.is_array())
        return Error{Errc::InvalidArgument,
                     fmt::format("the messages are of type {}, expected an array", messages.type_name())};
    Json out = messages;
    for (std::size_t i = 0; i < out.size(); ++i) {
        Json& message = out[i];
        if (!message.is_object() || !message.contains("role") || !message["role"].is_string())
            return Error{
                Errc::InvalidArgument,
                fmt::format("message {} has no role, expected an object with role and content", i)};
        Json& content = message["content"];
        if (content.is_null()) {
            content = "";
        } else if (content.is_array()) {
            const Result<std::string> text = joined_parts(content, i);
            if (!text)
                return text.error();
        } else if (!content.is_string()) {
            return Error{Errc::InvalidArgument,
                         fmt::format("message {} has a content of type {}, expected text or a list "
                                     "of text parts",
                                     i, content.type_name())};
        }
    }
    return out;
}

bool has_lists(const Json& messages) {
    return std::any_of(messages.begin(), messages.end(),
                       [](const Json& message) { return message["content"].is_array(); });
}

void join_lists(Json& messages) {
    for (Json& message : messages)
        if (message["content"].is_array())
            message["content"] = joined_parts(message["content"], 0).value_or(std::string());
}

bool is_system(const Json& message) {
    return message["role"] == "system" || message["role"] == "developer";
}

/// Puts the leading system messages before the first user message; false where there is none of
/// either.
bool merge_system(Json& messages) {
    std::string system;
    std::size_t n = 0;
    for (; n < messages.size() && is_system(messages[n]); ++n) {
        const Json& content = messages[n]["content"];
        system += content.is_string() ? content.get_ref<const std::string&>()
                                      : joined_parts(content, n).value_or(std::string());
        system += "\n\n";
    }
    if (n == 0 || n >= messages.size() || messages[n]["role"] != "user")
        return false;
    Json& content = messages[n]["content"];
    if (content.is_string())
        content = system + content.get_ref<const std::string&>();
    else
        content.insert(content.begin(), Json{{"type", "text"}, {"text", system}});
    messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(n));
    return true;
}

/// A sentence about roles that do not take turns, or empty.
std::string alternation_problem(const Json& messages) {
    std::size_t first = 0;
    while (first < messages.size() && is_system(messages[first]))
        ++first;
    if (first < messages.size() && messages[first]["role"] == "assistant")
        return fmt::format("message {} is the model's, expected the user's first", first + 1);
    for (std::size_t i = first + 1; i < messages.size(); ++i) {
        if (messages[i]["role"] == messages[i - 1]["role"] && messages[i]["role"] != "tool")
            return fmt::format(
                "messages {} and {} are both of the role {}, expected the roles to take turns", i,
                i + 1, messages[i]["role"].get_ref<const std::string&>());
    }
    return {};
}

} // namespace

/// What one rendering gave.
struct ChatFormat::Attempt {
    std::optional<TextSegments> segments;
    TemplateError error;
    bool raised() const { return !segments && error.kind == TemplateErrorKind::Raised; }
};

std::shared_ptr<const ChatFormat> ChatFormat::load(const GgufFile& file, const Tokenizer& tokenizer,
                                                   std::optional<std::string> override_template) {
    ChatFormatSources sources;
    if (override_template) {
        sources.chat_template = *std::move(override_template);
    } else {
        sources.chat_template = text_of_key(file, "tokenizer.chat_template");
        sources.tool_use_template = text_of_key(file, "tokenizer.chat_template.tool_use");
        sources.rag_template = text_of_key(file, "tokenizer.chat_template.rag");
        if (sources.chat_template.empty())
            sources.chat_template = text_of_key(file, "tokenizer.chat_template.default");
    }
    sources.special_tokens = special_tokens_of(file, tokenizer);
    sources.fallback = choose_chat_fallback(
        text_of_key(file, "general.architecture"), text_of_key(file, "general.name"),
        [&](std::string_view token) { return tokenizer.find(token) >= 0; });
    return make(std::move(sources));
}

std::shared_ptr<const ChatFormat> ChatFormat::make(ChatFormatSources sources) {
    auto format = std::shared_ptr<ChatFormat>(new ChatFormat);
    format->special_tokens_ = std::move(sources.special_tokens);
    const ChatFallback* fallback = find_chat_fallback(sources.fallback);
    if (fallback == nullptr)
        fallback = find_chat_fallback("chatml");
    format->fallback_name_ = fallback->name;
    format->fallback_ = format->compile(std::string(fallback->source), format->fallback_name_);
    ALCOVE_CHECK(format->fallback_.compiled != nullptr, "built-in templates can be read");
    format->main_ = format->compile(std::move(sources.chat_template), "template");
    format->tool_use_ = format->compile(std::move(sources.tool_use_template), "template tool_use");
    format->rag_ = format->compile(std::move(sources.rag_template), "template rag");
    return format;
}

std::string_view ChatFormat::source() const {
    return main_.compiled != nullptr ? main_.compiled->source() : fallback_.compiled->source();
}

ChatFormat::Entry ChatFormat::compile(std::string source, std::string format) const {
    Entry entry;
    entry.format = std::move(format);
    if (source.empty()) {
        entry.problem = "this model's file has no chat template";
        return entry;
    }
    auto compiled = ChatTemplate::compile(std::move(source));
    if (const auto* error = std::get_if<TemplateError>(&compiled)) {
        entry.problem = fmt::format("the chat template cannot be read ({})", error->message);
        return entry;
    }
    entry.compiled = std::get<0>(compiled);
    // Whether a list of parts comes out as its text, not as what Python prints for a list.
    const Json messages =
        Json::array({{{"role", "user"},
                      {"content", Json::array({{{"type", "text"}, {"text", "probe-text"}}})}}});
    ChatRequest request;
    request.messages = &messages;
    request.now = 0;
    const Attempt probe = try_render(entry, variables_for(request), request);
    if (probe.segments) {
        const std::string text = ChatTemplate::Rendered{*probe.segments}.text();
        entry.walks_lists = text.find("probe-text") != std::string::npos &&
                            text.find("'type'") == std::string::npos &&
                            text.find("\"type\"") == std::string::npos;
    }
    return entry;
}

Json ChatFormat::variables_for(const ChatRequest& request) const {
    Json variables = Json::object();
    for (const auto& [name, text] : special_tokens_)
        variables[name] = text;
    variables["messages"] = *request.messages;
    variables["tools"] = nullptr;
    variables["documents"] = nullptr;
    variables["add_generation_prompt"] = request.add_generation_prompt;
    if (request.extra != nullptr && request.extra->is_object())
        for (const auto& [name, value] : request.extra->items())
            variables[name] = value;
    return variables;
}

const ChatFormat::Entry& ChatFormat::choose(const Json& variables) const {
    const auto given = [&](const char* name) {
        return variables[name].is_array() && !variables[name].empty();
    };
    if (given("tools") && tool_use_.compiled != nullptr)
        return tool_use_;
    if (given("documents") && rag_.compiled != nullptr)
        return rag_;
    return main_;
}

ChatFormat::Attempt ChatFormat::try_render(const Entry& entry, const Json& variables,
                                           const ChatRequest& request) const {
    Attempt out;
    auto result = entry.compiled->render(variables, request.now);
    if (auto* error = std::get_if<TemplateError>(&result))
        out.error = std::move(*error);
    else
        out.segments = std::move(std::get<ChatTemplate::Rendered>(result).segments);
    return out;
}

ChatFormat::Attempt ChatFormat::try_adapted(const Entry& entry, Json variables,
                                            const ChatRequest& request,
                                            std::vector<std::string>& notes) const {
    if (!entry.walks_lists && has_lists(variables["messages"])) {
        join_lists(variables["messages"]);
        notes.emplace_back("the template knows text only; the parts of each message were joined");
    }
    Attempt attempt = try_render(entry, variables, request);
    if (!attempt.segments && !attempt.raised() && variables["tools"].is_null()) {
        Json with_tools = variables;
        with_tools["tools"] = Json::array();
        Attempt again = try_render(entry, with_tools, request);
        if (again.segments || again.raised()) {
            variables = std::move(with_tools);
            attempt = std::move(again);
        }
    }
    if (!attempt.segments && merge_system(variables["messages"])) {
        Attempt again = try_render(entry, variables, request);
        if (again.segments) {
            notes.emplace_back(
                "the template takes no system message; it was put before the first user message");
            return again;
        }
    }
    return attempt;
}

Result<RenderedChat> ChatFormat::render(const ChatRequest& request) const {
    ALCOVE_CHECK(request.messages != nullptr, "a request has messages");
    ALCOVE_ASSIGN_OR_RETURN(const Json messages, normalised(*request.messages));
    Json variables = variables_for(request);
    variables["messages"] = messages;

    RenderedChat out;
    const Entry& entry = choose(variables);
    std::string problem = entry.problem;
    if (entry.compiled != nullptr) {
        Attempt attempt = try_adapted(entry, variables, request, out.notes);
        if (attempt.segments) {
            out.segments = *std::move(attempt.segments);
            out.format = entry.format;
            return out;
        }
        if (attempt.raised()) {
            const std::string turns = alternation_problem(messages);
            return Error{Errc::Template,
                         fmt::format("the model's chat template refuses this conversation: {}{}",
                                     attempt.error.message,
                                     turns.empty() ? std::string() : fmt::format(" ({})", turns))};
        }
        problem = fmt::format("the chat template failed ({})", attempt.error.message);
        out.notes.clear();
    }
    out.warnings.push_back(
        fmt::format("{}; the built-in format {} is used instead", problem, fallback_name_));
    out.format = fallback_name_;
    join_lists(variables["messages"]);
    Attempt attempt = try_render(fallback_, variables, request);
    if (!attempt.segments)
        return Error{Errc::Template, fmt::format("the built-in format {} failed: {}",
                                                 fallback_name_, attempt.error.message)};
    out.segments = *std::move(attempt.segments);
    return out;
}

} // namespace alcove
