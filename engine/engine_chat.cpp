#include "engine/engine_model.h"

#include "engine/text/chat_template.h"

#include <exception>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace alcove {

namespace {

using Json = nlohmann::ordered_json;

/// The text of a message: a string, or the text parts of a list.
std::string content_text(const Json& message) {
    const auto content = message.find("content");
    if (content == message.end())
        return {};
    if (content->is_string())
        return content->get<std::string>();
    std::string text;
    if (content->is_array()) {
        for (const Json& part : *content) {
            if (part.is_object() && part.contains("text") && part["text"].is_string())
                text += part["text"].get<std::string>();
        }
    }
    return text;
}

/// ChatML, the most common form of a conversation, for files whose template is missing or fails.
TextSegments render_chatml(const Json& messages, bool add_generation_prompt) {
    TextSegments segments;
    const auto own = [&](std::string text) {
        if (!segments.empty() && !segments.back().from_data)
            segments.back().text += text;
        else
            segments.push_back({std::move(text), false});
    };
    for (const Json& message : messages) {
        own("<|im_start|>");
        segments.push_back({message.value("role", std::string("user")), true});
        own("\n");
        segments.push_back({content_text(message), true});
        own("<|im_end|>\n");
    }
    if (add_generation_prompt)
        own("<|im_start|>assistant\n");
    return segments;
}

Json template_variables(const Json& messages, const ChatOptions& options,
                        const Tokenizer& tokenizer) {
    const auto piece = [&](TokenId id) {
        return id >= 0 ? std::string(tokenizer.piece(id)) : std::string();
    };
    Json variables = Json::object();
    variables["messages"] = messages;
    variables["add_generation_prompt"] = options.add_generation_prompt;
    variables["bos_token"] = piece(tokenizer.bos());
    variables["eos_token"] = piece(tokenizer.eos());
    if (options.extra != nullptr && options.extra->is_object())
        variables.update(*options.extra);
    return variables;
}

Status check_messages(const Json& messages) {
    if (!messages.is_array())
        return Error{Errc::InvalidArgument,
                     fmt::format("the messages are a {}, expected an array", messages.type_name())};
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Json& message = messages[i];
        if (!message.is_object() || !message.contains("role") || !message["role"].is_string())
            return Error{Errc::InvalidArgument,
                         fmt::format("message {} has no role, expected an object with \"role\" and "
                                     "\"content\"",
                                     i)};
    }
    return ok();
}

} // namespace

Result<ChatPrompt> EngineModel::render_chat(const Json& messages,
                                            const ChatOptions& options) const {
    try {
        ALCOVE_RETURN_IF_ERROR(check_messages(messages));
        ChatPrompt prompt;
        ALCOVE_ASSIGN_OR_RETURN(const std::optional<std::string_view> source,
                                loaded_.file->get_string("tokenizer.chat_template"));
        std::string problem = "the file has no chat template";
        if (source) {
            auto compiled = ChatTemplate::compile(std::string(*source));
            if (const auto* error = std::get_if<TemplateError>(&compiled)) {
                problem = fmt::format("the template cannot be read ({})", error->message);
            } else {
                auto rendered = std::get<0>(compiled)->render(
                    template_variables(messages, options, *tokenizer_));
                if (auto* failed = std::get_if<TemplateError>(&rendered)) {
                    // What the template itself refuses is for the user to put right.
                    if (failed->kind == TemplateErrorKind::Raised)
                        return Error{Errc::Template, fmt::format("the chat template refuses the "
                                                                 "conversation: {}",
                                                                 failed->message)};
                    problem = fmt::format("the template failed ({})", failed->message);
                } else {
                    prompt.segments = std::move(std::get<0>(rendered).segments);
                    problem.clear();
                }
            }
        }
        if (!problem.empty()) {
            prompt.warnings.push_back(problem + "; using chatml instead");
            prompt.segments = render_chatml(messages, options.add_generation_prompt);
        }
        prompt.tokens = tokenizer_->encode_prompt(prompt.segments, /*add_special=*/true);
        return prompt;
    } catch (const std::bad_alloc&) {
        return Error{Errc::Memory, "memory ran out"};
    } catch (const std::exception& error) {
        return Error{Errc::Internal, fmt::format("unexpected failure: {}", error.what())};
    }
}

} // namespace alcove
