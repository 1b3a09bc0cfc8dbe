#include "engine/text/reasoning.h"

#include <gtest/gtest.h>

#include <string>

namespace alcove::test {
namespace {

std::string shown(const ReasoningSplitter& splitter) {
    std::string out;
    for (const AnswerPart& part : splitter.parts()) {
        const std::string text = splitter.text().substr(part.begin, part.end - part.begin);
        if (part.kind == AnswerPart::Kind::Text)
            out += text;
        else
            out += "{" + text + (part.closed ? "}" : "...");
    }
    return out;
}

/// The answer with its reasoning in braces; given at once and byte by byte, which must agree.
std::string split(const std::string& answer, bool starts = false) {
    ReasoningSplitter whole(starts);
    whole.push(answer);
    whole.finish();
    ReasoningSplitter grown(starts);
    for (const char c : answer)
        grown.push(std::string(1, c));
    grown.finish();
    EXPECT_EQ(shown(whole), shown(grown)) << answer;
    return shown(whole);
}

TEST(Reasoning, IsWhatStandsBetweenTheMarkers) {
    EXPECT_EQ(split("<think>\nhm\n</think>\n\nYes."), "{\nhm\n}\n\nYes.");
    EXPECT_EQ(split("  \n[THINK]a[/THINK]b"), "  \n{a}b");
    EXPECT_EQ(split("One.\n<think>a</think>\nTwo.\n<think>b</think>Three."),
              "One.\n{a}\nTwo.\n{b}Three.");
    EXPECT_EQ(split("<|channel>thought\nx\n<channel|>y"), "{\nx\n}y");
    EXPECT_EQ(split("No reasoning, 1 < 2 [sic]."), "No reasoning, 1 < 2 [sic].");
    EXPECT_EQ(split("<think></think>x"), "x");
}

TEST(Reasoning, EveryMarkerWorks) {
    for (const ReasoningMarkers& markers : reasoning_markers())
        EXPECT_EQ(split(std::string(markers.open) + "a" + std::string(markers.close) + "b"), "{a}b")
            << markers.open;
}

TEST(Reasoning, OnlyTheMarkerThatFitsCloses) {
    EXPECT_EQ(split("<think>a</reasoning>b</think>c"), "{a</reasoning>b}c");
}

TEST(Reasoning, MarkersInsideCodeAreText) {
    EXPECT_EQ(split("Use `<think>` so:\n```\n<think>\nx</think>\n```\nDone."),
              "Use `<think>` so:\n```\n<think>\nx</think>\n```\nDone.");
    EXPECT_EQ(split("~~~~\n~~~\n<think>\n~~~~\n<think>a</think>b"),
              "~~~~\n~~~\n<think>\n~~~~\n{a}b");
    EXPECT_EQ(split("<think>the tag `</think>` ends it</think>x"), "{the tag `</think>` ends it}x");
    EXPECT_EQ(split("<think>\n```\n</think>\n```\n</think>x"), "{\n```\n</think>\n```\n}x");
    EXPECT_EQ(split("``a ` <think>``\n<think>b</think>"), "``a ` <think>``\n{b}");
}

TEST(Reasoning, MarkersInsideASentenceAreText) {
    EXPECT_EQ(split("The <think> tag opens reasoning."), "The <think> tag opens reasoning.");
}

TEST(Reasoning, WithoutAnEndDoesNotSwallowTheAnswer) {
    EXPECT_EQ(split("<think>cut off"), "{cut off...");
    EXPECT_EQ(split("<think>it`s odd</think>x"), "{it`s odd}x");
    EXPECT_EQ(split("<think>\n```\nopen code\n</think>\nThe answer."),
              "{\n```\nopen code\n}\nThe answer.");
}

TEST(Reasoning, ThatThePromptOpenedEndsAtItsMarker) {
    EXPECT_EQ(split("hm\n</think>\n\nYes.", true), "{hm\n}\n\nYes.");
    EXPECT_EQ(split("hm\n</think>\n\nYes."), "{hm\n}\n\nYes.") << "also where that is not known";
    EXPECT_EQ(split("still thinking", true), "{still thinking...");
    EXPECT_TRUE(prompt_opens_reasoning("<|im_start|>assistant\n<think>\n"));
    EXPECT_FALSE(prompt_opens_reasoning("<|im_start|>assistant\n<think>\n\n</think>\n\n"));
    EXPECT_FALSE(prompt_opens_reasoning(""));
}

TEST(Reasoning, HalfAMarkerIsNeverShown) {
    ReasoningSplitter splitter;
    splitter.push("Hello\n<thi");
    EXPECT_EQ(shown(splitter), "Hello\n");
    splitter.push("s is text");
    EXPECT_EQ(shown(splitter), "Hello\n<this is text");
    splitter.push("\n<think>a</thi");
    EXPECT_EQ(shown(splitter), "Hello\n<this is text\n{a...");
    splitter.push("nk>b");
    EXPECT_EQ(shown(splitter), "Hello\n<this is text\n{a}b");
    splitter.push(" and `code that <");
    EXPECT_EQ(shown(splitter), "Hello\n<this is text\n{a}b and `code that ");
    splitter.finish();
    EXPECT_EQ(shown(splitter), "Hello\n<this is text\n{a}b and `code that <");
}

TEST(Reasoning, SplitsAFinishedAnswer) {
    const SplitAnswer split = split_answer("<think>\na\n</think>\n\nb\n<think>c</think>\nd\n");
    EXPECT_EQ(split.reasoning, "a\n\nc");
    EXPECT_EQ(split.text, "b\n\nd");
    EXPECT_FALSE(split.unclosed);
    EXPECT_TRUE(split_answer("<think>a").unclosed);
}

TEST(Reasoning, LongAnswersTakeLinearTime) {
    std::string code = "<think>\n```\n";
    for (int i = 0; i < 20'000; ++i)
        code += "a line of code with </think> in it\n";
    EXPECT_TRUE(split_answer(code).unclosed);
    EXPECT_EQ(split_answer(std::string(300'000, '<')).text.size(), 300'000U);
}

} // namespace
} // namespace alcove::test
