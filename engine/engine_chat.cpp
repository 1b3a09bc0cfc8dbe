#include "engine/engine_model.h"

#include "engine/text/chat_prompt.h"

#include <exception>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace alcove {

Result<ChatPrompt> EngineModel::render_chat(const nlohmann::ordered_json& messages,
                                            const ChatOptions& options) const {
    try {
        ChatRequest request;
        request.messages = &messages;
        request.extra = options.extra;
        request.add_generation_prompt = options.add_generation_prompt;
        ALCOVE_ASSIGN_OR_RETURN(RenderedChat rendered, chat_->render(request));
        ChatPrompt prompt;
        prompt.segments = std::move(rendered.segments);
        prompt.warnings = std::move(rendered.warnings);
        prompt.tokens = tokenizer_->encode_prompt(prompt.segments, /*add_special=*/true);
        return prompt;
    } catch (const std::bad_alloc&) {
        return Error{Errc::Memory, "memory ran out"};
    } catch (const std::exception& error) {
        return Error{Errc::Internal, fmt::format("unexpected failure: {}", error.what())};
    }
}

} // namespace alcove
