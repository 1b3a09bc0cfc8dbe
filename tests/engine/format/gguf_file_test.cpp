#include "engine/format/gguf_file.h"
#include "engine/format/gguf_writer.h"
#include "tests/engine/format/temporary_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace {

using alcove::GgufFile;
using alcove::GgufValueType;
using alcove::GgufWriter;
using alcove::QuantType;
using alcove::test::TemporaryFolder;

constexpr std::array<std::uint64_t, 2> kMatrix{32, 3};

std::vector<std::byte> floats(std::size_t n, float first) {
    std::vector<std::byte> bytes(n * sizeof(float));
    for (std::size_t i = 0; i < n; ++i) {
        const float value = first + static_cast<float>(i);
        std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
    }
    return bytes;
}

GgufWriter small_model(std::uint32_t version = 3, std::uint32_t alignment = 32) {
    GgufWriter writer(version, alignment);
    writer.add_string("general.architecture", "llama");
    writer.add_u32("llama.block_count", 2);
    writer.add_i32("some.negative", -5);
    writer.add_u64("some.large", 0xFFFFFFFFFFFFFFFFU);
    writer.add_f32("llama.rope.freq_base", 10000.0F);
    writer.add_bool("tokenizer.ggml.add_bos_token", true);
    const std::vector<std::string> tokens{"<unk>", "", std::string("a\0b", 3)};
    writer.add_strings("tokenizer.ggml.tokens", tokens);
    const std::vector<std::int32_t> types{1, -2, 3};
    writer.add_i32s("tokenizer.ggml.token_type", types);
    writer.add_tensor("token_embd.weight", QuantType::F32, kMatrix, floats(96, 0.5F));
    constexpr std::array<std::uint64_t, 1> norm{3};
    writer.add_tensor("output_norm.weight", QuantType::F32, norm, floats(3, -1.0F));
    return writer;
}

TEST(GgufFile, GivesBackEverythingThatWasWritten) {
    const TemporaryFolder folder;
    for (const std::uint32_t version : {2U, 3U}) {
        for (const std::uint32_t alignment : {8U, 32U, 4096U}) {
            for (const bool use_mmap : {true, false}) {
                const auto path = folder.path() / "model.gguf";
                ASSERT_TRUE(small_model(version, alignment).write(path));
                auto opened = GgufFile::open(path, {.use_mmap = use_mmap});
                ASSERT_TRUE(opened) << opened.error().message;
                const GgufFile& file = **opened;
                EXPECT_EQ(file.version(), version);
                EXPECT_EQ(file.alignment(), alignment);
                EXPECT_EQ(file.n_parts(), 1U);
                EXPECT_EQ(file.file_bytes(), std::filesystem::file_size(path));
                EXPECT_EQ(*file.get_string("general.architecture").value(), "llama");
                EXPECT_EQ(*file.get_u64("llama.block_count").value(), 2U);
                EXPECT_EQ(*file.get_u64("some.large").value(), 0xFFFFFFFFFFFFFFFFU);
                EXPECT_EQ(*file.get_f64("llama.rope.freq_base").value(), 10000.0);
                EXPECT_EQ(*file.get_f64("some.negative").value(), -5.0);
                EXPECT_TRUE(*file.get_bool("tokenizer.ggml.add_bos_token").value());
                const alcove::GgufArray* tokens = file.get_array("tokenizer.ggml.tokens").value();
                ASSERT_NE(tokens, nullptr);
                ASSERT_EQ(tokens->size, 3U);
                EXPECT_EQ(std::get<std::vector<std::string_view>>(tokens->elements)[2],
                          std::string_view("a\0b", 3));
                const alcove::GgufArray* types =
                    file.get_array("tokenizer.ggml.token_type").value();
                EXPECT_EQ(std::get<std::vector<std::int64_t>>(types->elements),
                          (std::vector<std::int64_t>{1, -2, 3}));

                ASSERT_EQ(file.tensors().size(), 2U);
                const alcove::GgufTensor* embedding = file.find_tensor("token_embd.weight");
                ASSERT_NE(embedding, nullptr);
                EXPECT_EQ(embedding->n_dims, 2U);
                EXPECT_EQ(embedding->dims, (std::array<std::uint64_t, 4>{32, 3, 1, 1}));
                EXPECT_EQ(embedding->bytes, 96 * sizeof(float));
                EXPECT_EQ(embedding->offset % alignment, 0U);
                EXPECT_EQ(std::memcmp(embedding->data, floats(96, 0.5F).data(), embedding->bytes),
                          0);
                EXPECT_EQ(file.find_tensor("nothing"), nullptr);
                EXPECT_EQ(file.find("nothing"), nullptr);
            }
        }
    }
}

TEST(GgufFile, AnAbsentKeyIsNothingAndAWrongTypeIsNamed) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.gguf";
    ASSERT_TRUE(small_model().write(path));
    const auto file = GgufFile::open(path).value();
    EXPECT_FALSE(file->get_u64("absent").value().has_value());
    EXPECT_FALSE(file->get_string("absent").value().has_value());
    EXPECT_EQ(file->get_array("absent").value(), nullptr);

    const auto message = [&](const auto& result) {
        return result.has_value() ? std::string() : result.error().message;
    };
    EXPECT_NE(message(file->get_u64("general.architecture"))
                  .find("general.architecture has the type String"),
              std::string::npos);
    EXPECT_NE(message(file->get_u64("some.negative")).find("some.negative is -5"),
              std::string::npos);
    EXPECT_NE(message(file->get_u64("llama.rope.freq_base")).find("F32, expected an integer"),
              std::string::npos);
    EXPECT_NE(message(file->get_string("llama.block_count")).find("U32, expected String"),
              std::string::npos);
    EXPECT_NE(message(file->get_bool("llama.block_count")).find("expected Bool"),
              std::string::npos);
    EXPECT_NE(message(file->get_array("llama.block_count")).find("expected Array"),
              std::string::npos);
    EXPECT_NE(message(file->get_f64("tokenizer.ggml.tokens")).find("expected a number"),
              std::string::npos);
}

TEST(GgufFile, OpensPathsThatAreNotAscii) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "модель 模型 é.gguf";
    ASSERT_TRUE(small_model().write(path));
    EXPECT_TRUE(GgufFile::open(path));
    const auto missing = GgufFile::open(folder.path() / "нет.gguf");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, alcove::Errc::NotFound);
    EXPECT_NE(missing.error().message.find("нет.gguf"), std::string::npos);
}

/// The three parts of a split model, each with one tensor.
void write_parts(const TemporaryFolder& folder, std::size_t missing, std::int32_t n_tensors,
                 bool same_name = false) {
    constexpr std::array<std::uint64_t, 1> dims{4};
    for (std::uint32_t i = 0; i < 3; ++i) {
        if (i == missing)
            continue;
        GgufWriter writer;
        if (i == 0)
            writer.add_string("general.architecture", "llama");
        writer.add_u32("split.no", i);
        writer.add_u32("split.count", 3);
        writer.add_i32("split.tensors.count", n_tensors);
        writer.add_tensor(same_name ? std::string("t") : fmt::format("t{}", i), QuantType::F32,
                          dims, floats(4, static_cast<float>(i)));
        ASSERT_TRUE(writer.write(folder.path() / fmt::format("m-{:05}-of-00003.gguf", i + 1)));
    }
}

TEST(GgufFile, TheFirstPartOfASplitModelBringsTheOthers) {
    const TemporaryFolder folder;
    write_parts(folder, 99, 3);
    const auto opened = GgufFile::open(folder.path() / "m-00001-of-00003.gguf");
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->n_parts(), 3U);
    ASSERT_EQ((*opened)->tensors().size(), 3U);
    float third = 0;
    std::memcpy(&third, (*opened)->find_tensor("t2")->data, sizeof third);
    EXPECT_EQ(third, 2.0F);
}

TEST(GgufFile, ASplitModelThatIsNotWholeIsRefusedWithItsReason) {
    const auto refusal = [](const TemporaryFolder& folder, const char* name) {
        const auto opened = GgufFile::open(folder.path() / name);
        return opened ? std::string("opened") : opened.error().message;
    };
    const TemporaryFolder one_missing;
    write_parts(one_missing, 2, 3);
    EXPECT_NE(refusal(one_missing, "m-00001-of-00003.gguf").find("part 3 of 3 is missing"),
              std::string::npos);
    const TemporaryFolder wrong_count;
    write_parts(wrong_count, 99, 7);
    EXPECT_NE(refusal(wrong_count, "m-00001-of-00003.gguf").find("hold 3 tensors, expected 7"),
              std::string::npos);
    EXPECT_NE(refusal(wrong_count, "m-00002-of-00003.gguf").find("open the first part"),
              std::string::npos);
    std::filesystem::rename(wrong_count.path() / "m-00001-of-00003.gguf",
                            wrong_count.path() / "other.gguf");
    EXPECT_NE(refusal(wrong_count, "other.gguf").find("must end in -00001-of-00003.gguf"),
              std::string::npos);
    const TemporaryFolder twice;
    write_parts(twice, 99, 3, true);
    EXPECT_NE(refusal(twice, "m-00001-of-00003.gguf").find("expected once"), std::string::npos);
}

TEST(GgufWriter, LeavesNothingBehindWhereItCannotWrite) {
    const TemporaryFolder folder;
    const auto blocked = folder.path() / "taken";
    std::filesystem::create_directories(blocked / "inside");
    EXPECT_FALSE(small_model().write(blocked)); // a folder that is not empty cannot be replaced
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    EXPECT_FALSE(small_model().write(folder.path() / "absent" / "file.gguf"));
}

} // namespace
