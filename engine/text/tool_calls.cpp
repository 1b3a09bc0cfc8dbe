#include "engine/text/tool_calls.h"

#include "engine/text/code_scan.h"
#include "engine/text/reasoning.h"
#include "engine/text/tool_values.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace alcove {
namespace {

using namespace tool_values;
using Calls = std::optional<std::vector<ToolCall>>;

/// Reads what stands at `pos` behind a format's opening mark; moves `pos` behind the closing one.
using ReadCalls = Calls (*)(std::string_view text, std::size_t& pos);

/// The closing mark, which may be missing at the end of the answer.
bool take_end(std::string_view text, std::size_t& pos, std::string_view mark) {
    skip_spaces(text, pos);
    return pos >= text.size() || take(text, pos, mark);
}

/// Arguments as an object; models also write them as JSON in a string.
std::optional<Json> as_arguments(const Json& value) {
    if (value.is_object())
        return value;
    if (value.is_null())
        return Json::object();
    if (!value.is_string())
        return {};
    const std::string& inside = value.get_ref<const std::string&>();
    std::size_t pos = 0;
    skip_spaces(inside, pos);
    if (pos == inside.size())
        return Json::object();
    auto parsed = take_json(inside, pos);
    return parsed && parsed->is_object() ? parsed : std::nullopt;
}

/// {"name": …, "arguments" or "parameters": …}, perhaps inside of {"function": …}.
std::optional<ToolCall> call_from_json(const Json& json) {
    if (!json.is_object())
        return {};
    const bool wrapped = json.contains("function") && json["function"].is_object();
    const Json& function = wrapped ? json["function"] : json;
    const auto name = function.find("name");
    if (name == function.end() || !name->is_string() || name->get_ref<const std::string&>().empty())
        return {};
    ToolCall call;
    call.name = name->get<std::string>();
    for (const char* key : {"arguments", "parameters"}) {
        const auto found = function.find(key);
        if (found == function.end())
            continue;
        auto arguments = as_arguments(*found);
        if (!arguments)
            return {};
        call.arguments = *std::move(arguments);
        break;
    }
    for (const char* key : {"id", "tool_call_id"})
        if (const auto id = json.find(key); id != json.end() && id->is_string())
            call.id = id->get<std::string>();
    return call;
}

/// One call or a list of them.
Calls calls_from_json(const Json& json) {
    std::vector<ToolCall> out;
    const auto add = [&](const Json& one) {
        auto call = call_from_json(one);
        if (call)
            out.push_back(*std::move(call));
        return call.has_value();
    };
    if (json.is_array() ? !std::all_of(json.begin(), json.end(), add) : !add(json))
        return {};
    return out.empty() ? Calls() : Calls(std::move(out));
}

/// Qwen3-Coder: <function=name><parameter=key>value</parameter>…</function>. Values are JSON if
/// they read as such.
std::optional<ToolCall> take_function_tags(std::string_view text, std::size_t& pos) {
    ToolCall call;
    call.name = take_name(text, pos);
    if (call.name.empty() || !take(text, pos, ">"))
        return {};
    for (skip_spaces(text, pos); take(text, pos, "<parameter="); skip_spaces(text, pos)) {
        const std::string key(take_name(text, pos));
        const std::size_t end = text.find("</parameter>", pos);
        if (key.empty() || !take(text, pos, ">") || end == std::string_view::npos)
            return {};
        std::string_view value = text.substr(pos, end - pos);
        if (!value.empty() && value.front() == '\n')
            value.remove_prefix(1);
        if (!value.empty() && value.back() == '\n')
            value.remove_suffix(1);
        Json parsed;
        std::size_t at = 0;
        if (!value.empty() && (value[0] == '{' || value[0] == '[')) {
            auto nested = take_json(value, at);
            parsed = nested && at == value.size() ? *std::move(nested) : Json(std::string(value));
        } else {
            parsed = Json::parse(value, nullptr, false);
            if (parsed.is_discarded() || parsed.is_string())
                parsed = std::string(value);
        }
        call.arguments[key] = std::move(parsed);
        pos = end + std::string_view("</parameter>").size();
    }
    if (!take_end(text, pos, "</function>"))
        return {};
    return call;
}

Calls read_hermes(std::string_view text, std::size_t& pos) {
    skip_spaces(text, pos);
    Calls calls;
    if (take(text, pos, "<function=")) {
        if (auto call = take_function_tags(text, pos))
            calls = std::vector{*std::move(call)};
    } else if (auto json = take_json(text, pos)) {
        calls = calls_from_json(*json);
    }
    return calls && take_end(text, pos, "</tool_call>") ? std::move(calls) : Calls();
}

Calls read_mistral(std::string_view text, std::size_t& pos) {
    skip_spaces(text, pos);
    if (pos < text.size() && text[pos] == '[') {
        auto json = take_json(text, pos);
        return json ? calls_from_json(*json) : Calls();
    }
    ToolCall call;
    call.name = take_name(text, pos);
    if (call.name.empty())
        return {};
    if (take(text, pos, "[CALL_ID]"))
        call.id = take_name(text, pos);
    take(text, pos, "[ARGS]");
    skip_spaces(text, pos);
    const auto json = take_json(text, pos);
    if (!json || !json->is_object())
        return {};
    call.arguments = *json;
    return std::vector{std::move(call)};
}

Calls read_granite(std::string_view text, std::size_t& pos) {
    skip_spaces(text, pos);
    auto json = take_json(text, pos);
    return json ? calls_from_json(*json) : Calls();
}

Calls read_gemma(std::string_view text, std::size_t& pos) {
    ToolCall call;
    if (!take(text, pos, "call:"))
        return {};
    call.name = take_name(text, pos);
    if (call.name.empty() || pos >= text.size() || text[pos] != '{')
        return {};
    auto arguments = take_gemma(text, pos);
    if (!arguments || !take_end(text, pos, "<tool_call|>"))
        return {};
    call.arguments = *std::move(arguments);
    return std::vector{std::move(call)};
}

/// name(key=value, …)
std::optional<ToolCall> take_python_call(std::string_view text, std::size_t& pos) {
    ToolCall call;
    call.name = take_name(text, pos);
    if (call.name.empty() || !take(text, pos, "("))
        return {};
    for (bool first = true;; first = false) {
        skip_spaces(text, pos);
        if (take(text, pos, ")"))
            return call;
        if (!first && !take(text, pos, ","))
            return {};
        skip_spaces(text, pos);
        const std::string key(take_name(text, pos));
        skip_spaces(text, pos);
        if (key.empty() || !take(text, pos, "="))
            return {};
        auto value = take_python(text, pos);
        if (!value)
            return {};
        call.arguments[key] = *std::move(value);
    }
}

Calls read_lfm2(std::string_view text, std::size_t& pos) {
    skip_spaces(text, pos);
    std::vector<ToolCall> calls;
    if (!take(text, pos, "["))
        return {};
    for (bool first = true;; first = false) {
        skip_spaces(text, pos);
        if (take(text, pos, "]"))
            break;
        if (!first && !take(text, pos, ","))
            return {};
        skip_spaces(text, pos);
        auto call = take_python_call(text, pos);
        if (!call)
            return {};
        calls.push_back(*std::move(call));
    }
    if (calls.empty() || !take_end(text, pos, "<|tool_call_end|>"))
        return {};
    return calls;
}

struct Notation {
    ToolFormat format;
    std::string_view name;
    std::string_view open;
    ReadCalls read;
};
constexpr Notation kNotations[] = {
    {ToolFormat::Hermes, "hermes", "<tool_call>", read_hermes},
    {ToolFormat::Mistral, "mistral", "[TOOL_CALLS]", read_mistral},
    {ToolFormat::Granite, "granite", "<|tool_call|>", read_granite},
    {ToolFormat::Gemma, "gemma", "<|tool_call>", read_gemma},
    {ToolFormat::Lfm2, "lfm2", "<|tool_call_start|>", read_lfm2},
};

/// Llama 3 has no marks: the whole text is one call or several, with semicolons between them.
ParsedAnswer parse_llama3(std::string_view answer) {
    ParsedAnswer out{std::string(answer), {}};
    ReasoningSplitter splitter;
    splitter.push(answer);
    splitter.finish();
    const std::vector<AnswerPart> parts = splitter.parts();
    if (parts.empty() || parts.back().kind != AnswerPart::Kind::Text)
        return out;
    std::size_t pos = parts.back().begin;
    const std::size_t text_end = pos;
    skip_spaces(answer, pos);
    take(answer, pos, "<|python_tag|>");
    std::vector<ToolCall> calls;
    do {
        skip_spaces(answer, pos);
        if (pos == answer.size() && !calls.empty())
            break;
        const std::size_t begin = pos;
        auto json =
            pos < answer.size() && answer[pos] == '{' ? take_json(answer, pos) : std::nullopt;
        auto call = json && (json->contains("parameters") || json->contains("arguments"))
                        ? call_from_json(*json)
                        : std::nullopt;
        if (!call)
            return out;
        call->begin = begin;
        call->end = pos;
        calls.push_back(*std::move(call));
        skip_spaces(answer, pos);
    } while (take(answer, pos, ";"));
    for (const std::string_view end : {"<|eom_id|>", "<|eot_id|>"})
        take(answer, pos, end);
    skip_spaces(answer, pos);
    if (pos < answer.size())
        return out;
    calls.front().begin = text_end;
    calls.back().end = answer.size();
    out.text = answer.substr(0, text_end);
    out.calls = std::move(calls);
    return out;
}

} // namespace

std::string_view tool_format_name(ToolFormat format) {
    if (format == ToolFormat::Llama3)
        return "llama3";
    const auto* found =
        std::find_if(std::begin(kNotations), std::end(kNotations),
                     [&](const Notation& notation) { return notation.format == format; });
    return found == std::end(kNotations) ? "none" : found->name;
}

ToolFormat detect_tool_format(std::string_view template_source) {
    const auto writes = [&](std::string_view mark) {
        return template_source.find(mark) != std::string_view::npos;
    };
    if (writes("<|tool_call_start|>"))
        return ToolFormat::Lfm2;
    if (writes("<|tool_call>"))
        return ToolFormat::Gemma;
    if (writes("<|tool_call|>"))
        return ToolFormat::Granite;
    if (writes("[TOOL_CALLS]"))
        return ToolFormat::Mistral;
    if (writes("<tool_call>"))
        return ToolFormat::Hermes;
    if (writes("<|start_header_id|>") && writes("\"parameters\""))
        return ToolFormat::Llama3;
    return ToolFormat::None;
}

ParsedAnswer parse_tool_calls(std::string_view answer, ToolFormat format) {
    if (format == ToolFormat::Llama3)
        return parse_llama3(answer);
    ParsedAnswer out;
    const auto* notation = std::find_if(std::begin(kNotations), std::end(kNotations),
                                        [&](const Notation& one) { return one.format == format; });
    if (notation == std::end(kNotations)) {
        out.text = answer;
        return out;
    }
    ReasoningSplitter splitter;
    splitter.push(answer);
    splitter.finish();
    std::size_t copied = 0;
    for (const AnswerPart& part : splitter.parts()) {
        if (part.kind != AnswerPart::Kind::Text)
            continue;
        CodeScan code;
        const std::string_view text = answer.substr(0, part.end);
        for (std::size_t pos = part.begin; pos < part.end;) {
            if (const std::size_t skip = code.step(text, pos, true); skip > 0) {
                pos += skip;
                continue;
            }
            std::size_t end = pos;
            Calls calls;
            if (take(text, end, notation->open))
                calls = notation->read(text, end);
            if (!calls) {
                ++pos;
                continue;
            }
            for (ToolCall& call : *calls) {
                call.begin = pos;
                call.end = end;
                out.calls.push_back(std::move(call));
            }
            out.text += answer.substr(copied, pos - copied);
            copied = pos = end;
        }
    }
    out.text += answer.substr(copied);
    return out;
}

nlohmann::ordered_json tool_call_message(const ParsedAnswer& answer) {
    Json calls = Json::array();
    for (const ToolCall& call : answer.calls) {
        Json one = {{"type", "function"},
                    {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
        if (!call.id.empty())
            one["id"] = call.id;
        calls.push_back(std::move(one));
    }
    return {{"role", "assistant"}, {"content", answer.text}, {"tool_calls", std::move(calls)}};
}

nlohmann::ordered_json tool_result_message(const ToolCall& call, std::string_view result) {
    Json message = {{"role", "tool"}, {"name", call.name}, {"content", std::string(result)}};
    if (!call.id.empty())
        message["tool_call_id"] = call.id;
    return message;
}

} // namespace alcove
