#include "engine/text/grammar_schema.h"
#include "engine/text/utf8.h"

#include <map>
#include <set>

namespace alcove::schema {

namespace {

constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
constexpr std::string_view kEscapes = "\"\\bfnrt";
constexpr std::uint32_t kMaxDigits =
    16; // what a double can hold; endless digits are a model's favourite loop

CodeSet plain_characters() {
    return complement({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}});
}

} // namespace

ExprId spelled(GrammarAst& ast, const CodeSet& set) {
    std::vector<ExprId> parts{ast.set(intersection(set, plain_characters()))};
    for (std::size_t i = 0; i < kEscaped.size(); ++i) {
        const auto c = static_cast<char32_t>(kEscaped[i]);
        if (!intersection(set, {{c, c}}).empty())
            parts.push_back(ast.literal(std::string("\\") + kEscapes[i]));
    }
    return ast.choice(std::move(parts));
}

ExprId JsonRules::any_of(std::optional<RuleId>& slot, const char* name) {
    if (!slot) {
        slot = ast_.new_rule(name);
        ast_.define(*slot, build(name));
    }
    return ast_.rule(*slot);
}

ExprId JsonRules::blank() {
    return any_of(blank_, "json-blank");
}
ExprId JsonRules::character() {
    return any_of(character_, "json-character");
}

ExprId JsonRules::integer() {
    const ExprId digits = ast_.repeat(ast_.set({{'0', '9'}}), 0, kMaxDigits - 1);
    return ast_.sequence(
        {ast_.optional(ast_.literal("-")),
         ast_.choice({ast_.literal("0"), ast_.sequence({ast_.set({{'1', '9'}}), digits})})});
}

ExprId JsonRules::build(std::string_view name) {
    GrammarAst& a = ast_;
    const CodeSet digit{{'0', '9'}};
    const CodeSet hex{{'0', '9'}, {'a', 'f'}, {'A', 'F'}};
    if (name == "json-blank") {
        const ExprId lines = a.sequence(
            {a.repeat(a.literal("\n"), 1, 2), a.repeat(a.set({{' ', ' '}, {'\t', '\t'}}), 0, 20)});
        return a.optional(a.choice({a.literal(" "), lines}));
    }
    if (name == "json-character") {
        // \u escapes: a surrogate only as half of a pair.
        const ExprId low =
            a.sequence({a.literal("\\u"), a.set({{'d', 'd'}, {'D', 'D'}}),
                        a.set({{'c', 'f'}, {'C', 'F'}}), a.repeat(a.set(hex), 2, 2)});
        const ExprId high = a.sequence({a.set({{'d', 'd'}, {'D', 'D'}}),
                                        a.set({{'8', '9'}, {'a', 'b'}, {'A', 'B'}}),
                                        a.repeat(a.set(hex), 2, 2), low});
        const ExprId d = a.sequence(
            {a.set({{'d', 'd'}, {'D', 'D'}}), a.set({{'0', '7'}}), a.repeat(a.set(hex), 2, 2)});
        const ExprId other =
            a.sequence({a.set({{'0', '9'}, {'a', 'c'}, {'e', 'f'}, {'A', 'C'}, {'E', 'F'}}),
                        a.repeat(a.set(hex), 3, 3)});
        CodeSet simple;
        for (const char c : std::string_view("\"\\/bfnrt"))
            simple.emplace_back(static_cast<char32_t>(c), static_cast<char32_t>(c));
        const ExprId escape = a.sequence(
            {a.literal("\\"),
             a.choice({a.set(simple), a.sequence({a.literal("u"), a.choice({other, d, high})})})});
        return a.choice({a.set(plain_characters()), escape});
    }
    if (name == "json-string")
        return a.sequence(
            {a.literal("\""), a.repeat(character(), 0, GrammarAst::kUnbounded), a.literal("\"")});
    if (name == "json-number") {
        const ExprId fraction = a.sequence({a.literal("."), a.repeat(a.set(digit), 1, kMaxDigits)});
        const ExprId exponent =
            a.sequence({a.set({{'e', 'e'}, {'E', 'E'}}),
                        a.optional(a.set({{'+', '+'}, {'-', '-'}})), a.repeat(a.set(digit), 1, 3)});
        return a.sequence({integer(), a.optional(fraction), a.optional(exponent)});
    }
    if (name == "json-object") {
        const ExprId member = a.sequence({string(), colon(), value()});
        const ExprId more = a.repeat(a.sequence({comma(), member}), 0, GrammarAst::kUnbounded);
        return a.sequence({a.literal("{"), blank(), a.optional(a.sequence({member, more, blank()})),
                           a.literal("}")});
    }
    if (name == "json-array") {
        const ExprId more = a.repeat(a.sequence({comma(), value()}), 0, GrammarAst::kUnbounded);
        return a.sequence({a.literal("["), blank(),
                           a.optional(a.sequence({value(), more, blank()})), a.literal("]")});
    }
    return a.choice({object(), array(), string(), number(), a.literal("true"), a.literal("false"),
                     a.literal("null")});
}

ExprId JsonRules::constant(const Json& value) {
    if (!value.is_structured())
        return ast_.literal(value.dump());
    std::vector<ExprId> parts{ast_.literal(value.is_object() ? "{" : "["), blank()};
    bool first = true;
    for (const auto& [key, item] : value.items()) {
        if (!first)
            parts.push_back(comma());
        first = false;
        if (value.is_object()) {
            parts.push_back(ast_.literal(Json(key).dump()));
            parts.push_back(colon());
        }
        parts.push_back(constant(item));
    }
    if (!first)
        parts.push_back(blank());
    parts.push_back(ast_.literal(value.is_object() ? "}" : "]"));
    return ast_.sequence(std::move(parts));
}

ExprId JsonRules::key_except(const std::vector<std::string>& names) {
    if (names.empty())
        return string();
    // A trie over the names. While a key still agrees with one of them only the plain spelling of
    // each character is allowed, so that "\u0061" cannot stand for the "a" of a declared name; from
    // the first difference on anything goes.
    std::set<std::u32string> prefixes;
    std::set<std::u32string> whole;
    for (const std::string& name : names) {
        std::u32string so_far;
        prefixes.insert(so_far);
        for (std::size_t position = 0; position < name.size();) {
            so_far.push_back(utf8_next(name, position));
            prefixes.insert(so_far);
        }
        whole.insert(so_far);
    }
    std::map<std::u32string, RuleId> rules;
    for (const std::u32string& prefix : prefixes)
        rules[prefix] = ast_.new_rule("other-key");
    std::map<RuleId, std::vector<std::pair<char32_t, RuleId>>> children;
    for (const auto& [prefix, rule] : rules)
        if (!prefix.empty())
            children[rules.at(prefix.substr(0, prefix.size() - 1))].emplace_back(prefix.back(),
                                                                                 rule);
    const ExprId rest =
        ast_.sequence({ast_.repeat(character(), 0, GrammarAst::kUnbounded), ast_.literal("\"")});
    for (const auto& [prefix, rule] : rules) {
        std::vector<ExprId> parts;
        CodeSet agreeing;
        for (const auto& [c, next] : children[rule]) {
            agreeing.emplace_back(c, c);
            parts.push_back(ast_.sequence({spelled(ast_, {{c, c}}), ast_.rule(next)}));
        }
        parts.push_back(ast_.sequence({spelled(ast_, complement(agreeing)), rest}));
        if (!whole.contains(prefix))
            parts.push_back(ast_.literal("\""));
        ast_.define(rule, ast_.choice(std::move(parts)));
    }
    return ast_.sequence({ast_.literal("\""), ast_.rule(rules.begin()->second)});
}

} // namespace alcove::schema
