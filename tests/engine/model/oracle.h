#pragma once

#include "engine/engine.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// Reading of the fixtures: tiny models with the logits that another implementation computed.
namespace alcove::test {

inline std::filesystem::path data_models() {
    return std::filesystem::path(ALCOVE_TEST_DATA) / "models";
}

inline std::filesystem::path shared_models() {
    const char* from_environment = std::getenv("ALCOVE_SHARED");
    return std::filesystem::path(from_environment != nullptr ? from_environment
                                                             : ALCOVE_SHARED_DEFAULT) /
           "oracle/models";
}

/// The folder of a case: the whole fixture where it is, else the part kept in tests/data; empty if
/// neither is there.
inline std::filesystem::path case_folder(const std::string& name) {
    for (const std::filesystem::path& root : {shared_models(), data_models()}) {
        if (std::filesystem::exists(root / name / "expected.json"))
            return root / name;
    }
    return {};
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
    std::ifstream in(path);
    return nlohmann::json::parse(in);
}

inline std::vector<float> read_floats(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>()};
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

/// One prompt of a case with what is expected.
struct OraclePrompt {
    std::string name;
    std::vector<std::int32_t> tokens;
    std::vector<float> logits, hidden;
    double logit_std = 1;
    std::vector<std::int32_t> greedy;
    std::vector<double> greedy_margin;
};

/// The prompts of `prompts` (an array in expected.json) whose files are in `folder`.
inline std::vector<OraclePrompt> read_prompts(const std::filesystem::path& folder,
                                              const nlohmann::json& prompts) {
    std::vector<OraclePrompt> found;
    for (const nlohmann::json& entry : prompts) {
        const std::filesystem::path logits = folder / entry["logits"]["file"].get<std::string>();
        if (!std::filesystem::exists(logits))
            continue;
        OraclePrompt prompt;
        prompt.name = entry["name"];
        prompt.tokens = entry["tokens"].get<std::vector<std::int32_t>>();
        prompt.logits = read_floats(logits);
        prompt.hidden = read_floats(folder / entry["hidden_last"]["file"].get<std::string>());
        prompt.logit_std = entry["logit_std"];
        prompt.greedy = entry.value("greedy", std::vector<std::int32_t>{});
        prompt.greedy_margin = entry.value("greedy_margin", std::vector<double>{});
        found.push_back(std::move(prompt));
    }
    return found;
}

/// Largest absolute difference; infinity if a value is not a number or the sizes differ.
inline double max_difference(const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size())
        return std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (!(difference <= largest))
            largest =
                difference == difference ? difference : std::numeric_limits<double>::infinity();
    }
    return largest;
}

/// Nothing is rounded to fewer bits: what a run has in common with the expected numbers.
inline SessionOptions exact_options(std::int32_t n_batch, std::int32_t n_threads = 2) {
    SessionOptions options;
    options.n_ctx = 512;
    options.n_batch = n_batch;
    options.n_threads = n_threads;
    options.kv_type = KvType::F32;
    options.activations = Activations::F32;
    return options;
}

/// Empty, and the test fails, where the session refuses.
inline Session::Evaluation evaluate(Session& session, const std::vector<TokenId>& tokens) {
    auto evaluation = session.evaluate(tokens, {}, {});
    EXPECT_TRUE(evaluation) << (evaluation ? "" : evaluation.error().message);
    return evaluation ? std::move(*evaluation) : Session::Evaluation{};
}

} // namespace alcove::test
