#include "engine/text/grammar.h"
#include "app/cli/command.h"
#include "app/cli/files.h"

#include <memory>

// Judges texts by grammars; no model is needed.
namespace alcove::cli {
namespace {

/// The grammar of a line: GBNF under "gbnf" (the fixtures say "grammar"), or a JSON Schema under
/// "schema".
Result<std::shared_ptr<const Grammar>> read_grammar(const Json& line) {
    for (const char* key : {"gbnf", "grammar"})
        if (line.contains(key))
            return Grammar::from_gbnf(line.at(key).get<std::string>());
    if (line.contains("schema"))
        return Grammar::from_json_schema(line.at("schema"));
    return Error{Errc::Format, "the line has neither gbnf nor schema"};
}

/// The texts of a line: plain strings under "strings" (the fixtures: objects with "text", also
/// under "docs").
std::vector<std::string> read_strings(const Json& line) {
    std::vector<std::string> texts;
    for (const char* key : {"strings", "docs"})
        if (line.contains(key))
            for (const Json& item : line.at(key))
                texts.push_back(item.is_object() ? item.at("text").get<std::string>()
                                                 : item.get<std::string>());
    return texts;
}

Result<Json> judge_line(const Json& line) {
    ALCOVE_ASSIGN_OR_RETURN(const auto grammar, read_grammar(line));
    Json results = Json::array();
    Json reject_at = Json::array();
    for (const std::string& text : read_strings(line)) {
        const GrammarCheck check = check_text(*grammar, text);
        switch (check.verdict) {
        case GrammarVerdict::Accept:
            results.push_back("accept");
            break;
        case GrammarVerdict::Prefix:
            results.push_back("prefix");
            break;
        case GrammarVerdict::Reject:
            results.push_back("reject");
            break;
        }
        reject_at.push_back(check.verdict == GrammarVerdict::Reject ? Json(check.reject_at)
                                                                    : Json(nullptr));
    }
    return Json{{"results", std::move(results)}, {"reject_at", std::move(reject_at)}};
}

} // namespace

CommandBody add_grammar(CLI::App& command) {
    auto cases = std::make_shared<std::string>();
    command
        .add_option("--cases", *cases,
                    R"(JSON Lines: {"gbnf" or "schema", "strings":[…]}; - is standard input)")
        ->required();
    return [cases](Invocation& invocation) {
        return answer_cases(invocation.console, *cases, judge_line);
    };
}

} // namespace alcove::cli
