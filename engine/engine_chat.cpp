#include "engine/engine_model.h"

#include <exception>
#include <fmt/format.h>
#include <new>

namespace alcove {

Result<ChatPrompt> EngineModel::render_chat(const nlohmann::ordered_json& messages,
                                            const ChatOptions& options) const {
    try {
        ALCOVE_ASSIGN_OR_RETURN(
            RenderedChat rendered,
            chat_format_->render({.messages = &messages,
                                  .extra = options.extra,
                                  .add_generation_prompt = options.add_generation_prompt}));
        ChatPrompt prompt;
        prompt.segments = std::move(rendered.segments);
        prompt.warnings = std::move(rendered.warnings);
        // A template that writes the begin-of-text token itself gets no second one.
        prompt.tokens = tokenizer_->encode_prompt(prompt.segments, /*add_special=*/true);
        return prompt;
    } catch (const std::bad_alloc&) {
        return Error{Errc::Memory, "memory ran out"};
    } catch (const std::exception& error) {
        return Error{Errc::Internal, fmt::format("unexpected failure: {}", error.what())};
    }
}

} // namespace alcove
