#pragma once

#include "engine/format/gguf_file.h"
#include "engine/format/gguf_writer.h"
#include "engine/text/tokenizer.h"
#include "tests/engine/format/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

/// Where the tokenizer tests find vocabularies and cases.
namespace alcove::test {

inline std::filesystem::path tokenizer_data() {
    return std::filesystem::path(ALCOVE_TEST_DATA) / "tokenizers";
}

inline std::filesystem::path shared_folder() {
    const char* place = std::getenv("ALCOVE_SHARED");
    return place != nullptr ? place : ALCOVE_SHARED_DEFAULT;
}

inline std::filesystem::path shared_tokenizers() {
    return shared_folder() / "oracle" / "text" / "tokenizers";
}

/// The folder of whole model files: ALCOVE_MODELS, else "models" beside the shared folder.
inline std::filesystem::path models_folder() {
    const char* place = std::getenv("ALCOVE_MODELS");
    return place != nullptr ? std::filesystem::path(place) : shared_folder() / ".." / "models";
}

inline Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const std::filesystem::path& path) {
    ALCOVE_ASSIGN_OR_RETURN(const auto file, GgufFile::open(path));
    return Tokenizer::load(*file);
}

/// The tokenizer that `writer`'s file describes.
inline Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const GgufWriter& writer) {
    const TemporaryFolder folder;
    return load_tokenizer(folder.write("test.gguf", writer.bytes()));
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
    std::ifstream in(path);
    return nlohmann::json::parse(in);
}

inline std::vector<nlohmann::json> read_json_lines(const std::filesystem::path& path) {
    std::vector<nlohmann::json> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
        if (!line.empty())
            lines.push_back(nlohmann::json::parse(line));
    return lines;
}

inline std::string bytes_of_hex(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
}

} // namespace alcove::test
