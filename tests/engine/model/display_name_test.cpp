#include "engine/model/display_name.h"

#include <gtest/gtest.h>

namespace alcove::model {
namespace {

TEST(DisplayName, IsTheNameOfTheFileWithoutWeightType) {
    const auto name = [](std::string_view stem) { return display_name(stem, "Run 7 Ep2"); };
    EXPECT_EQ(name("SmolLM2-135M-Instruct.Q4_1"), "SmolLM2 135M Instruct");
    EXPECT_EQ(name("gemma-3-270m-q4_k_m"), "Gemma 3 270M");
    EXPECT_EQ(name("Llama-3.1-8B-Instruct-IQ3_XXS"), "Llama 3.1 8B Instruct");
    EXPECT_EQ(name("Qwen3-30B-A3B-UD-Q4_K_XL-00001-of-00002"), "Qwen3 30B A3B");
    EXPECT_EQ(name("gemma-4-e4b-it_bf16"), "Gemma 4 E4B It");
    EXPECT_EQ(name("phi-3.5-mini.i1-Q6_K"), "Phi 3.5 Mini");
    EXPECT_EQ(name("my model"), "My Model");
    EXPECT_EQ(name("Größenwahn-7b"), "Größenwahn 7B");
    EXPECT_EQ(name("qwen2-q2"), "Qwen2") << "a weight type without parts";
    EXPECT_EQ(name("q8chat-1b"), "Q8chat 1B") << "not a weight type";
}

TEST(DisplayName, IsTheModelsOwnWhereTheFileSaysNothing) {
    EXPECT_EQ(display_name("model", "Tiny"), "Tiny");
    EXPECT_EQ(display_name("ggml-model-Q4_K_M", "Tiny"), "Tiny");
    EXPECT_EQ(display_name("sha256-0a1b2c3d4e5f60718293a4b5c6d7e8f9", "Tiny"), "Tiny");
    EXPECT_EQ(display_name("0a1b2c3d4e5f60718293a4b5c6d7e8f9", "Tiny"), "Tiny");
    EXPECT_EQ(display_name("Q4_K_M", "Tiny"), "Tiny");
    EXPECT_EQ(display_name("model", ""), "model");
    EXPECT_EQ(display_name("---", ""), "---");
    EXPECT_EQ(display_name("", ""), "");
}

} // namespace
} // namespace alcove::model
