#include "engine/adapter/peft_config.h"
#include "engine/engine.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/safetensors_file.h"
#include "tests/engine/model/oracle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <span>

namespace alcove {
namespace {

namespace fs = std::filesystem;

std::string safetensors(const std::string& header, std::string_view data) {
    const std::uint64_t n = header.size();
    std::string bytes(reinterpret_cast<const char*>(&n), sizeof n);
    return bytes.append(header).append(data);
}

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
    write(folder_ / "model.safetensors",
          safetensors(
              R"({"model.embed_tokens.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
              std::string(4, '\0')));
    EXPECT_FALSE(is_adapter_file(folder_ / "model.safetensors"));
}

/// Goes to a folder and back at the end.
class InFolder {
public:
    explicit InFolder(const fs::path& folder) { fs::current_path(folder); }
    ~InFolder() { fs::current_path(before_); }
    InFolder(const InFolder&) = delete;
    InFolder& operator=(const InFolder&) = delete;

private:
    fs::path before_ = fs::current_path();
};

TEST_F(AdapterFiles, ARelativePathIsThatOfTheWholeAdapter) {
    const InFolder in(peft_);
    for (const char* path : {"adapter_model.safetensors", "adapter_config.json", ".", "./",
                             "../peft_ok_control", "../peft_ok_control/"}) {
        const auto info = read_adapter_info(path, {}, {});
        ASSERT_TRUE(info) << path << ": " << info.error().message;
        EXPECT_EQ(info->path, peft_.lexically_normal()) << path;
        EXPECT_EQ(info->name, "peft_ok_control") << path;
    }
    const auto gguf = read_adapter_info("../gguf_ok_control.gguf", {}, {});
    ASSERT_TRUE(gguf) << gguf.error().message;
    EXPECT_EQ(gguf->path, (bad_ / "gguf_ok_control.gguf").lexically_normal());
}

TEST_F(AdapterFiles, AnEmptyPathIsRefused) {
    const auto info = read_adapter_info("", {}, {});
    ASSERT_FALSE(info);
    EXPECT_NE(info.error().code, Errc::Internal) << info.error().message;
}

TEST_F(AdapterFiles, AWrongSizeIsRefusedBeforeTheFileIsRead) {
    const fs::path path = folder_ / "adapter.gguf";
    fs::copy_file(bad_ / "gguf_ok_control.gguf", path);
    AdapterOptions options;
    options.expected_bytes = fs::file_size(path);
    std::error_code failure;
    fs::resize_file(path, std::uintmax_t{1} << 40U, failure); // more than there is memory for
    if (failure)
        GTEST_SKIP() << "no sparse files here";
    std::string fault;
    options.fault = &fault;
    EXPECT_FALSE(read_adapter_info(path, options, {}));
    EXPECT_EQ(fault, "adapter.size_mismatch");
}

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_F(AdapterFiles, AStrengthThatNoFloatHoldsIsRefused) {
    const auto fault_of = [&](const fs::path& path) {
        std::string fault;
        AdapterOptions options;
        options.fault = &fault;
        const auto checked = check_adapter(path, base_, options, {});
        if (checked)
            return std::string("fits");
        EXPECT_NE(checked.error().message.find("alpha"), std::string::npos)
            << checked.error().message;
        return fault;
    };
    fs::copy_file(peft_ / "adapter_model.safetensors", folder_ / "adapter_model.safetensors");
    const auto config = [&](const char* rest) {
        write(folder_ / "adapter_config.json",
              std::string(R"({"peft_type":"LORA","r":2,)") + rest + "}");
    };
    config(R"("lora_alpha":6)");
    EXPECT_EQ(fault_of(folder_), "fits");
    config(R"("lora_alpha":1e300)");
    EXPECT_EQ(fault_of(folder_), "adapter.alpha_value");
    config(R"("lora_alpha":6,"alpha_pattern":{"q_proj":1e39})");
    EXPECT_EQ(fault_of(folder_), "adapter.alpha_value");

    std::uint64_t n_header = 0;
    std::string bytes = bytes_of(bad_ / "blk_ok_control.safetensors");
    std::memcpy(&n_header, bytes.data(), sizeof n_header);
    std::string header = bytes.substr(8, n_header);
    const std::string alpha = R"("alpha":"6")";
    header.replace(header.find(alpha), alpha.size(), R"("alpha":"1e300")");
    write(folder_ / "blk.safetensors", safetensors(header, bytes.substr(8 + n_header)));
    std::string fault;
    AdapterOptions options;
    options.fault = &fault;
    EXPECT_FALSE(read_adapter_info(folder_ / "blk.safetensors", options, {}));
    EXPECT_EQ(fault, "adapter.alpha_value");
}

/// A GGUF adapter of rank 1 for one target.
void write_adapter(const fs::path& path, const char* architecture, const std::string& target,
                   std::uint64_t n_in, std::uint64_t n_out) {
    GgufWriter writer;
    writer.add_string("general.architecture", architecture);
    writer.add_string("general.type", "adapter");
    writer.add_string("adapter.type", "lora");
    writer.add_f32("adapter.lora.alpha", 1);
    const std::vector<float> zeros(std::max(n_in, n_out));
    const auto data = std::as_bytes(std::span(zeros));
    writer.add_tensor(target + ".lora_a", QuantType::F32, std::array{n_in, std::uint64_t{1}},
                      data.first(4 * n_in));
    writer.add_tensor(target + ".lora_b", QuantType::F32, std::array{std::uint64_t{1}, n_out},
                      data.first(4 * n_out));
    ASSERT_TRUE(writer.write(path));
}

TEST_F(AdapterFiles, OnlyMatricesThatTheModelMultipliesWithAreTargets) {
    struct Case {
        const char* architecture;
        fs::path base;
        const char* target;
    };
    const fs::path lfm2 = test::shared_models() / "lfm2/model.gguf";
    for (const Case& each : {Case{"llama", base_, "blk.0.attn_norm.weight"},
                             Case{"llama", base_, "output_norm.weight"},
                             Case{"lfm2", lfm2, "blk.0.shortconv.conv.weight"},
                             Case{"lfm2", lfm2, "blk.0.attn_norm.weight"}}) {
        if (!fs::exists(each.base))
            continue; // the fixture is not here
        const auto gguf = GgufFile::open(each.base);
        ASSERT_TRUE(gguf);
        const GgufTensor* tensor = (*gguf)->find_tensor(each.target);
        ASSERT_NE(tensor, nullptr) << each.target;
        const fs::path path = folder_ / "adapter.gguf";
        write_adapter(path, each.architecture, each.target, tensor->dims[0], tensor->dims[1]);
        std::string fault;
        AdapterOptions options;
        options.fault = &fault;
        const auto checked = check_adapter(path, each.base, options, {});
        ASSERT_FALSE(checked) << each.target;
        EXPECT_EQ(fault, "adapter.target");
        EXPECT_NE(checked.error().message.find("is no matrix that"), std::string::npos)
            << checked.error().message;
    }
}

// --- adapter_config.json

struct ReadConfig {
    Result<adapter::PeftConfig> config;
    std::string fault;
};

ReadConfig read_config(const std::string& rest) {
    std::string fault;
    auto config =
        adapter::read_peft_config(R"({"peft_type":"LORA","r":2,"lora_alpha":6)" + rest + "}",
                                  adapter::Refusal("file", &fault));
    return {std::move(config), fault};
}

TEST(PeftConfig, TheFirstPatternOfTheFileCounts) {
    // In the order of their bytes the second would be the first.
    const auto read = read_config(R"(,"alpha_pattern":{"q_proj":1,".*proj":3},)"
                                  R"("rank_pattern":{"layers.1.q_proj":8,"[a-z0-9.]*q_proj":4})");
    ASSERT_TRUE(read.config) << read.config.error().message;
    EXPECT_EQ(read.config->alpha_of("layers.0.q_proj"), 1);
    EXPECT_EQ(read.config->alpha_of("layers.0.k_proj"), 3);
    EXPECT_EQ(read.config->alpha_of("layers.0.mlp"), 6);
    EXPECT_EQ(read.config->rank_of("layers.1.q_proj"), 8);
    EXPECT_EQ(read.config->rank_of("layers.2.q_proj"), 4);
    EXPECT_EQ(read.config->rank_of("layers.2.k_proj"), 2);
}

TEST(PeftConfig, RanksOfPatternsAreHeldToTheRangeOfRanks) {
    EXPECT_TRUE(read_config(R"(,"rank_pattern":{"q_proj":1024})").config);
    for (const char* rank : {"0", "-1", "1025", "2.5", "1e30", "9223372036854775807",
                             "9223372036854775809", "18446744073709551615", "\"2\""}) {
        const auto read = read_config(std::string(R"(,"rank_pattern":{"q_proj":)") + rank + "}");
        EXPECT_FALSE(read.config) << rank;
        EXPECT_EQ(read.fault, "adapter.metadata_value") << rank;
    }
}

TEST(PeftConfig, ManyNamesAreReadInLinearTime) {
    std::string rest;
    for (int i = 0; i < 200'000; ++i)
        rest += fmt::format(R"(,"field{}":0)", i);
    EXPECT_TRUE(read_config(rest).config);
}

TEST(PeftConfig, DeepNestingIsRefused) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    const auto read = read_config(R"(,"bias":)" + deep);
    EXPECT_FALSE(read.config);
    EXPECT_EQ(read.fault, "adapter.config");
}

// --- safetensors headers

Result<SafetensorsFile> parse(const std::string& bytes) {
    return SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "file");
}

TEST(SafetensorsHeader, ManyNamesAreReadInLinearTime) {
    std::string header = "{";
    for (int i = 0; i < 150'000; ++i)
        header += fmt::format(R"({}"t{}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
                              i == 0 ? "" : ",", i);
    const std::string bytes = safetensors(header + "}", {});
    const auto file = parse(bytes);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->tensors().size(), 150'000U);
}

TEST(SafetensorsHeader, DeepNestingIsRefused) {
    const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
    const auto file = parse(safetensors(R"({"a":{"dtype":"F32","shape":)" + deep + "}}", {}));
    ASSERT_FALSE(file);
    EXPECT_NE(file.error().message.find("nested"), std::string::npos) << file.error().message;
}

} // namespace
} // namespace alcove
