// Templates come with models: any source must end in a text or an error, within its limits. The
// first line of the input is a message that the template gets; the rest is the template.
#include "engine/text/chat_template.h"
#include "engine/text/reasoning.h"
#include "engine/text/tool_calls.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace alcove;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(input.find('\n'), input.size());
    const std::string message(input.substr(0, line));
    const std::string source(input.substr(std::min(line + 1, input.size())));

    TemplateLimits limits;
    limits.max_steps = 100'000;
    limits.max_output_bytes = 1U << 20U;
    limits.max_value_bytes = 16U << 20U;
    const auto compiled = ChatTemplate::compile(source, limits);
    if (const auto* engine = std::get_if<std::shared_ptr<const ChatTemplate>>(&compiled)) {
        nlohmann::ordered_json context;
        context["bos_token"] = "<s>";
        context["tools"] = nullptr;
        context["n"] = 7;
        context["add_generation_prompt"] = true;
        context["messages"] =
            nlohmann::ordered_json::array({{{"role", "user"}, {"content", message}}});
        const auto rendered = (*engine)->render(context, 0);
        if (const auto* done = std::get_if<ChatTemplate::Rendered>(&rendered)) {
            for (std::size_t i = 1; i < done->segments.size(); ++i)
                if (done->segments[i].from_data == done->segments[i - 1].from_data ||
                    done->segments[i].text.empty())
                    std::abort();
        }
    }

    // Answers come from models: splitting them loses nothing and needs no closing marks.
    ReasoningSplitter splitter;
    splitter.push(input);
    splitter.finish();
    for (const ToolFormat format : {ToolFormat::Hermes, ToolFormat::Llama3, ToolFormat::Mistral,
                                    ToolFormat::Granite, ToolFormat::Gemma, ToolFormat::Lfm2})
        if (parse_tool_calls(input, format).text.size() > input.size())
            std::abort();
    return 0;
}
