#include "engine/text/grammar_schema.h"

#include "engine/text/grammar.h"
#include "engine/text/grammar_program.h"
#include "engine/text/tokenizer_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace alcove {

namespace schema {

namespace {

constexpr std::size_t kMaxRules = 20'000;
constexpr int kMaxDepth = 400;
constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::uint32_t kUnbounded = GrammarAst::kUnbounded;

enum Kind : unsigned {
    kNull = 1,
    kBoolean = 2,
    kInteger = 4,
    kNumber = 8,
    kString = 16,
    kArray = 32,
    kObject = 64,
    kAll = 127
};

constexpr std::array kKindNames{std::pair{"null", kNull},       std::pair{"boolean", kBoolean},
                                std::pair{"integer", kInteger}, std::pair{"number", kNumber},
                                std::pair{"string", kString},   std::pair{"array", kArray},
                                std::pair{"object", kObject}};

/// Keywords that only say something about one kind of value.
const std::map<std::string_view, unsigned> kKeywordKinds{{"minLength", kString},
                                                         {"maxLength", kString},
                                                         {"pattern", kString},
                                                         {"format", kString},
                                                         {"minimum", kNumber},
                                                         {"maximum", kNumber},
                                                         {"exclusiveMinimum", kNumber},
                                                         {"exclusiveMaximum", kNumber},
                                                         {"items", kArray},
                                                         {"prefixItems", kArray},
                                                         {"additionalItems", kArray},
                                                         {"minItems", kArray},
                                                         {"maxItems", kArray},
                                                         {"properties", kObject},
                                                         {"required", kObject},
                                                         {"additionalProperties", kObject},
                                                         {"minProperties", kObject},
                                                         {"maxProperties", kObject}};

/// Keywords that forbid values in a way no grammar of this kind can.
const std::set<std::string_view> kRefused{"not",
                                          "if",
                                          "then",
                                          "else",
                                          "contains",
                                          "minContains",
                                          "maxContains",
                                          "multipleOf",
                                          "uniqueItems",
                                          "patternProperties",
                                          "propertyNames",
                                          "dependentRequired",
                                          "dependentSchemas",
                                          "dependencies",
                                          "unevaluatedItems",
                                          "unevaluatedProperties",
                                          "$dynamicRef",
                                          "$recursiveRef"};

unsigned kind_of_value(const Json& value) {
    switch (value.type()) {
    case Json::value_t::null:
        return kNull;
    case Json::value_t::boolean:
        return kBoolean;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
        return kInteger | kNumber;
    case Json::value_t::number_float: {
        const double number = value.get<double>();
        return number == std::floor(number) ? kInteger | kNumber : kNumber;
    }
    case Json::value_t::string:
        return kString;
    case Json::value_t::array:
        return kArray;
    default:
        return kObject;
    }
}

/// One schema that must hold, with the way by which it came in: a reference that leads back along
/// its own way says nothing and would never end.
struct Item {
    const Json* schema = nullptr;
    std::vector<const Json*> way; // schemas referred through, this one last
    bool branched = false;        // its anyOf and oneOf have been chosen from
    bool operator<(const Item& other) const {
        return std::tie(schema, branched) < std::tie(other.schema, other.branched);
    }
};
/// Schemas that must hold together, sorted, each once.
using Together = std::vector<Item>;

/// No value in `schema` is nested deeper than `limit`. Without recursion: the schema is not
/// trusted.
bool is_nested_within(const Json& schema, int limit) {
    std::vector<std::pair<const Json*, int>> todo{{&schema, 0}};
    while (!todo.empty()) {
        const auto [value, depth] = todo.back();
        todo.pop_back();
        if (depth > limit)
            return false;
        if (value->is_structured())
            for (const Json& part : *value)
                todo.emplace_back(&part, depth + 1);
    }
    return true;
}

class Converter {
public:
    explicit Converter(const Json& root) : root_(root), json_(ast_) {}

    Result<std::pair<GrammarAst, RuleId>> convert() {
        if (!is_nested_within(root_, kMaxDepth))
            return fail("#", fmt::format("nested more than {} deep", kMaxDepth));
        ALCOVE_ASSIGN_OR_RETURN(const ExprId body, value_of({&root_}, "#"));
        const RuleId rule = ast_.new_rule("root");
        ast_.define(rule, body);
        return std::make_pair(std::move(ast_), rule);
    }

private:
    using Place = std::string; // JSON pointer for messages

    static Error fail(const Place& place, std::string_view what) {
        return grammar_error(fmt::format("the schema at {}: {}", quote_for_message(place), what));
    }

    /// An expression for values that obey all of `schemas`; nested ones are rules of their own, so
    /// that a schema may refer to itself.
    Result<ExprId> value_of(const std::vector<const Json*>& schemas, const Place& place) {
        if (++depth_ > kMaxDepth)
            return fail(place, fmt::format("nested more than {} deep", kMaxDepth));
        Together together;
        for (const Json* schema : schemas) {
            ALCOVE_RETURN_IF_ERROR(gather(schema, {}, together, place));
        }
        auto made = rule_of(std::move(together), place);
        --depth_;
        return made;
    }

    Result<ExprId> rule_of(Together together, const Place& place) {
        std::sort(together.begin(), together.end());
        std::vector<std::pair<const Json*, bool>> key;
        for (const Item& item : together)
            key.emplace_back(item.schema, item.branched);
        if (key.empty())
            return json_.value();
        if (const auto known = rules_.find(key); known != rules_.end())
            return ast_.rule(known->second);
        if (rules_.size() >= kMaxRules)
            return fail(place, fmt::format("more than {} parts", kMaxRules));
        const RuleId rule = ast_.new_rule(place);
        rules_[key] = rule;
        ALCOVE_ASSIGN_OR_RETURN(const ExprId body, body_of(together, place));
        ast_.define(rule, body);
        return ast_.rule(rule);
    }

    /// Adds `schema` and all that it refers to or demands by allOf.
    Status gather(const Json* schema, std::vector<const Json*> way, Together& out,
                  const Place& place) {
        if (std::find(way.begin(), way.end(), schema) != way.end())
            return fail(place, "it refers to itself without a value in between");
        if (schema->is_boolean() && schema->get<bool>())
            return ok();
        if (!schema->is_boolean() && !schema->is_object())
            return fail(place, "found no object, true or false");
        if (std::any_of(out.begin(), out.end(),
                        [schema](const Item& item) { return item.schema == schema; }))
            return ok();
        way.push_back(schema);
        if (way.size() > static_cast<std::size_t>(kMaxDepth))
            return fail(place, "too many references in a row");
        if (schema->is_boolean()) {
            out.push_back({schema, std::move(way), true});
            return ok();
        }
        for (const auto& [key, value] : schema->items())
            if (kRefused.contains(key) && !(key == "uniqueItems" && value == false))
                return fail(place, fmt::format("the keyword {} cannot be made a grammar",
                                               quote_for_message(key)));
        const bool branches = schema->contains("anyOf") || schema->contains("oneOf");
        out.push_back({schema, way, !branches});
        if (const auto reference = schema->find("$ref"); reference != schema->end()) {
            ALCOVE_ASSIGN_OR_RETURN(const Json* target, resolve(*reference, place));
            ALCOVE_RETURN_IF_ERROR(gather(target, way, out, place));
        }
        if (const auto all = schema->find("allOf"); all != schema->end()) {
            if (!all->is_array() || all->empty())
                return fail(place, "allOf is not an array of schemas");
            for (const Json& part : *all) {
                ALCOVE_RETURN_IF_ERROR(gather(&part, way, out, place + "/allOf"));
            }
        }
        return ok();
    }

    Result<const Json*> resolve(const Json& reference, const Place& place) const {
        if (!reference.is_string())
            return fail(place, "$ref is not a string");
        const auto text = reference.get<std::string>();
        if (!text.starts_with('#'))
            return fail(place,
                        fmt::format("$ref {} leads outside the schema", quote_for_message(text)));
        std::string pointer;
        for (std::size_t i = 1; i < text.size(); ++i) {
            if (text[i] == '%' && i + 2 < text.size()) {
                pointer.push_back(
                    static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16)));
                i += 2;
            } else {
                pointer.push_back(text[i]);
            }
        }
        try {
            return &root_.at(Json::json_pointer(pointer));
        } catch (const nlohmann::json::exception&) {
            return fail(place, fmt::format("$ref {} leads nowhere", quote_for_message(text)));
        }
    }

    Result<ExprId> body_of(const Together& together, const Place& place) {
        for (std::size_t i = 0; i < together.size(); ++i) {
            if (together[i].schema->is_boolean())
                return ast_.never();
            if (!together[i].branched)
                return branches_of(together, i, place);
        }
        if (const auto values = allowed_values(together)) {
            if (!*values)
                return values->error();
            return constants(together, **values, place);
        }
        ALCOVE_ASSIGN_OR_RETURN(const unsigned kinds, kinds_of(together, place));
        std::vector<ExprId> parts;
        if ((kinds & kObject) != 0) {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId part, object_of(together, place));
            parts.push_back(part);
        }
        if ((kinds & kArray) != 0) {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId part, array_of(together, place));
            parts.push_back(part);
        }
        if ((kinds & kString) != 0) {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId part, string_of(together, place));
            parts.push_back(part);
        }
        if ((kinds & (kNumber | kInteger)) != 0) {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId part,
                                    number_of(together, (kinds & kNumber) == 0, place));
            parts.push_back(part);
        }
        if ((kinds & kBoolean) != 0) {
            parts.push_back(ast_.literal("true"));
            parts.push_back(ast_.literal("false"));
        }
        if ((kinds & kNull) != 0)
            parts.push_back(ast_.literal("null"));
        return ast_.choice(std::move(parts));
    }

    /// One alternative for each way to satisfy the anyOf and the oneOf of `together[index]`.
    Result<ExprId> branches_of(const Together& together, std::size_t index, const Place& place) {
        const Json& schema = *together[index].schema;
        std::vector<std::pair<const Json*, Place>> any;
        std::vector<std::pair<const Json*, Place>> one;
        for (const auto& [keyword, list] : {std::pair{"anyOf", &any}, std::pair{"oneOf", &one}}) {
            const auto found = schema.find(keyword);
            if (found == schema.end())
                continue;
            if (!found->is_array() || found->empty())
                return fail(place, fmt::format("{} is not an array of schemas", keyword));
            for (std::size_t i = 0; i < found->size(); ++i)
                list->emplace_back(&(*found)[i], fmt::format("{}/{}/{}", place, keyword, i));
        }
        for (std::size_t i = 0; i < one.size(); ++i)
            for (std::size_t j = i + 1; j < one.size(); ++j)
                if (!excludes(*one[i].first, *one[j].first, 0))
                    return fail(
                        place, fmt::format(
                                   "the branches {} and {} of oneOf may both match; anyOf would do",
                                   i, j));
        if (any.empty())
            any.emplace_back(nullptr, place);
        if (one.empty())
            one.emplace_back(nullptr, place);
        std::vector<ExprId> parts;
        for (const auto& [first, first_place] : any)
            for (const auto& [second, second_place] : one) {
                Together chosen = together;
                chosen[index].branched = true;
                if (first != nullptr) {
                    ALCOVE_RETURN_IF_ERROR(gather(first, chosen[index].way, chosen, first_place));
                }
                if (second != nullptr) {
                    ALCOVE_RETURN_IF_ERROR(gather(second, chosen[index].way, chosen, second_place));
                }
                if (++depth_ > kMaxDepth)
                    return fail(place, fmt::format("nested more than {} deep", kMaxDepth));
                ALCOVE_ASSIGN_OR_RETURN(
                    const ExprId part,
                    rule_of(std::move(chosen), second != nullptr ? second_place : first_place));
                --depth_;
                parts.push_back(part);
            }
        return ast_.choice(std::move(parts));
    }

    // --- kinds and constants

    static Result<unsigned> kinds_named(const Json& type, const Place& place) {
        unsigned kinds = 0;
        const auto add = [&kinds](const Json& name) {
            for (const auto& [known, kind] : kKindNames)
                if (name == known) {
                    kinds |= kind == kNumber ? kNumber | kInteger : kind;
                    return true;
                }
            return false;
        };
        if (type.is_string() && add(type))
            return kinds;
        if (type.is_array() && !type.empty() && std::all_of(type.begin(), type.end(), add))
            return kinds;
        return fail(
            place,
            fmt::format(
                "type is {}, expected one of null, boolean, integer, number, string, array, "
                "object, or a list of them",
                quote_for_message(type.dump(-1, ' ', false, Json::error_handler_t::replace))));
    }

    /// Kinds of value that all of `together` allow. Where none names a type, keywords that speak
    /// about one kind do.
    static Result<unsigned> kinds_of(const Together& together, const Place& place) {
        unsigned named = kAll;
        unsigned hinted = 0;
        bool any_named = false;
        for (const Item& item : together) {
            if (const auto type = item.schema->find("type"); type != item.schema->end()) {
                ALCOVE_ASSIGN_OR_RETURN(const unsigned kinds, kinds_named(*type, place));
                named &= kinds;
                any_named = true;
            }
            for (const auto& [keyword, kind] : kKeywordKinds)
                if (item.schema->contains(keyword))
                    hinted |= kind == kNumber ? kNumber | kInteger : kind;
        }
        return any_named || hinted == 0 ? named : hinted;
    }

    /// The values of enum and const that all of `together` list; nothing if none lists any.
    static std::optional<Result<std::vector<Json>>> allowed_values(const Together& together) {
        std::optional<std::vector<Json>> values;
        for (const Item& item : together)
            for (const char* keyword : {"enum", "const"}) {
                const auto found = item.schema->find(keyword);
                if (found == item.schema->end())
                    continue;
                const bool is_enum = keyword[0] == 'e';
                if (is_enum && !found->is_array())
                    return grammar_error("enum is not an array");
                std::vector<Json> listed;
                if (is_enum)
                    listed.assign(found->begin(), found->end());
                else
                    listed.push_back(*found);
                if (values)
                    std::erase_if(*values, [&listed](const Json& value) {
                        return std::find(listed.begin(), listed.end(), value) == listed.end();
                    });
                else
                    values = std::move(listed);
            }
        if (!values)
            return std::nullopt;
        return std::move(*values);
    }

    Result<ExprId> constants(const Together& together, const std::vector<Json>& values,
                             const Place& place) {
        unsigned kinds = kAll;
        for (const Item& item : together)
            for (const auto& [key, value] : item.schema->items()) {
                if (key == "type") {
                    ALCOVE_ASSIGN_OR_RETURN(const unsigned named, kinds_named(value, place));
                    kinds &= named;
                } else if (kKeywordKinds.contains(key)) {
                    return fail(
                        place, fmt::format(
                                   "enum or const together with {} cannot be made a grammar", key));
                }
            }
        std::vector<ExprId> parts;
        for (const Json& value : values)
            if ((kind_of_value(value) & kinds) != 0)
                parts.push_back(json_.constant(value));
        return ast_.choice(std::move(parts));
    }

    // --- counts and bounds

    /// The strongest of a keyword's counts: the largest if `largest`, else the smallest.
    static Result<std::uint32_t> count(const Together& together, const char* keyword,
                                       std::uint32_t otherwise, bool largest, const Place& place) {
        std::uint32_t best = otherwise;
        for (const Item& item : together) {
            const auto found = item.schema->find(keyword);
            if (found == item.schema->end())
                continue;
            const double number = found->is_number() ? found->get<double>() : -1;
            if (number < 0 || number > 1e9 || number != std::floor(number))
                return fail(place, fmt::format("{} is not a count", keyword));
            const auto value = static_cast<std::uint32_t>(number);
            best = largest ? std::max(best, value) : std::min(best, value);
        }
        return best;
    }

    struct Limit {
        std::optional<std::string> text;
        double value = 0;
        bool exclusive = false;
    };

    static Result<Limit> limit(const Together& together, bool lower, const Place& place) {
        Limit best;
        for (const Item& item : together)
            for (const bool exclusive : {false, true}) {
                const char* keyword = lower       ? exclusive ? "exclusiveMinimum" : "minimum"
                                      : exclusive ? "exclusiveMaximum"
                                                  : "maximum";
                const auto found = item.schema->find(keyword);
                if (found == item.schema->end())
                    continue;
                if (!found->is_number())
                    return fail(place, fmt::format("{} is not a number", keyword));
                const double value = found->get<double>();
                const bool stronger = !best.text ||
                                      (lower ? value > best.value : value < best.value) ||
                                      (value == best.value && exclusive);
                if (stronger)
                    best = {found->dump(), value, exclusive};
            }
        return best;
    }

    Result<ExprId> number_of(const Together& together, bool integral, const Place& place) {
        ALCOVE_ASSIGN_OR_RETURN(const Limit low, limit(together, true, place));
        ALCOVE_ASSIGN_OR_RETURN(const Limit high, limit(together, false, place));
        if (!low.text && !high.text)
            return integral ? json_.integer() : json_.number();
        auto made =
            number_between(ast_, low.text, low.exclusive, high.text, high.exclusive, integral);
        if (!made)
            return fail(place, made.error().message);
        return made;
    }

    // --- strings

    Result<ExprId> string_of(const Together& together, const Place& place) {
        ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t min,
                                count(together, "minLength", 0, true, place));
        ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t max,
                                count(together, "maxLength", kUnbounded, false, place));
        std::optional<std::string> pattern;
        for (const Item& item : together)
            for (const char* keyword : {"pattern", "format"}) {
                const auto found = item.schema->find(keyword);
                if (found == item.schema->end())
                    continue;
                if (!found->is_string())
                    return fail(place, fmt::format("{} is not a string", keyword));
                std::optional<std::string> text = found->get<std::string>();
                if (keyword[0] == 'f')
                    text = format_pattern(*text);
                if (text && pattern && *text != *pattern)
                    return fail(place,
                                "two patterns or formats for one string cannot be made a grammar");
                if (text)
                    pattern = text;
            }
        if (!pattern && min == 0 && max == kUnbounded)
            return json_.string();
        if (max < min)
            return ast_.never();
        ExprId body = 0;
        if (!pattern) {
            body = ast_.repeat(json_.character(), min, max);
        } else if (min > 0 || max != kUnbounded) {
            return fail(
                place,
                "pattern or format together with minLength or maxLength cannot be made a grammar");
        } else {
            auto made = pattern_body(ast_, json_, *pattern);
            if (!made)
                return fail(place, made.error().message);
            body = *made;
        }
        return ast_.sequence({ast_.literal("\""), body, ast_.literal("\"")});
    }

    // --- arrays

    /// Schemas that element `index` must obey.
    static std::vector<const Json*> element_schemas(const Together& together, std::size_t index) {
        std::vector<const Json*> schemas;
        for (const Item& item : together) {
            const auto items = item.schema->find("items");
            const bool old_tuple = items != item.schema->end() && items->is_array(); // draft 7
            const auto prefix = old_tuple ? items : item.schema->find("prefixItems");
            const auto rest = old_tuple ? item.schema->find("additionalItems") : items;
            if (prefix != item.schema->end() && prefix->is_array() && index < prefix->size())
                schemas.push_back(&(*prefix)[index]);
            else if (rest != item.schema->end())
                schemas.push_back(&*rest);
        }
        return schemas;
    }

    Result<ExprId> array_of(const Together& together, const Place& place) {
        ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t min,
                                count(together, "minItems", 0, true, place));
        ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t max,
                                count(together, "maxItems", kUnbounded, false, place));
        if (max < min)
            return ast_.never();
        std::uint32_t prefix = 0;
        for (const Item& item : together)
            for (const char* keyword : {"prefixItems", "items"})
                if (const auto found = item.schema->find(keyword);
                    found != item.schema->end() && found->is_array())
                    prefix = std::max(prefix, static_cast<std::uint32_t>(
                                                  std::min<std::size_t>(found->size(), 100'000)));
        prefix = std::min(prefix, max);
        // From the end: what may follow after `i` elements.
        ALCOVE_ASSIGN_OR_RETURN(const ExprId item,
                                value_of(element_schemas(together, prefix), place + "/items"));
        const std::uint32_t more_min = min > prefix ? min - prefix : 0;
        const std::uint32_t more_max = max == kUnbounded ? kUnbounded : max - prefix;
        ExprId tail = 0;
        if (prefix == 0 && max > 0) {
            const ExprId rest =
                ast_.repeat(ast_.sequence({json_.comma(), item}), min > 0 ? min - 1 : 0,
                            max == kUnbounded ? kUnbounded : max - 1);
            tail = ast_.sequence({item, rest, json_.blank()});
            tail = min > 0 ? tail : ast_.optional(tail);
        } else {
            tail = ast_.sequence(
                {ast_.repeat(ast_.sequence({json_.comma(), item}), more_min, more_max),
                 json_.blank()});
        }
        for (std::uint32_t i = prefix; i-- > 0;) {
            ALCOVE_ASSIGN_OR_RETURN(
                const ExprId element,
                value_of(element_schemas(together, i), fmt::format("{}/prefixItems/{}", place, i)));
            const RuleId rule = ast_.new_rule(place); // a rule each: no deep nesting of expressions
            std::vector<ExprId> parts{element, tail};
            if (i > 0)
                parts.insert(parts.begin(), json_.comma());
            const ExprId here = ast_.sequence(std::move(parts));
            ast_.define(rule, i < min ? here
                                      : ast_.choice({here, i == 0 ? ast_.empty() : json_.blank()}));
            tail = ast_.rule(rule);
        }
        return ast_.sequence({ast_.literal("["), json_.blank(), tail, ast_.literal("]")});
    }

    // --- objects

    struct Members {
        std::vector<std::string> names; // declared, in order
        std::set<std::string> required;
        bool open = true;                    // undeclared names are allowed
        std::vector<const Json*> undeclared; // what their values must obey
    };

    static Result<Members> members_of(const Together& together, const Place& place) {
        Members members;
        bool any_declared = false;
        bool says_open = false;
        std::size_t longest = 0;
        const auto declare = [&members, &longest](const std::string& name) {
            longest = std::max(longest, name.size());
            if (std::find(members.names.begin(), members.names.end(), name) == members.names.end())
                members.names.push_back(name);
        };
        for (const Item& item : together) {
            if (const auto found = item.schema->find("properties"); found != item.schema->end()) {
                if (!found->is_object())
                    return fail(place, "properties is not an object");
                for (const auto& [name, value] : found->items()) {
                    declare(name);
                    any_declared = true;
                }
            }
            if (const auto found = item.schema->find("additionalProperties");
                found != item.schema->end()) {
                says_open = true;
                if (*found == false)
                    members.open = false;
                else if (!found->is_boolean())
                    members.undeclared.push_back(&*found);
            }
        }
        for (const Item& item : together)
            if (const auto found = item.schema->find("required"); found != item.schema->end()) {
                if (!found->is_array() || !std::all_of(found->begin(), found->end(),
                                                       [](const Json& n) { return n.is_string(); }))
                    return fail(place, "required is not an array of names");
                for (const Json& name : *found) {
                    members.required.insert(name.get<std::string>());
                    declare(name.get<std::string>());
                }
            }
        if (longest > kMaxNameBytes)
            return fail(place,
                        fmt::format("the name of a property has {} bytes, expected at most {}",
                                    longest, kMaxNameBytes));
        // Where names are declared and nothing is said about others, others are left out: answers
        // stay to the point.
        members.open = members.open && (says_open || !any_declared);
        return members;
    }

    /// Schemas that the member `name` must obey.
    static std::vector<const Json*> member_schemas(const Together& together,
                                                   const std::string& name) {
        std::vector<const Json*> schemas;
        for (const Item& item : together) {
            const auto properties = item.schema->find("properties");
            const auto additional = item.schema->find("additionalProperties");
            if (properties != item.schema->end() && properties->contains(name))
                schemas.push_back(&properties->at(name));
            else if (additional != item.schema->end())
                schemas.push_back(&*additional);
        }
        return schemas;
    }

    Result<ExprId> object_of(const Together& together, const Place& place) {
        ALCOVE_ASSIGN_OR_RETURN(const Members members, members_of(together, place));
        ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t min,
                                count(together, "minProperties", 0, true, place));
        ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t max,
                                count(together, "maxProperties", kUnbounded, false, place));
        const std::size_t n = members.names.size();
        // How many members there are so far counts up to here; beyond, all counts are alike.
        const std::uint32_t cap = std::max<std::uint32_t>({1, min, max == kUnbounded ? 0 : max});
        if (cap > 2000 || n * (std::size_t{cap} + 1) > kMaxRules * 10)
            return fail(place, "too many properties to count them");

        std::vector<ExprId> pairs;
        for (const std::string& name : members.names) {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId value, value_of(member_schemas(together, name),
                                                                 place + "/properties/" + name));
            pairs.push_back(ast_.sequence({ast_.literal(Json(name).dump()), json_.colon(), value}));
        }
        ExprId other = ast_.never();
        if (members.open) {
            ALCOVE_ASSIGN_OR_RETURN(const ExprId value,
                                    value_of(members.undeclared, place + "/additionalProperties"));
            other = ast_.sequence({json_.key_except(members.names), json_.colon(), value});
        }

        // tails[c]: what may follow when the members from some place on are open and c are there.
        // From the end backwards.
        std::vector<ExprId> tails;
        for (std::uint32_t c = 0; c <= cap; ++c)
            tails.push_back(others(other, c, min, max, members.open));
        for (std::size_t i = n; i-- > 0;) {
            std::vector<ExprId> earlier;
            for (std::uint32_t c = 0; c <= cap; ++c) {
                std::vector<ExprId> parts;
                if (c < max) {
                    std::vector<ExprId> with{pairs[i], tails[std::min(c + 1, cap)]};
                    if (c > 0)
                        with.insert(with.begin(), json_.comma());
                    parts.push_back(ast_.sequence(std::move(with)));
                }
                if (!members.required.contains(members.names[i]))
                    parts.push_back(tails[c]);
                const RuleId rule = ast_.new_rule(place);
                ast_.define(rule, ast_.choice(std::move(parts)));
                earlier.push_back(ast_.rule(rule));
            }
            tails = std::move(earlier);
        }
        return ast_.sequence({ast_.literal("{"), json_.blank(), tails[0], ast_.literal("}")});
    }

    /// Undeclared members behind `present` others, and the blank before the closing brace.
    ExprId others(ExprId other, std::uint32_t present, std::uint32_t min, std::uint32_t max,
                  bool open) {
        const std::uint32_t need = min > present ? min - present : 0;
        const std::uint32_t room = max == kUnbounded ? kUnbounded
                                   : max > present   ? max - present
                                                     : 0;
        if (max < present || room < need)
            return ast_.never();
        const ExprId end = present > 0 ? json_.blank() : ast_.empty();
        if (!open || room == 0)
            return need > 0 ? ast_.never() : end;
        const ExprId more = ast_.sequence({json_.comma(), other});
        if (present > 0)
            return ast_.sequence({ast_.repeat(more, need, room), end});
        const ExprId some = ast_.sequence(
            {other,
             ast_.repeat(more, need > 0 ? need - 1 : 0, room == kUnbounded ? room : room - 1),
             json_.blank()});
        return need > 0 ? some : ast_.optional(some);
    }

    // --- oneOf

    /// True if no value can satisfy both: by kind, by listed values, or by a member that both
    /// require.
    bool excludes(const Json& a, const Json& b, int depth) const {
        if (a == false || b == false)
            return true;
        if (!a.is_object() || !b.is_object() || depth > 8)
            return false;
        for (const Json* side : {&a, &b})
            if (const auto reference = side->find("$ref"); reference != side->end()) {
                const auto target = resolve(*reference, "#");
                const Json& other = side == &a ? b : a;
                if (target && excludes(**target, other, depth + 1))
                    return true;
            }
        const unsigned kinds_a = possible_kinds(a);
        const unsigned kinds_b = possible_kinds(b);
        if ((kinds_a & kinds_b) == 0)
            return true;
        const auto values_a = allowed_values({{&a, {}, true}});
        const auto values_b = allowed_values({{&b, {}, true}});
        if (values_a && values_b && *values_a && *values_b)
            return std::none_of((*values_a)->begin(), (*values_a)->end(), [&](const Json& value) {
                return std::find((*values_b)->begin(), (*values_b)->end(), value) !=
                       (*values_b)->end();
            });
        return (kinds_a & kinds_b) == kObject &&
               (members_exclude(a, b, depth) || members_exclude(b, a, depth));
    }

    static unsigned possible_kinds(const Json& schema) {
        unsigned kinds = kAll;
        if (const auto type = schema.find("type"); type != schema.end())
            if (const auto named = kinds_named(*type, "#"))
                kinds &= *named;
        if (const auto values = allowed_values({{&schema, {}, true}}); values && *values) {
            unsigned listed = 0;
            for (const Json& value : **values)
                listed |= kind_of_value(value);
            kinds &= listed;
        }
        return kinds;
    }

    bool members_exclude(const Json& a, const Json& b, int depth) const {
        const auto required = a.find("required");
        if (required == a.end() || !required->is_array())
            return false;
        const auto properties_a = a.find("properties");
        const auto properties_b = b.find("properties");
        const auto closed_b = b.find("additionalProperties");
        for (const Json& name : *required) {
            if (!name.is_string())
                continue;
            const auto key = name.get<std::string>();
            const bool declared_b = properties_b != b.end() && properties_b->contains(key);
            if (!declared_b && closed_b != b.end() && *closed_b == false)
                return true;
            if (declared_b && properties_a != a.end() && properties_a->contains(key) &&
                excludes(properties_a->at(key), properties_b->at(key), depth + 1))
                return true;
        }
        return false;
    }

    const Json& root_;
    GrammarAst ast_;
    JsonRules json_;
    std::map<std::vector<std::pair<const Json*, bool>>, RuleId> rules_;
    int depth_ = 0;
};

} // namespace

Result<std::pair<GrammarAst, RuleId>> grammar_of_schema(const Json& schema) {
    return Converter(schema).convert();
}

} // namespace schema

Result<std::shared_ptr<const Grammar>>
Grammar::from_json_schema(const nlohmann::ordered_json& schema) {
    try {
        ALCOVE_ASSIGN_OR_RETURN(const auto made, schema::grammar_of_schema(schema));
        ALCOVE_ASSIGN_OR_RETURN(auto program, compile_grammar(made.first, made.second));
        return std::shared_ptr<const Grammar>(std::make_shared<Grammar>(std::move(program)));
    } catch (const nlohmann::json::exception& problem) {
        return grammar_error(fmt::format("the schema cannot be read: {}", problem.what()));
    }
}

} // namespace alcove
