#include "engine/text/jinja/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace alcove::jinja {
namespace {

using Names = std::string_view;

Value dict_get(Runtime& /*runtime*/, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"key", "default"};
    const Parameters given(arguments, "get", kNames, 1);
    if (const Value* found = self.dict().find(given.at(0)))
        return *found;
    return given.has(1) ? given.at(1) : Value(None{});
}

void no_arguments(const Arguments& arguments, std::string_view name) {
    Parameters(arguments, name, {}, 0);
}

Value dict_items_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
    no_arguments(arguments, "items");
    return runtime.sequence(SequenceKind::Items, dict_items(runtime, self.dict()));
}

Value dict_keys(Runtime& runtime, const Value& self, const Arguments& arguments) {
    no_arguments(arguments, "keys");
    std::vector<Value> out;
    out.reserve(self.dict().entries.size());
    for (const auto& [key, value] : self.dict().entries)
        out.push_back(key);
    return runtime.sequence(SequenceKind::Keys, std::move(out));
}

Value dict_values(Runtime& runtime, const Value& self, const Arguments& arguments) {
    no_arguments(arguments, "values");
    std::vector<Value> out;
    out.reserve(self.dict().entries.size());
    for (const auto& [key, value] : self.dict().entries)
        out.push_back(value);
    return runtime.sequence(SequenceKind::Values, std::move(out));
}

/// Copies need no new storage: nothing can change either of the two.
Value copy(Runtime& /*runtime*/, const Value& self, const Arguments& arguments) {
    no_arguments(arguments, "copy");
    return self;
}

Value sequence_index(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"value", "start", "stop"};
    const Parameters given(arguments, "index", kNames, 1);
    const auto& items = self.sequence().items;
    const auto clip = [&](Int i) {
        return to_count(i < 0 ? i + static_cast<Int>(items.size()) : i);
    };
    const std::size_t end =
        given.has(2) ? std::min(clip(given.integer(2, 0)), items.size()) : items.size();
    for (std::size_t i = clip(given.integer(1, 0)); i < end; ++i)
        if (runtime.equals(items[i], given.at(0)))
            return Value(static_cast<Int>(i));
    MarkedText repr;
    append_repr(repr, given.at(0));
    fail_runtime(fmt::format("{} is not in {}", repr.view(), type_name(self)));
}

Value sequence_count(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"value"};
    const Parameters given(arguments, "count", kNames, 1);
    const auto& items = self.sequence().items;
    return Value(static_cast<Int>(std::count_if(items.begin(), items.end(), [&](const Value& item) {
        return runtime.equals(item, given.at(0));
    })));
}

constexpr Method kDictMethods[] = {
    {"copy", copy},      {"get", dict_get},       {"items", dict_items_method},
    {"keys", dict_keys}, {"values", dict_values},
};
constexpr Method kListMethods[] = {
    {"copy", copy}, {"count", sequence_count}, {"index", sequence_index}};
constexpr Method kTupleMethods[] = {{"count", sequence_count}, {"index", sequence_index}};

constexpr std::string_view kUnsafeDict[] = {"clear", "pop", "popitem", "setdefault", "update"};
constexpr std::string_view kUnsafeList[] = {"append", "clear",  "extend",  "insert",
                                            "pop",    "remove", "reverse", "sort"};

template <std::size_t n> const Method* find_in(const Method (&methods)[n], std::string_view name) {
    const auto* found = std::find_if(std::begin(methods), std::end(methods),
                                     [&](const Method& m) { return m.name == name; });
    return found == std::end(methods) ? nullptr : found;
}

template <std::size_t n> bool holds(const std::string_view (&names)[n], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

} // namespace

const Method* find_method(const Value& owner, std::string_view name) {
    switch (owner.kind()) {
    case Kind::String:
        return find_string_method(name);
    case Kind::Dict:
        return find_in(kDictMethods, name);
    case Kind::Sequence:
        switch (owner.sequence().kind) {
        case SequenceKind::List:
            return find_in(kListMethods, name);
        case SequenceKind::Tuple:
        case SequenceKind::Range:
            return find_in(kTupleMethods, name);
        default:
            return nullptr;
        }
    default:
        return nullptr;
    }
}

bool is_unsafe_attribute(const Value& owner, std::string_view name) {
    if (name.size() > 4 && name.substr(0, 2) == "__" && name.substr(name.size() - 2) == "__")
        return !(owner.is(Kind::Dict) && owner.dict().find(name) != nullptr);
    if (owner.is(Kind::Dict))
        return holds(kUnsafeDict, name);
    return owner.is_sequence(SequenceKind::List) && holds(kUnsafeList, name);
}

std::vector<Value> dict_items(Runtime& runtime, const Dict& dict) {
    std::vector<Value> out;
    out.reserve(dict.entries.size());
    for (const auto& [key, value] : dict.entries)
        out.push_back(runtime.tuple({key, value}));
    return out;
}

} // namespace alcove::jinja
