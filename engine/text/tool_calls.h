#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {

/// How a model writes the calls of tools.
enum class ToolFormat : std::uint8_t {
    None, ///< the model knows no tools
    Hermes, ///< <tool_call>{"name": …, "arguments": {…}}</tool_call>, or Qwen3-Coder's <function=…>
            ///< inside
    Llama3, ///< {"name": …, "parameters": {…}} as the whole answer, perhaps behind <|python_tag|>
    Mistral, ///< [TOOL_CALLS][{"name": …, "arguments": {…}}, …] or [TOOL_CALLS]name[ARGS]{…}
    Granite, ///< <|tool_call|>[{"name": …, "arguments": {…}}, …]
    Gemma,   ///< <|tool_call>call:name{key:<|"|>text<|"|>,other:5}<tool_call|>
    Lfm2,    ///< <|tool_call_start|>[name(key="text", other=5)]<|tool_call_end|>
};
std::string_view tool_format_name(ToolFormat format); ///< "hermes", …; "none"

/// The format that a chat template teaches, told by the marks it writes.
ToolFormat detect_tool_format(std::string_view template_source);

struct ToolCall {
    std::string id; ///< as the model gave it; empty for formats without
    std::string name;
    nlohmann::ordered_json arguments = nlohmann::ordered_json::object(); ///< an object
    std::size_t begin = 0, end = 0; ///< bytes of the answer that the call with its marks takes
};

struct ParsedAnswer {
    std::string text; ///< the answer without its calls
    std::vector<ToolCall> calls;
};

/// Finds the calls in an answer. The answer's text has the marks as the model wrote them (control
/// tokens included, see Tokenizer::decode with `special`). What looks like a call but is not
/// complete, and marks inside code or reasoning, stay text; the closing mark alone may be missing
/// at the very end, since it ends the answer in some models. Never fails. Values nest at most 100
/// deep.
ParsedAnswer parse_tool_calls(std::string_view answer, ToolFormat format);

/// A message of the assistant that made `calls`, as chat templates take it.
nlohmann::ordered_json tool_call_message(const ParsedAnswer& answer);
/// The message that gives the result of a call back. Its content is data like any other.
nlohmann::ordered_json tool_result_message(const ToolCall& call, std::string_view result);

} // namespace alcove
