#pragma once

#include "engine/text/chat_template.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

/// Reading of the template fixtures; their format is described in the shared oracle's README.
namespace alcove::test {

using Json = nlohmann::ordered_json;

/// strftime_now of every fixture: 2026-03-09 14:05:07, a Monday.
constexpr std::int64_t kFixtureNow = 1'773'065'107;

inline std::filesystem::path data_dir() {
    return std::filesystem::path(ALCOVE_TEST_DATA) / "templates";
}

inline std::filesystem::path shared_dir() {
    const char* given = std::getenv("ALCOVE_SHARED");
    return std::filesystem::path(given != nullptr ? given : ALCOVE_SHARED_DEFAULT) /
           "oracle/text/templates";
}

inline std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<Json> read_lines(const std::filesystem::path& path) {
    std::vector<Json> out;
    std::ifstream in(path, std::ios::binary);
    for (std::string line; std::getline(in, line);)
        out.push_back(Json::parse(line));
    return out;
}

inline const char* kind_name(TemplateErrorKind kind) {
    switch (kind) {
    case TemplateErrorKind::Raised:
        return "raised";
    case TemplateErrorKind::Undefined:
        return "undefined";
    case TemplateErrorKind::Runtime:
        return "runtime";
    case TemplateErrorKind::Security:
        return "security";
    case TemplateErrorKind::Syntax:
        return "syntax";
    }
    return "?";
}

/// What a template gives: its text, or an error with its kind.
struct Outcome {
    std::string text;
    TextSegments segments;
    std::string error_kind; ///< empty: rendered
    std::string error;
};

inline Outcome render(const std::string& source, const Json& context, TemplateLimits limits = {}) {
    auto compiled = ChatTemplate::compile(source, limits);
    if (const auto* error = std::get_if<TemplateError>(&compiled))
        return {{}, {}, kind_name(error->kind), error->message};
    const auto result = std::get<0>(compiled)->render(context, kFixtureNow);
    if (const auto* error = std::get_if<TemplateError>(&result))
        return {{}, {}, kind_name(error->kind), error->message};
    const auto& rendered = std::get<ChatTemplate::Rendered>(result);
    return {rendered.text(), rendered.segments, {}, {}};
}

/// The context of a line of cases.jsonl.
inline Json case_context(const Json& line) {
    Json context = {{"bos_token", "<BOS>"},
                    {"eos_token", "<EOS>"},
                    {"pad_token", "<PAD>"},
                    {"unk_token", "<UNK>"}};
    for (const char* key : {"messages", "tools", "documents", "add_generation_prompt"})
        context[key] = line.at(key);
    for (const auto& [key, value] : line.at("extra").items())
        context[key] = value;
    return context;
}

} // namespace alcove::test
