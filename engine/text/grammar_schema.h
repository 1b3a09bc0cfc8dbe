#pragma once

#include "engine/text/grammar_ast.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

/// The parts of which a JSON Schema's grammar is made.
namespace alcove::schema {

using Json = nlohmann::ordered_json;

/// Rules for the JSON language itself, made when first needed.
class JsonRules {
public:
    explicit JsonRules(GrammarAst& ast) : ast_(ast) {}

    ExprId blank();     ///< nothing, a space, or one or two line breaks with indentation
    ExprId character(); ///< one character inside a string, plain or escaped
    ExprId string() { return any_of(string_, "json-string"); }
    ExprId number() { return any_of(number_, "json-number"); }
    ExprId integer();
    ExprId value() { return any_of(value_, "json-value"); }
    ExprId object() { return any_of(object_, "json-object"); }
    ExprId array() { return any_of(array_, "json-array"); }
    /// `value` itself, keys in its order, with free blanks between its tokens.
    ExprId constant(const Json& value);
    /// A key that is none of `names`, spelled in any way that cannot be mistaken for one of them.
    ExprId key_except(const std::vector<std::string>& names);

    ExprId comma() { return ast_.sequence({ast_.literal(","), blank()}); }
    ExprId colon() { return ast_.sequence({ast_.literal(":"), blank()}); }

private:
    ExprId any_of(std::optional<RuleId>& slot, const char* name);
    ExprId build(std::string_view name);

    GrammarAst& ast_;
    std::optional<RuleId> string_, number_, value_, object_, array_, blank_, character_;
};

/// JSON text of one code point of `set` inside a string: itself, or its short escape.
ExprId spelled(GrammarAst& ast, const CodeSet& set);

/// Numbers from `low` to `high` (decimal notation; either may be absent), each bound exclusive or
/// not; integers only if `integral`. Without exponent.
Result<ExprId> number_between(GrammarAst& ast, const std::optional<std::string>& low,
                              bool low_exclusive, const std::optional<std::string>& high,
                              bool high_exclusive, bool integral);

/// JSON strings (without their quotes) that match the regular expression `pattern`: what ECMA-262
/// has without look-around, back-references and anchors in the middle.
Result<ExprId> pattern_body(GrammarAst& ast, JsonRules& rules, std::string_view pattern);

/// Fixed forms of `format`: date, time, date-time, uuid; nothing for other names, which are only
/// notes by the specification.
std::optional<std::string> format_pattern(std::string_view format);

/// Grammar of the whole schema; the rule to start with is the second.
Result<std::pair<GrammarAst, RuleId>> grammar_of_schema(const Json& schema);

} // namespace alcove::schema
