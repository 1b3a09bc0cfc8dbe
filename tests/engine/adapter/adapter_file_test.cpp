#include "engine/engine.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <fstream>

namespace alcove {
namespace {

namespace fs = std::filesystem;

TEST(AdapterKindName, EveryKindIsFoundByItsName) {
    for (const AdapterKind kind :
         {AdapterKind::Gguf, AdapterKind::Peft, AdapterKind::Gemma, AdapterKind::RankOne})
        EXPECT_EQ(adapter_kind_from_name(adapter_kind_name(kind)), kind);
    EXPECT_EQ(adapter_kind_from_name(""), std::nullopt);
    EXPECT_EQ(adapter_kind_from_name("Rank-One"), std::nullopt);
}

/// A folder of the test's own, and the fixtures of the data folder.
class AdapterFiles : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) /
                  testing::UnitTest::GetInstance()->current_test_info()->name();
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    static void write(const fs::path& path, std::string_view bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    const fs::path bad_ = test::data_models() / "lora_bad";
    const fs::path peft_ = bad_ / "peft_ok_control";
    const fs::path base_ = test::data_models() / "llama/model.gguf";
    fs::path folder_;
};

TEST_F(AdapterFiles, TheContentSaysWhetherItIsAnAdapter) {
    EXPECT_TRUE(is_adapter_file(bad_ / "gguf_ok_control.gguf"));
    EXPECT_TRUE(is_adapter_file(peft_));
    EXPECT_TRUE(is_adapter_file(peft_ / "adapter_config.json"));
    EXPECT_TRUE(is_adapter_file(peft_ / "adapter_model.safetensors"));
    EXPECT_TRUE(is_adapter_file(bad_ / "blk_ok_control.safetensors"));
    // Of whatever name.
    fs::copy_file(bad_ / "gguf_ok_control.gguf", folder_ / "renamed.bin");
    EXPECT_TRUE(is_adapter_file(folder_ / "renamed.bin"));
}

TEST_F(AdapterFiles, WhatIsNoneOrCannotBeReadIsNoAdapter) {
    EXPECT_FALSE(is_adapter_file(base_));
    EXPECT_FALSE(is_adapter_file(base_.parent_path()));
    EXPECT_FALSE(is_adapter_file(folder_ / "absent.gguf"));
    EXPECT_FALSE(is_adapter_file(""));
    for (const char* content : {"", "GG", "GGUF", "GGUF adapter.type general.type adapter"}) {
        write(folder_ / "file.gguf", content);
        EXPECT_FALSE(is_adapter_file(folder_ / "file.gguf")) << content;
        write(folder_ / "file.safetensors", content);
        EXPECT_FALSE(is_adapter_file(folder_ / "file.safetensors")) << content;
    }
    // The weights of a whole model.
    const std::string header =
        R"({"model.embed_tokens.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    const std::uint64_t n = header.size();
    write(folder_ / "model.safetensors",
          std::string(reinterpret_cast<const char*>(&n), sizeof n) + header + std::string(4, '\0'));
    EXPECT_FALSE(is_adapter_file(folder_ / "model.safetensors"));
}

} // namespace
} // namespace alcove
