#include "engine/engine.h"
#include "engine/format/safetensors_file.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <fstream>

namespace alcove {
namespace {

namespace fs = std::filesystem;

struct Outcome {
    bool loaded = false;
    std::string fault, message;
};

/// What a check of the adapter against the model says; nothing where the model does not run here.
std::optional<Outcome> check(const fs::path& adapter, const fs::path& base,
                             AdapterOptions options = {}) {
    if (!fs::exists(base))
        return std::nullopt;
    const auto info = read_model_info(base);
    if (!info || !info->runnable)
        return std::nullopt;
    Outcome outcome;
    options.fault = &outcome.fault;
    const auto checked = check_adapter(adapter, base, options, {});
    outcome.loaded = checked.has_value();
    if (!checked)
        outcome.message = checked.error().message;
    return outcome;
}

void check_cases(const fs::path& folder, const nlohmann::json& cases, const char* path_key) {
    int n_checked = 0;
    for (const nlohmann::json& entry : cases) {
        const std::string path = entry[path_key];
        const std::string expected = entry["expected"];
        const auto outcome = check(folder / path, folder / entry["base"].get<std::string>());
        if (!outcome)
            continue;
        ++n_checked;
        const std::string why = path + " (" + entry["why"].get<std::string>() + ")";
        if (expected == "load") {
            EXPECT_TRUE(outcome->loaded) << why << ": " << outcome->message;
        }
        if (expected == "refuse") {
            EXPECT_FALSE(outcome->loaded) << why;
        }
        if (outcome->loaded)
            continue;
        EXPECT_TRUE(outcome->fault.starts_with("adapter.")) << why << ": " << outcome->message;
        EXPECT_EQ(outcome->message.find('\n'), std::string::npos) << outcome->message;
        EXPECT_NE(outcome->message.find(fs::path(path).filename().string()), std::string::npos)
            << outcome->message;
        EXPECT_EQ(outcome->message.find("unexpected failure"), std::string::npos)
            << outcome->message;
    }
    EXPECT_GT(n_checked, 0);
}

TEST(AdapterRefusal, EveryMalformedFileIsRefusedBySentence) {
    fs::path folder;
    for (const fs::path& root : {test::shared_models(), test::data_models()}) {
        if (folder.empty() && fs::exists(root / "lora_bad/cases.json"))
            folder = root / "lora_bad";
    }
    ASSERT_FALSE(folder.empty());
    check_cases(folder, test::read_json(folder / "cases.json")["cases"], "path");
}

TEST(AdapterRefusal, EveryRankOneRuleIsKept) {
    const fs::path folder = test::case_folder("rankone_qwen35");
    if (folder.empty())
        GTEST_SKIP() << "no fixture rankone_qwen35 (ALCOVE_SHARED)";
    check_cases(folder, test::read_json(folder / "expected.json")["bad"], "file");
}

TEST(AdapterRefusal, TheFirstBrokenRankOneRuleIsNamed) {
    const fs::path folder =
        test::shared_models().parent_path().parent_path() / "spec/prism/fixtures/rankone";
    if (!fs::exists(folder / "admission.json"))
        GTEST_SKIP() << "no fixture admission.json (ALCOVE_SHARED)";
    const nlohmann::json cases = test::read_json(folder / "admission.json");
    const fs::path base = folder / cases["base"].get<std::string>();
    const auto info = read_model_info(base);
    const bool runnable = info && info->runnable;
    for (const nlohmann::json& entry : cases["structural"]) {
        const std::string expected = entry["expect"];
        const fs::path file = folder / entry["file"].get<std::string>();
        std::string fault;
        AdapterOptions options;
        options.fault = &fault;
        if (runnable) {
            const auto checked = check_adapter(file, base, options, {});
            EXPECT_EQ(checked ? "ok" : fault, expected) << file;
        } else {
            // Without a base what depends on none is refused all the same.
            const bool needs_base = expected == "adapter.target" || expected == "adapter.factor";
            const auto read = read_adapter_info(file, options, {});
            if (!needs_base) {
                EXPECT_EQ(read ? "ok" : fault, expected) << file;
            }
        }
    }
}

TEST(AdapterRefusal, IdentityIsCheckedBeforeAnythingElse) {
    const fs::path folder =
        test::shared_models().parent_path().parent_path() / "spec/prism/fixtures/rankone";
    if (!fs::exists(folder / "admission.json"))
        GTEST_SKIP() << "no fixture admission.json (ALCOVE_SHARED)";
    const nlohmann::json catalogue = test::read_json(folder / "admission.json")["catalogue"];
    const nlohmann::json& approved = catalogue["approved"][0];
    for (const nlohmann::json& entry : catalogue["identity_cases"]) {
        std::string fault;
        AdapterOptions options;
        options.fault = &fault;
        options.expected_bytes = approved["bytes"].get<std::uint64_t>();
        options.expected_sha256 = approved["sha256"];
        options.bound_base_sha256 = approved["base_sha256"];
        const bool same_base = entry["base"] == catalogue["base"]["file"];
        options.base_sha256 =
            same_base ? catalogue["base"]["sha256"].get<std::string>() : std::string(64, '0');
        const auto read = read_adapter_info(folder / entry["file"].get<std::string>(), options, {});
        EXPECT_EQ(read ? "ok" : fault, entry["expect"].get<std::string>()) << entry;
    }
}

// --- damage

class Damaged : public testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(testing::TempDir()) / "adapter_damage";
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string bytes_of(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    static void write(const fs::path& path, std::string_view bytes) {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    fs::path folder_;
};

TEST_F(Damaged, TruncatedAndFlippedFilesAreRefusedOrSound) {
    const fs::path bad = test::data_models() / "lora_bad";
    const fs::path base = test::data_models() / "llama/model.gguf";
    write(folder_ / "adapter_config.json", bytes_of(bad / "peft_ok_control/adapter_config.json"));
    const struct {
        const char* name;
        fs::path source;
    } files[] = {
        {"adapter_model.safetensors", bad / "peft_ok_control/adapter_model.safetensors"},
        {"adapter.gguf", bad / "gguf_ok_control.gguf"},
    };
    for (const auto& file : files) {
        const std::string whole = bytes_of(file.source);
        ASSERT_FALSE(whole.empty());
        const fs::path path = folder_ / file.name;
        for (std::size_t n = 0; n < whole.size(); n += n < 600 ? 7 : 61) {
            write(path, whole.substr(0, n));
            EXPECT_FALSE(check_adapter(path, base, {}, {})) << file.name << " cut to " << n;
        }
        for (std::size_t at = 0; at < std::min<std::size_t>(whole.size(), 700); at += 3) {
            std::string flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
            write(path, flipped);
            const auto checked = check_adapter(path, base, {}, {});
            if (!checked) {
                EXPECT_NE(checked.error().code, Errc::Internal) << checked.error().message;
            }
        }
    }
}

std::string safetensors(std::string_view header, std::size_t n_data) {
    const std::uint64_t n = header.size();
    std::string bytes(reinterpret_cast<const char*>(&n), sizeof n);
    bytes += header;
    bytes.append(n_data, '\0');
    return bytes;
}

Result<SafetensorsFile> parse(const std::string& bytes) {
    return SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "file");
}

TEST(Safetensors, NamesThatStandTwiceAreRefused) {
    const std::string once = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    EXPECT_TRUE(parse(safetensors(once, 4)));
    const std::string twice = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                              R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
    EXPECT_FALSE(parse(safetensors(twice, 8)));
    const std::string inner = R"({"a":{"dtype":"F32","dtype":"F16","shape":[1],)"
                              R"("data_offsets":[0,2]}})";
    EXPECT_FALSE(parse(safetensors(inner, 4)));
    // The same name in two objects is none of that.
    const std::string two = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                            R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})";
    EXPECT_TRUE(parse(safetensors(two, 8)));
}

TEST(Safetensors, ExtentsAreChecked) {
    for (const char* header : {
             R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
             R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
             R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
             R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
             R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,0]}})",
             R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})",
             R"({"a":{"dtype":"F32","shape":[1]}})",
             R"({"a":[]})",
             R"([])",
             R"({"__metadata__":{"k":1}})",
         })
        EXPECT_FALSE(parse(safetensors(header, 8))) << header;
}

} // namespace
} // namespace alcove
