#include "engine/engine.h"
#include "tests/engine/format/temporary_folder.h"
#include "tests/engine/model/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace alcove {
namespace {

/// What every refusal has to be: one sentence that names the file.
void expect_sentence(const Error& error, const std::string& file) {
    EXPECT_NE(error.message.find(file), std::string::npos) << file << ": " << error.message;
    EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
    EXPECT_NE(error.code, Errc::Internal) << error.message;
    EXPECT_NE(error.code, Errc::Memory) << error.message;
}

void check_cases(const std::filesystem::path& folder) {
    const nlohmann::json cases = test::read_json(folder / "cases.json");
    ASSERT_FALSE(cases["cases"].empty());
    for (const nlohmann::json& entry : cases["cases"]) {
        const std::string file = entry["file"];
        const std::string expected = entry["expected"];
        auto model = Model::load(folder / file, {}, {});
        if (!model) {
            EXPECT_NE(expected, "load") << file << ": " << model.error().message;
            expect_sentence(model.error(), file);
            continue;
        }
        EXPECT_NE(expected, "refuse") << file << " (" << entry["why"] << ") was loaded";
        // What loads must answer or fail with a sentence.
        auto session = Session::create(*model, {});
        ASSERT_TRUE(session) << file << ": " << session.error().message;
        GenerateRequest request;
        request.prompt = {1, 5, 9};
        request.n_predict = 8;
        auto answer = (*session)->generate(request, {}, {});
        if (!answer) {
            EXPECT_EQ(answer.error().code, Errc::Numeric) << file << answer.error().message;
            expect_sentence(answer.error(), file);
        }
    }
}

TEST(BadModels, EachCaseOfTheRepositoryIsTreatedAsItSays) {
    check_cases(test::data_models() / "bad");
}

TEST(BadModels, EachCaseOfTheWholeSetIsTreatedAsItSays) {
    if (!std::filesystem::exists(test::shared_models() / "bad/cases.json"))
        GTEST_SKIP() << "no fixtures in ALCOVE_SHARED";
    check_cases(test::shared_models() / "bad");
}

TEST(BadModels, InfoOfAFileThatCannotRunSaysWhy) {
    auto info = read_model_info(test::data_models() / "bad/architecture_unknown.gguf");
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_FALSE(info->runnable);
    EXPECT_NE(info->reason.find("nosuch"), std::string::npos) << info->reason;
    info = read_model_info(test::data_models() / "bad/ok_minimal.gguf");
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info->runnable) << info->reason;
    EXPECT_EQ(info->n_layer, 1);
    EXPECT_EQ(info->quantization, "F32");
}

TEST(BadModels, MemoryIsCheckedBeforeTheWeightsAreRead) {
    // A small file that claims to be trained for the longest context there is.
    std::ifstream in(test::data_models() / "bad/ok_minimal.gguf", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::string key = "llama.context_length";
    const std::size_t value = bytes.find(key) + key.size() + 4; // after the value's type
    bytes.replace(value, 4, "\xff\xff\xff\x7f");
    const test::TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "long.gguf";
    std::ofstream(path, std::ios::binary) << bytes;

    Model::LoadOptions options;
    options.for_session = SessionOptions{};
    options.for_session->n_ctx = std::numeric_limits<std::int32_t>::max();
    float progress = 0;
    options.on_progress = [&](float fraction) { progress = std::max(progress, fraction); };
    auto model = Model::load(path, options, {});
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, Errc::Memory);
    EXPECT_NE(model.error().message.find("would fit"), std::string::npos) << model.error().message;
    EXPECT_LT(progress, 0.2F);
    options.for_session->n_ctx = 64;
    EXPECT_TRUE(Model::load(path, options, {}));
}

TEST(BadModels, NotANumberNamesTheFirstLayer) {
    auto model = Model::load(test::data_models() / "bad/nan_weight.gguf", {}, {});
    ASSERT_TRUE(model) << model.error().message;
    auto session = Session::create(*model, {});
    ASSERT_TRUE(session);
    GenerateRequest request;
    request.prompt = {1, 5, 9};
    auto answer = (*session)->generate(request, {}, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::Numeric);
    EXPECT_NE(answer.error().message.find("layer 0"), std::string::npos) << answer.error().message;
}

TEST(BadModels, ValidFilesOfOneModelAgree) {
    const std::filesystem::path folder = test::shared_models() / "bad";
    if (!std::filesystem::exists(folder / "cases.json"))
        GTEST_SKIP() << "no fixtures in ALCOVE_SHARED";
    const nlohmann::json cases = test::read_json(folder / "cases.json");
    const nlohmann::json& ok = cases["ok_logits"];
    const std::vector<float> expected = test::read_floats(folder / ok["file"].get<std::string>());
    const auto tokens = ok["tokens"].get<std::vector<TokenId>>();
    for (const nlohmann::json& entry : ok["applies_to"]) {
        const std::string name = entry;
        auto model = Model::load(folder / (name + ".gguf"), {}, {});
        ASSERT_TRUE(model) << name << ": " << model.error().message;
        SessionOptions options;
        options.kv_type = KvType::F32;
        auto session = Session::create(*model, options);
        ASSERT_TRUE(session);
        auto evaluation = (*session)->evaluate(tokens, {}, {});
        ASSERT_TRUE(evaluation) << evaluation.error().message;
        EXPECT_LE(test::max_difference(evaluation->logits, expected), 3e-4) << name;
    }
}

} // namespace
} // namespace alcove
