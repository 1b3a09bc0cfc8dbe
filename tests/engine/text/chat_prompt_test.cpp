#include "engine/text/chat_prompt.h"

#include "engine/format/gguf_file.h"
#include "engine/text/chat_fallbacks.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/text/template_cases.h"

#include <gtest/gtest.h>

namespace alcove::test {
namespace {

std::shared_ptr<const ChatFormat> format_of(std::string source, std::string fallback = "chatml") {
    ChatFormatSources sources;
    sources.chat_template = std::move(source);
    sources.fallback = std::move(fallback);
    sources.special_tokens = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
    return ChatFormat::make(std::move(sources));
}

/// Data in brackets, the template's own text without.
std::string marked(const RenderedChat& chat) {
    std::string out;
    for (const TextSegment& segment : chat.segments)
        out += segment.from_data ? "[" + segment.text + "]" : segment.text;
    return out;
}

struct Given {
    Json messages;
    Json extra = Json::object();
    bool generation = true;
};

Result<RenderedChat> render_with(const ChatFormat& format, const Given& given) {
    ChatRequest request;
    request.messages = &given.messages;
    request.extra = &given.extra;
    request.add_generation_prompt = given.generation;
    request.now = kFixtureNow;
    return format.render(request);
}

std::string text_of(const ChatFormat& format, const Given& given) {
    const auto rendered = render_with(format, given);
    return rendered ? marked(*rendered) : "error: " + rendered.error().message;
}

Json user(const std::string& text) {
    return {{"role", "user"}, {"content", text}};
}
Json system(const std::string& text) {
    return {{"role", "system"}, {"content", text}};
}
Json assistant(const std::string& text) {
    return {{"role", "assistant"}, {"content", text}};
}

constexpr const char* kPlain =
    "{% for m in messages %}{{ m.role ~ ':' + m.content + ';' }}{% endfor %}";

TEST(ChatFormat, ContentThatIsNullOrMissingIsEmpty) {
    const auto format = format_of(kPlain);
    EXPECT_EQ(text_of(*format, {Json::array({{{"role", "user"}, {"content", nullptr}},
                                             {{"role", "user"}}})}),
              "user:;user:;");
}

TEST(ChatFormat, TextPartsAreJoinedWhereTheTemplateCannotWalkThem) {
    const Json parts = Json::array(
        {{{"role", "user"},
          {"content",
           Json::array({{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}})}}});
    EXPECT_EQ(text_of(*format_of(kPlain), {parts}), "user:[ab];");
    EXPECT_EQ(text_of(*format_of("{{ messages[0].content }}"), {parts}), "[ab]")
        << "it would print the list";
    EXPECT_EQ(text_of(*format_of("{% for p in messages[0].content %}{% if p is string %}{{ p }}{% "
                                 "else %}<{{ p.text }}>"
                                 "{% endif %}{% endfor %}"),
                      {parts}),
              "<[a]><[b]>");
}

TEST(ChatFormat, PartsThatAreNoTextAreRefused) {
    const Json image =
        Json::array({{{"role", "user"}, {"content", Json::array({{{"type", "image"}}})}}});
    EXPECT_EQ(text_of(*format_of(kPlain), {image}),
              "error: message 0 has a part of type \"image\", expected text");
}

TEST(ChatFormat, MessagesThatAreNoneAreRefused) {
    const auto format = format_of(kPlain);
    EXPECT_EQ(text_of(*format, {Json::object()}),
              "error: the messages are of type object, expected an array");
    EXPECT_EQ(text_of(*format, {Json::array({1})}),
              "error: message 0 has no role, expected an object with role and content");
    EXPECT_EQ(
        text_of(*format, {Json::array({{{"role", "user"}, {"content", 5}}})}),
        "error: message 0 has a content of type number, expected text or a list of text parts");
}

TEST(ChatFormat, ToolsBecomeAnEmptyListWhereNoneFails) {
    const auto format = format_of("{% for t in tools %}x{% endfor %}{{ messages[0].content }}");
    EXPECT_EQ(text_of(*format, {Json::array({user("hi")})}), "[hi]");
}

TEST(ChatFormat, ASystemMessageIsMergedWhereTheTemplateRefusesIt) {
    const std::string gemma = read_text(data_dir() / "google-gemma-2-2b-it.jinja");
    const auto rendered =
        render_with(*format_of(gemma), {Json::array({system("Be brief."), user("Hi")})});
    ASSERT_TRUE(rendered);
    EXPECT_EQ(marked(*rendered),
              "<s><start_of_turn>user\n[Be brief.\n\nHi]<end_of_turn>\n<start_of_turn>model\n");
    EXPECT_TRUE(rendered->warnings.empty());
    EXPECT_EQ(rendered->notes.size(), 1U);
}

TEST(ChatFormat, RolesThatDoNotTakeTurnsAreReported) {
    const std::string gemma = read_text(data_dir() / "google-gemma-2-2b-it.jinja");
    const auto rendered = render_with(*format_of(gemma), {Json::array({user("a"), user("b")})});
    ASSERT_FALSE(rendered);
    EXPECT_EQ(rendered.error().code, Errc::Template);
    EXPECT_EQ(
        rendered.error().message,
        "the model's chat template refuses this conversation: Conversation roles must alternate "
        "user/assistant/user/assistant/... (messages 1 and 2 are both of the role user, expected "
        "the roles to take turns)");
}

TEST(ChatFormat, AMissingTemplateIsReplacedWithAWarning) {
    const auto format = format_of("");
    EXPECT_EQ(format->problem(), "this model's file has no chat template");
    const auto rendered = render_with(*format, {Json::array({user("hi")})});
    ASSERT_TRUE(rendered);
    EXPECT_EQ(rendered->format, "chatml");
    ASSERT_EQ(rendered->warnings.size(), 1U);
    EXPECT_EQ(rendered->warnings[0],
              "this model's file has no chat template; the built-in format chatml is used instead");
    EXPECT_EQ(marked(*rendered), "<|im_start|>user\n[hi]<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatFormat, ABrokenTemplateIsReplacedWithAWarning) {
    EXPECT_NE(format_of("{% if x %}")->problem().find("cannot be read (line 1: Unexpected end"),
              std::string::npos);
    const auto rendered =
        render_with(*format_of("a\n{{ nothing.at.all }}", "llama3"), {Json::array({user("hi")})});
    ASSERT_TRUE(rendered);
    EXPECT_EQ(rendered->format, "llama3");
    ASSERT_EQ(rendered->warnings.size(), 1U);
    EXPECT_EQ(rendered->warnings[0], "the chat template failed (line 2: 'nothing' is undefined); "
                                     "the built-in format llama3 is used instead");
}

TEST(ChatFormat, NamedVariantsServeToolsAndDocuments) {
    ChatFormatSources sources;
    sources.chat_template = "plain";
    sources.tool_use_template = "with {{ tools | length }} tools";
    sources.rag_template = "with {{ documents | length }} documents";
    const auto format = ChatFormat::make(std::move(sources));
    const Json messages = Json::array({user("hi")});
    EXPECT_EQ(text_of(*format, {messages}), "plain");
    EXPECT_EQ(text_of(*format, {messages, {{"tools", Json::array()}}}), "plain");
    EXPECT_EQ(text_of(*format, {messages, {{"tools", Json::array({1, 2})}}}), "with 2 tools");
    EXPECT_EQ(text_of(*format, {messages, {{"documents", Json::array({1})}}}), "with 1 documents");
}

TEST(ChatFormat, FurtherVariablesReachTheTemplate) {
    const auto format = format_of("{{ enable_thinking }}|{{ bos_token }}|{{ unk_token is defined "
                                  "}}|{{ add_generation_prompt }}");
    EXPECT_EQ(text_of(*format, {Json::array(), {{"enable_thinking", false}}, false}),
              "False|<s>|False|False");
}

TEST(ChatFallbacks, WriteTheirFormats) {
    const Json talk = Json::array({system("S"), user("u1"), assistant("a1"), user("u2")});
    const std::pair<const char*, const char*> expected[] = {
        {"chatml", "<|im_start|>system\n[S]<|im_end|>\n<|im_start|>user\n[u1]<|im_end|>\n<|im_"
                   "start|>assistant\n[a1]<|im_end|>\n"
                   "<|im_start|>user\n[u2]<|im_end|>\n<|im_start|>assistant\n"},
        {"llama2",
         "<s>[INST] <<SYS>>\n[S]\n<</SYS>>\n\n[u1] [/INST] [a1] </s><s>[INST] [u2] [/INST]"},
        {"llama3", "<s><|start_header_id|>system<|end_header_id|>\n\n[S]<|eot_id|><|start_header_"
                   "id|>user<|end_header_id|>\n\n[u1]"
                   "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n[a1]<|eot_id|><|"
                   "start_header_id|>user<|end_header_id|>"
                   "\n\n[u2]<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"},
        {"llama4", "<s><|header_start|>system<|header_end|>\n\n[S]<|eot|><|header_start|>user<|"
                   "header_end|>\n\n[u1]<|eot|>"
                   "<|header_start|>assistant<|header_end|>\n\n[a1]<|eot|><|header_start|>user<|"
                   "header_end|>\n\n[u2]<|eot|>"
                   "<|header_start|>assistant<|header_end|>\n\n"},
        {"gemma", "<s><start_of_turn>user\n[S]\n\n[u1]<end_of_turn>\n<start_of_turn>model\n[a1]<"
                  "end_of_turn>\n<start_of_turn>user\n[u2]"
                  "<end_of_turn>\n<start_of_turn>model\n"},
        {"gemma4", "<s><|turn>system\n[S]<turn|>\n<|turn>user\n[u1]<turn|>\n<|turn>model\n[a1]<"
                   "turn|>\n<|turn>user\n[u2]<turn|>\n<|turn>model\n"},
        {"mistral", "<s>[INST] [S]\n\n[u1] [/INST] [a1]</s>[INST] [u2] [/INST]"},
        {"zephyr", "<|system|>\n[S]</s>\n<|user|>\n[u1]</s>\n<|assistant|>\n[a1]</"
                   "s>\n<|user|>\n[u2]</s>\n<|assistant|>\n"},
        {"phi3", "<|system|>\n[S]<|end|>\n<|user|>\n[u1]<|end|>\n<|assistant|>\n[a1]<|end|>\n<|"
                 "user|>\n[u2]<|end|>\n<|assistant|>\n"},
        {"phi4",
         "<|im_start|>system<|im_sep|>[S]<|im_end|><|im_start|>user<|im_sep|>[u1]<|im_end|><|im_"
         "start|>assistant<|im_sep|>[a1]"
         "<|im_end|><|im_start|>user<|im_sep|>[u2]<|im_end|><|im_start|>assistant<|im_sep|>"},
        {"deepseek", "<s>[S]<｜User｜>[u1]<｜Assistant｜>[a1]<｜end▁of▁sentence｜><｜User｜>[u2]<"
                     "｜Assistant｜>"},
        {"command-r",
         "<s><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>[S]<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|>"
         "<|USER_TOKEN|>[u1]"
         "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>[a1]<|END_OF_TURN_TOKEN|><|"
         "START_OF_TURN_TOKEN|>"
         "<|USER_TOKEN|>[u2]<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"},
        {"granite", "<|start_of_role|>system<|end_of_role|>[S]<|end_of_text|>\n<|start_of_role|>"
                    "user<|end_of_role|>[u1]<|end_of_text|>\n"
                    "<|start_of_role|>assistant<|end_of_role|>[a1]<|end_of_text|>\n<|start_of_role|"
                    ">user<|end_of_role|>[u2]"
                    "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"},
        {"harmony", "<|start|>system<|message|>[S]<|end|><|start|>user<|message|>[u1]<|end|><|"
                    "start|>assistant<|channel|>final<|message|>"
                    "[a1]<|end|><|start|>user<|message|>[u2]<|end|><|start|>assistant"},
        {"plain", "[S]\n\nUser: [u1]\nAssistant: [a1]\nUser: [u2]\nAssistant:"},
    };
    EXPECT_EQ(std::size(expected), chat_fallbacks().size());
    for (const auto& [name, text] : expected)
        EXPECT_EQ(text_of(*format_of("", name), {talk}), text) << name;
}

TEST(ChatFallbacks, AreChosenByTokensThenByName) {
    const auto chosen = [](const char* architecture, const char* name,
                           std::vector<std::string> tokens) {
        return choose_chat_fallback(architecture, name, [&](std::string_view token) {
            return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
        });
    };
    EXPECT_EQ(chosen("llama", "SmolLM2", {"<|im_start|>", "<|im_end|>"}), "chatml");
    EXPECT_EQ(chosen("llama", "Llama 3", {"<|start_header_id|>", "<|eot_id|>"}), "llama3");
    EXPECT_EQ(chosen("gemma3", "Gemma", {"<start_of_turn>", "<end_of_turn>"}), "gemma");
    EXPECT_EQ(chosen("phi3", "Phi", {"<|assistant|>", "<|user|>", "<|end|>"}), "phi3");
    EXPECT_EQ(chosen("phi3", "Phi 4", {"<|im_start|>", "<|im_end|>", "<|im_sep|>"}), "phi4");
    EXPECT_EQ(chosen("llama", "Llama-2-7b-chat", {}), "llama2");
    EXPECT_EQ(chosen("llama", "Mistral 7B Instruct v0.2", {}), "mistral");
    EXPECT_EQ(chosen("llama", "TinyLlama 1.1B Chat", {}), "zephyr");
    EXPECT_EQ(chosen("llama", "open_llama_3b", {}), "plain");
}

/// The two damaged files of the shared fixtures: usable with a fallback, which is said.
TEST(ChatFormat, FilesWithBrokenAndEndlessTemplatesUseAFallback) {
    const auto folder = shared_dir() / "../../models/bad";
    for (const auto& [name, problem] : {std::pair{"chat_template_broken.gguf", "cannot be read"},
                                        {"chat_template_huge_loop.gguf", "failed"}}) {
        if (!std::filesystem::exists(folder / name))
            GTEST_SKIP() << "the shared fixtures are not here: " << folder;
        const auto file = GgufFile::open(folder / name);
        ASSERT_TRUE(file) << file.error().message;
        const auto tokenizer = Tokenizer::load(**file);
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        const auto format = ChatFormat::load(**file, **tokenizer);
        const auto rendered = render_with(*format, {Json::array({user("hi")})});
        ASSERT_TRUE(rendered) << rendered.error().message;
        ASSERT_EQ(rendered->warnings.size(), 1U) << name;
        EXPECT_NE(rendered->warnings[0].find(problem), std::string::npos) << rendered->warnings[0];
        EXPECT_NE(rendered->warnings[0].find("built-in format"), std::string::npos);
    }
}

} // namespace
} // namespace alcove::test
