// Files that lie: each rule of docs/formats/gguf.md broken once, then every truncation and many bit
// flips of a good file.
#include "engine/format/gguf_file.h"
#include "engine/format/gguf_parser.h"
#include "engine/format/gguf_writer.h"
#include "tests/engine/format/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>

namespace {

using alcove::GgufFile;
using alcove::parse_gguf;
using alcove::test::TemporaryFolder;

/// A GGUF file written field by field, so that each field can be wrong.
struct RawFile {
    std::vector<std::byte> bytes;

    template <typename T> RawFile& put(T value) {
        const std::size_t at = bytes.size();
        bytes.resize(at + sizeof(T));
        std::memcpy(bytes.data() + at, &value, sizeof(T));
        return *this;
    }
    RawFile& text(std::string_view value) {
        put<std::uint64_t>(value.size());
        for (const char c : value)
            bytes.push_back(static_cast<std::byte>(c));
        return *this;
    }
    RawFile& zeros(std::size_t n) {
        bytes.resize(bytes.size() + n);
        return *this;
    }
    RawFile& align() { return zeros((32 - bytes.size() % 32) % 32); }
};

RawFile header(std::uint64_t n_tensors, std::uint64_t n_key_values, std::uint32_t version = 3) {
    RawFile file;
    file.put<std::uint32_t>(0x46554747).put(version).put(n_tensors).put(n_key_values);
    return file;
}

/// One metadata entry, the value by `value`, then room for counts to look plausible.
RawFile with_value(std::uint32_t type, const std::function<void(RawFile&)>& value) {
    RawFile file = header(0, 1);
    file.text("key").put(type);
    value(file);
    return file.zeros(64);
}

RawFile tensor(std::string_view name, std::vector<std::uint64_t> dims, std::uint32_t type,
               std::uint64_t offset, std::size_t data_bytes = 128) {
    RawFile file = header(1, 0);
    file.text(name).put<std::uint32_t>(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims)
        file.put(dim);
    file.put(type).put(offset);
    return file.align().zeros(data_bytes);
}

RawFile two_tensors(std::string_view first, std::string_view second, std::uint64_t second_offset) {
    RawFile file = header(2, 0);
    file.text(first)
        .put<std::uint32_t>(1)
        .put<std::uint64_t>(16)
        .put<std::uint32_t>(0)
        .put<std::uint64_t>(0);
    file.text(second).put<std::uint32_t>(1).put<std::uint64_t>(16).put<std::uint32_t>(0).put(
        second_offset);
    return file.align().zeros(128);
}

RawFile nested(int depth) {
    return with_value(9, [depth](RawFile& file) {
        for (int i = 0; i < depth; ++i)
            file.put<std::uint32_t>(9).put<std::uint64_t>(1);
        file.put<std::uint32_t>(4).put<std::uint64_t>(0);
    });
}

struct Broken {
    const char* rule;
    RawFile file;
    const char* says; // a part of the sentence
};

RawFile plain(std::string_view text) {
    RawFile file;
    for (const char c : text)
        file.bytes.push_back(static_cast<std::byte>(c));
    return file;
}

std::vector<Broken> broken_files() {
    constexpr std::uint64_t huge = std::uint64_t{1} << 63U;
    constexpr std::uint64_t all = ~std::uint64_t{0};
    constexpr std::uint64_t two40 = std::uint64_t{1} << 40U;
    const auto alignment = [](std::uint32_t value) {
        RawFile file = header(0, 1);
        return file.text("general.alignment").put<std::uint32_t>(4).put(value).zeros(64);
    };
    const auto array = [](std::uint32_t type, std::uint64_t count) {
        return with_value(9, [=](RawFile& file) { file.put(type).put(count); });
    };
    return {
        {"empty", {}, "is empty"},
        {"three bytes", plain("GGU"), "not a GGUF file"},
        {"magic only", plain("GGUF"), "cut off in the version"},
        {"other magic", plain("GGML and more"), "begins with \"GGML\""},
        {"web page", plain("\n <!DOCTYPE html><html>"), "web page"},
        {"LFS pointer", plain("version https://git-lfs.github.com/spec/v1\n"), "Git LFS pointer"},
        {"ZIP", plain("PK\x03\x04 etc"), "ZIP archive"},
        {"gzip", plain("\x1f\x8b etc"), "gzip"},
        {"version 0", header(0, 0, 0), "GGUF version 0"},
        {"version 1", header(0, 0, 1), "GGUF version 1"},
        {"version 99", header(0, 0, 99), "GGUF version 99"},
        {"big endian", header(0, 0, 0x03000000), "big-endian"},
        {"cut in counts", plain("GGUF\x03\0\0\0\0\0"), "cut off"},
        {"2^63 tensors", header(huge, 0).zeros(64), "claims 9223372036854775808 tensors"},
        {"2^40 tensors", header(two40, 0).zeros(64), "tensors"},
        {"2^63 entries", header(0, huge).zeros(64), "metadata entries"},
        {"2^40 entries", header(0, two40).zeros(64), "metadata entries"},
        {"key length 2^64-1", header(0, 1).put(all).zeros(64),
         "length of the key of metadata entry 0"},
        {"key past the end", header(0, 1).put<std::uint64_t>(65).zeros(64), "length of the key"},
        {"empty key", header(0, 1).text("").zeros(64), "has 0 bytes"},
        {"key not UTF-8", header(0, 1).text("a\xff").zeros(64), "not UTF-8"},
        {"key twice",
         header(0, 2)
             .text("k")
             .put<std::uint32_t>(0)
             .put<std::uint8_t>(1)
             .text("k")
             .put<std::uint32_t>(0)
             .put<std::uint8_t>(1),
         "stands twice"},
        {"value type 13", with_value(13, [](RawFile&) {}), "unknown value type 13"},
        {"string length 2^64-1", with_value(8, [](RawFile& f) { f.put(all); }),
         "length of the value"},
        {"array type 77", array(77, 0), "unknown value type 77"},
        {"array of 2^60 bytes", array(0, std::uint64_t{1} << 60U),
         "claims 1152921504606846976 elements"},
        {"array size overflows", array(10, std::uint64_t{1} << 62U), "elements"},
        {"array of 2^50 strings", array(8, std::uint64_t{1} << 50U), "elements"},
        {"array of 2^50 arrays", array(9, std::uint64_t{1} << 50U), "elements"},
        {"arrays nested too deep", nested(20'000), "nested more than"},
        {"boolean 2", with_value(7, [](RawFile& f) { f.put<std::uint8_t>(2); }),
         "boolean with the byte 2"},
        {"alignment 0", alignment(0), "general.alignment is 0"},
        {"alignment 3", alignment(3), "general.alignment is 3"},
        {"alignment 48", alignment(48), "general.alignment is 48"},
        {"alignment 2^31", alignment(0x80000000), "general.alignment is 2147483648"},
        {"alignment a string",
         header(0, 1).text("general.alignment").put<std::uint32_t>(8).text("32").zeros(64),
         "general.alignment has the type String"},
        {"0 dimensions", tensor("t", {}, 0, 0), "0 dimensions"},
        {"5 dimensions", tensor("t", {1, 1, 1, 1, 1}, 0, 0), "5 dimensions"},
        {"dimension 0", tensor("t", {4, 0}, 0, 0), "dimension 1 of tensor \"t\" is 0"},
        {"dimension 2^64-1", tensor("t", {all}, 0, 0), "too large"},
        {"elements overflow", tensor("t", {std::uint64_t{1} << 33U, std::uint64_t{1} << 33U}, 0, 0),
         "too large"},
        {"elements wrap to 0",
         tensor("t", {std::uint64_t{1} << 32U, std::uint64_t{1} << 32U}, 0, 0), "too large"},
        {"bytes overflow", tensor("t", {std::uint64_t{1} << 62U}, 0, 0), "too large"},
        {"type 99", tensor("t", {4}, 99, 0), "has the type 99"},
        {"removed type 4", tensor("t", {32}, 4, 0), "has the type 4"},
        {"type 2^32-1", tensor("t", {4}, 0xFFFFFFFF, 0), "has the type 4294967295"},
        {"row no block multiple", tensor("t", {33}, 2, 0),
         "Q4_0 with rows of 33 values, expected a multiple of 32"},
        {"row no super-block multiple", tensor("t", {128}, 12, 0), "Q4_K with rows of 128"},
        {"empty tensor name", tensor("", {4}, 0, 0), "name of tensor 0 has 0 bytes"},
        {"offset past the end", tensor("t", {4}, 0, 1U << 20U), "past the end"},
        {"offset overflows", tensor("t", {4}, 0, all - 31), "past the end"},
        {"offset not aligned", tensor("t", {4}, 0, 4), "no multiple of the alignment 32"},
        {"data cut off", tensor("t", {32}, 0, 0, 127), "past the end"},
        {"no data", tensor("t", {32}, 0, 0, 0), "past the end"},
        {"tensors overlap", two_tensors("a", "b", 32), "overlap"},
        {"name twice", two_tensors("a", "a", 64), "two tensors have the name \"a\""},
    };
}

TEST(GgufDamage, EveryRuleBrokenOnceIsRefusedWithItsSentence) {
    for (const Broken& broken : broken_files()) {
        const auto parsed = parse_gguf(broken.file.bytes, "f.gguf");
        ASSERT_FALSE(parsed) << broken.rule;
        EXPECT_NE(parsed.error().message.find(broken.says), std::string::npos)
            << broken.rule << ": " << parsed.error().message;
        EXPECT_EQ(parsed.error().message.rfind("f.gguf: ", 0), 0U) << parsed.error().message;
    }
    EXPECT_TRUE(parse_gguf(nested(5).bytes, "f.gguf"));
    EXPECT_TRUE(parse_gguf(two_tensors("a", "b", 64).bytes, "f.gguf"));
}

std::vector<std::byte> good_file() {
    alcove::GgufWriter writer;
    writer.add_string("general.architecture", "llama");
    writer.add_u32("llama.block_count", 1);
    const std::vector<std::string> tokens{"a", "bc", ""};
    writer.add_strings("tokenizer.ggml.tokens", tokens);
    const std::vector<float> scores{0.0F, -1.0F, 2.0F};
    writer.add_f32s("tokenizer.ggml.scores", scores);
    constexpr std::array<std::uint64_t, 2> dims{32, 2};
    writer.add_tensor("blk.0.attn_q.weight", alcove::QuantType::Q8_0, dims,
                      std::vector<std::byte>(68));
    writer.add_tensor("output_norm.weight", alcove::QuantType::F32, std::span(dims).first(1),
                      std::vector<std::byte>(128));
    return writer.bytes();
}

TEST(GgufDamage, EveryTruncationIsRefused) {
    const std::vector<std::byte> good = good_file();
    ASSERT_TRUE(parse_gguf(good, "f.gguf"));
    for (std::size_t n = 0; n < good.size(); ++n) {
        // A copy of its own, so that the address sanitizer sees one byte too many.
        const std::vector<std::byte> cut(good.begin(),
                                         good.begin() + static_cast<std::ptrdiff_t>(n));
        EXPECT_FALSE(parse_gguf(cut, "f.gguf")) << "cut to " << n << " bytes";
    }
}

TEST(GgufDamage, EveryBitFlipGivesAValueOrASentence) {
    const std::vector<std::byte> good = good_file();
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        std::vector<std::byte> damaged = good;
        damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        const auto parsed = parse_gguf(damaged, "f.gguf");
        if (!parsed) {
            EXPECT_FALSE(parsed.error().message.empty());
        }
    }
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> damaged = good;
        const auto changes = 1 + random() % 6;
        for (unsigned i = 0; i < changes; ++i)
            damaged[random() % damaged.size()] = static_cast<std::byte>(random());
        const auto parsed = parse_gguf(damaged, "f.gguf");
        if (parsed) {
            for (const alcove::GgufTensor& tensor : parsed->tensors)
                ASSERT_LE(tensor.offset + tensor.bytes, damaged.size());
        }
    }
}

TEST(GgufDamage, TheSharedBadFilesAreTreatedAsTheirListSays) {
    const char* place = std::getenv("ALCOVE_SHARED");
    const std::filesystem::path bad =
        std::filesystem::path(place != nullptr ? place : ALCOVE_SHARED_DEFAULT) / "oracle" /
        "models" / "bad";
    std::ifstream list(bad / "cases.json");
    if (!list)
        GTEST_SKIP() << "the shared fixtures are not at " << bad;
    const auto cases = nlohmann::json::parse(list).at("cases");
    for (const auto& entry : cases) {
        const auto name = entry.at("file").get<std::string>();
        const bool of_this_room = entry.at("stage") == "file";
        for (const bool use_mmap : {true, false}) {
            const auto opened = GgufFile::open(bad / name, {.use_mmap = use_mmap});
            if (of_this_room && entry.at("expected") == "refuse") {
                EXPECT_FALSE(opened) << name;
            }
            if (entry.at("expected") == "load") {
                EXPECT_TRUE(opened) << name << ": " << opened.error().message;
            }
            // What another room must refuse still has a sound container.
            if (entry.at("stage") == "model") {
                EXPECT_TRUE(opened) << name << ": " << opened.error().message;
            }
            if (!opened) {
                EXPECT_NE(opened.error().message.find(name), std::string::npos)
                    << opened.error().message;
            }
        }
    }
}

} // namespace
