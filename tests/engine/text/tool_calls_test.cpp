#include "engine/text/tool_calls.h"

#include "tests/engine/text/template_cases.h"

#include <gtest/gtest.h>

namespace alcove::test {
namespace {

/// "text|name(arguments)|…"
std::string parsed(const std::string& answer, ToolFormat format) {
    const ParsedAnswer out = parse_tool_calls(answer, format);
    std::string text = out.text;
    for (const ToolCall& call : out.calls)
        text += "|" + call.name + call.arguments.dump() + (call.id.empty() ? "" : "#" + call.id);
    return text;
}

TEST(ToolCalls, Hermes) {
    const auto run = [](const std::string& answer) { return parsed(answer, ToolFormat::Hermes); };
    EXPECT_EQ(run("Sure.\n<tool_call>\n{\"name\": \"tide\", \"arguments\": {\"port\": "
                  "\"Brest\"}}\n</tool_call>"),
              "Sure.\n|tide{\"port\":\"Brest\"}");
    EXPECT_EQ(
        run("<tool_call>{\"name\":\"a\"}</"
            "tool_call><tool_call>{\"name\":\"b\",\"arguments\":\"{\\\"x\\\":1}\"}</tool_call>!"),
        "!|a{}|b{\"x\":1}");
    EXPECT_EQ(run("<tool_call>{\"name\":\"a\",\"arguments\":{}}"), "|a{}")
        << "the last closing mark may be missing";
    EXPECT_EQ(run("<tool_call>\n<function=f>\n<parameter=s>\nsome\ntext\n</"
                  "parameter>\n<parameter=n>\n5\n</parameter>\n"
                  "<parameter=l>\n[1, 2]\n</parameter>\n</function>\n</tool_call>"),
              "|f{\"s\":\"some\\ntext\",\"n\":5,\"l\":[1,2]}");
}

TEST(ToolCalls, WhatIsNotCompleteStaysText) {
    for (const std::string answer :
         {"<tool_call>{\"name\":\"a\",\"argum", "<tool_call>{\"name\":\"a\"} and more",
          "<tool_call>nothing</tool_call>", "<tool_call>{\"nam\":\"a\"}</tool_call>",
          "<tool_call>{\"name\":\"a\",\"arguments\":[1]}</tool_call>", "<tool_call>",
          "`<tool_call>{\"name\":\"a\"}</tool_call>`",
          "```\n<tool_call>{\"name\":\"a\"}</tool_call>\n```",
          "<think>\n<tool_call>{\"name\":\"a\"}</tool_call>\n</think>\nx"})
        EXPECT_EQ(parsed(answer, ToolFormat::Hermes), answer);
    for (const std::string answer :
         {"[f(a=1)]", "<|tool_call_start|>[f(a=]", "<|tool_call_start|>[f(1)]<|tool_call_end|>",
          "<|tool_call_start|>[]<|tool_call_end|>", "<|tool_call_start|>[f(a=1) g()]"})
        EXPECT_EQ(parsed(answer, ToolFormat::Lfm2), answer);
    for (const std::string answer : {"<|tool_call>call:f{a:}<tool_call|>",
                                     "<|tool_call>f{}<tool_call|>", "<|tool_call>call:f{a:<|\"|>x"})
        EXPECT_EQ(parsed(answer, ToolFormat::Gemma), answer);
    EXPECT_EQ(parsed("{\"name\": \"f\", \"parameters\": {}} as JSON", ToolFormat::Llama3),
              "{\"name\": \"f\", \"parameters\": {}} as JSON");
    EXPECT_EQ(parsed("{\"name\": \"Ana\"}", ToolFormat::Llama3), "{\"name\": \"Ana\"}");
    EXPECT_EQ(parsed("<tool_call>{\"name\":\"a\"}</tool_call>", ToolFormat::None),
              "<tool_call>{\"name\":\"a\"}</tool_call>");
}

TEST(ToolCalls, Llama3) {
    const auto run = [](const std::string& answer) { return parsed(answer, ToolFormat::Llama3); };
    EXPECT_EQ(run("{\"name\": \"tide\", \"parameters\": {\"port\": \"Brest\"}}"),
              "|tide{\"port\":\"Brest\"}");
    EXPECT_EQ(run("<|python_tag|>{\"name\": \"a\", \"parameters\": {}}; {\"name\": \"b\", "
                  "\"arguments\": {\"x\": 1}}<|eom_id|>"),
              "|a{}|b{\"x\":1}");
    EXPECT_EQ(run("<think>hm</think>\n{\"name\": \"a\", \"parameters\": {}}"),
              "<think>hm</think>|a{}");
}

TEST(ToolCalls, Mistral) {
    const auto run = [](const std::string& answer) { return parsed(answer, ToolFormat::Mistral); };
    EXPECT_EQ(run("[TOOL_CALLS][{\"name\": \"a\", \"arguments\": {\"x\": 1}, \"id\": "
                  "\"abc123def\"}, {\"name\": \"b\", \"arguments\": {}}]"),
              "|a{\"x\":1}#abc123def|b{}");
    EXPECT_EQ(run("Ok.[TOOL_CALLS]a[CALL_ID]abc123def[ARGS]{\"x\": 1}[TOOL_CALLS]b[ARGS]{}"),
              "Ok.|a{\"x\":1}#abc123def|b{}");
}

TEST(ToolCalls, Granite) {
    EXPECT_EQ(parsed("<|tool_call|>[{\"name\": \"a\", \"arguments\": {\"x\": [1, {\"y\": null}]}}]",
                     ToolFormat::Granite),
              "|a{\"x\":[1,{\"y\":null}]}");
}

TEST(ToolCalls, Gemma) {
    EXPECT_EQ(parsed("<|tool_call>call:tide{port:<|\"|>Brest, "
                     "{quay}<|\"|>,n:-5,f:1.5,b:true,l:[1,<|\"|>x<|\"|>],o:{k:null}}<tool_call|>.",
                     ToolFormat::Gemma),
              ".|tide{\"port\":\"Brest, "
              "{quay}\",\"n\":-5,\"f\":1.5,\"b\":true,\"l\":[1,\"x\"],\"o\":{\"k\":null}}");
    EXPECT_EQ(parsed("<|tool_call>call:now{}<tool_call|>", ToolFormat::Gemma), "|now{}");
}

TEST(ToolCalls, Lfm2) {
    EXPECT_EQ(parsed("<|tool_call_start|>[tide(port=\"Brest\", n=-5, f=1.5, b=True, z=None, l=[1, "
                     "'it\\'s'], d={'k': (1,)}), now()]"
                     "<|tool_call_end|>Wait.",
                     ToolFormat::Lfm2),
              "Wait.|tide{\"port\":\"Brest\",\"n\":-5,\"f\":1.5,\"b\":true,\"z\":null,\"l\":[1,"
              "\"it's\"],\"d\":{\"k\":[1]}}|now{}");
}

TEST(ToolCalls, DeepNestingIsRefused) {
    const std::string deep(5000, '[');
    EXPECT_TRUE(
        parse_tool_calls("<|tool_call_start|>[f(a=" + deep, ToolFormat::Lfm2).calls.empty());
    EXPECT_TRUE(parse_tool_calls("<|tool_call>call:f{a:" + deep, ToolFormat::Gemma).calls.empty());
    EXPECT_TRUE(parse_tool_calls("<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":" + deep +
                                     std::string(5000, ']') + "}}",
                                 ToolFormat::Hermes)
                    .calls.empty());
}

/// What a model's own template writes for a call is read back as that call.
TEST(ToolCalls, WhatTheTemplatesWriteIsReadBack) {
    const auto folder = shared_dir() / "jinja";
    if (!std::filesystem::exists(folder))
        GTEST_SKIP() << "the shared fixtures are not here: " << folder;
    const std::pair<const char*, ToolFormat> cases[] = {
        {"NousResearch-Hermes-3-Llama-3.1-8B-tool_use", ToolFormat::Hermes},
        {"Qwen-Qwen2.5-7B-Instruct", ToolFormat::Hermes},
        {"Qwen-Qwen3-0.6B", ToolFormat::Hermes},
        {"Qwen3-Coder", ToolFormat::Hermes},
        {"ibm-granite-granite-4.0", ToolFormat::Hermes},
        {"mistralai-Mistral-Nemo-Instruct-2407", ToolFormat::Mistral},
        {"Mistral-Small-3.2-24B-Instruct-2506", ToolFormat::Mistral},
        {"mistralai-Ministral-3-14B-Reasoning-2512", ToolFormat::Mistral},
        {"google-gemma-4-31B-it", ToolFormat::Gemma},
        {"LFM2.5-8B-A1B", ToolFormat::Lfm2},
        {"meta-llama-Llama-3.2-3B-Instruct", ToolFormat::Llama3},
        {"meta-llama-Llama-3.1-8B-Instruct", ToolFormat::Llama3},
    };
    const Json parameters = {
        {"type", "object"},
        {"properties", {{"port", {{"type", "string"}, {"description", "where"}}}}},
        {"required", {"port"}}};
    const Json tools = Json::array(
        {{{"type", "function"},
          {"function", {{"name", "tide"}, {"description", "Tides"}, {"parameters", parameters}}}}});
    ParsedAnswer answer;
    answer.calls.emplace_back();
    answer.calls[0].id = "abc123def";
    answer.calls[0].name = "tide";
    answer.calls[0].arguments = {{"port", "Łódź \"east\", {quay}"}};
    for (const auto& [name, format] : cases) {
        const std::string source = read_text(folder / (std::string(name) + ".jinja"));
        EXPECT_EQ(detect_tool_format(source), format) << name;
        Json messages = Json::array({{{"role", "user"}, {"content", "Tide?"}}});
        Json context = {{"bos_token", "<s>"},
                        {"eos_token", "</s>"},
                        {"tools", tools},
                        {"documents", nullptr},
                        {"add_generation_prompt", true}};
        context["messages"] = messages;
        const Outcome prompt = render(source, context);
        messages.push_back(tool_call_message(answer));
        messages.push_back(tool_result_message(answer.calls[0], "3 m"));
        context["messages"] = messages;
        context["add_generation_prompt"] = false;
        const Outcome all = render(source, context);
        ASSERT_EQ(all.error, "") << name;
        std::size_t begin = 0;
        while (begin < prompt.text.size() && begin < all.text.size() &&
               prompt.text[begin] == all.text[begin])
            ++begin;
        if (begin < prompt.text.size()) // they part inside of a mark
            begin = all.text.rfind('<', begin);
        std::string written = all.text.substr(begin);
        if (format == ToolFormat::Llama3) // the answer ends where its turn does
            written = written.substr(0, written.find("<|eot_id|>"));
        const ParsedAnswer got = parse_tool_calls(written, format);
        ASSERT_EQ(got.calls.size(), 1U) << name << "\n" << written;
        EXPECT_EQ(got.calls[0].name, "tide");
        EXPECT_EQ(got.calls[0].arguments, answer.calls[0].arguments) << name << "\n" << written;
        EXPECT_NE(all.text.find("3 m"), std::string::npos) << name;
    }
}

} // namespace
} // namespace alcove::test
