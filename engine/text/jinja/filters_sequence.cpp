// Filters over sequences and dicts.
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/generator.h"
#include "engine/text/jinja/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace alcove::jinja {
namespace {

using Names = std::string_view;

Value length(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "length", {}, 0);
    switch (value.kind()) {
    case Kind::Undefined:
        return Value(Int{0});
    case Kind::String:
        return Value(static_cast<Int>(value.string().n_chars));
    case Kind::Sequence:
        return Value(static_cast<Int>(value.sequence().items.size()));
    case Kind::Dict:
        return Value(static_cast<Int>(value.dict().entries.size()));
    default:
        fail_runtime(fmt::format("object of type '{}' has no len()", type_name(value)));
    }
}

Value first(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "first", {}, 0);
    auto found = Iteration(runtime, value).next();
    return found ? *std::move(found) : runtime.undefined("No first item, sequence was empty.");
}

Value last(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "last", {}, 0);
    if (value.is(Kind::Object))
        fail_runtime(fmt::format("'{}' object is not reversible", type_name(value)));
    if (value.is_string())
        return value.text().empty() ? runtime.undefined("No last item, sequence was empty.")
                                    : runtime.item(value, Value(Int{-1}));
    if (value.is(Kind::Sequence) && !value.sequence().items.empty())
        return value.sequence().items.back();
    const std::vector<Value> items = runtime.to_vector(value);
    return items.empty() ? runtime.undefined("No last item, sequence was empty.") : items.back();
}

Value list(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "list", {}, 0);
    return value.is_sequence(SequenceKind::List) ? value : runtime.list(runtime.to_vector(value));
}

Value items(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "items", {}, 0);
    if (value.is_undefined())
        return make_generator(runtime, std::vector<Value>{});
    if (!value.is(Kind::Dict))
        fail_runtime("Can only get item pairs from a mapping.");
    return make_generator(runtime, dict_items(runtime, value.dict()));
}

Value join(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"d", "attribute"};
    const Parameters given(arguments, "join", kNames, 0);
    const MarkedText between = given.has(0) ? runtime.to_text(given.at(0)) : MarkedText();
    MarkedText out;
    bool first_item = true;
    Iteration walk(runtime, value);
    while (const auto item = walk.next()) {
        if (!first_item)
            out.append(between);
        first_item = false;
        if (const Value* path = given.optional(1))
            out.append(runtime.to_text(attribute_path(runtime, *item, *path)));
        else if (item->is_string())
            out.append(item->text());
        else
            out.append(runtime.to_text(*item));
        runtime.require(out.memory());
    }
    return runtime.string(std::move(out));
}

/// The paths of a sort's attribute: "a,b" sorts by a, then by b.
std::vector<Value> sort_paths(Runtime& runtime, const Value& attribute) {
    if (!attribute.is_string())
        return {attribute};
    std::vector<Value> out;
    for (std::string_view rest = attribute.view();;) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        out.push_back(runtime.string(rest.substr(0, comma), false));
        if (comma == rest.size())
            return out;
        rest.remove_prefix(comma + 1);
    }
}

/// What `value` is sorted by.
Value sort_key(Runtime& runtime, const Value& value, const Value* attribute, bool case_sensitive) {
    const auto folded = [&](Value key) { return case_sensitive ? key : ignore_case(runtime, key); };
    if (attribute == nullptr)
        return folded(value);
    std::vector<Value> keys;
    for (const Value& path : sort_paths(runtime, *attribute))
        keys.push_back(folded(attribute_path(runtime, value, path)));
    return runtime.list(std::move(keys));
}

struct Keyed {
    Value key, value;
};

/// Stable, and stable too when reversed.
void sort_keyed(Runtime& runtime, std::vector<Keyed>& items, bool reverse) {
    std::stable_sort(items.begin(), items.end(), [&](const Keyed& a, const Keyed& b) {
        return reverse ? runtime.less_than(b.key, a.key) : runtime.less_than(a.key, b.key);
    });
}

std::vector<Value> values_of(std::vector<Keyed> items) {
    std::vector<Value> out;
    out.reserve(items.size());
    for (Keyed& item : items)
        out.push_back(std::move(item.value));
    return out;
}

Value sort(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"reverse", "case_sensitive", "attribute"};
    const Parameters given(arguments, "sort", kNames, 0);
    std::vector<Keyed> keyed;
    for (Value& item : runtime.to_vector(value)) {
        Value key = sort_key(runtime, item, given.optional(2), given.boolean(1, false));
        keyed.push_back({std::move(key), std::move(item)});
    }
    sort_keyed(runtime, keyed, given.boolean(0, false));
    return runtime.list(values_of(std::move(keyed)));
}

Value dictsort(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"case_sensitive", "by", "reverse"};
    const Parameters given(arguments, "dictsort", kNames, 0);
    const std::string_view by = given.has(1) ? given.text(1)->view() : "key";
    if (by != "key" && by != "value")
        fail_runtime("You can only sort by either \"key\" or \"value\"");
    if (!value.is(Kind::Dict)) {
        require_defined(value);
        fail_runtime(fmt::format("dictsort() wants a mapping, not {}", type_name(value)));
    }
    std::vector<Keyed> keyed;
    for (const auto& [key, item] : value.dict().entries) {
        const Value& sorted_by = by == "key" ? key : item;
        keyed.push_back({given.boolean(0, false) ? sorted_by : ignore_case(runtime, sorted_by),
                         runtime.tuple({key, item})});
    }
    sort_keyed(runtime, keyed, given.boolean(2, false));
    return runtime.list(values_of(std::move(keyed)));
}

Value unique(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"case_sensitive", "attribute"};
    const Parameters given(arguments, "unique", kNames, 0);
    const bool case_sensitive = given.boolean(0, false);
    const std::optional<Value> path =
        given.optional(1) != nullptr ? std::optional(*given.optional(1)) : std::nullopt;
    auto seen = std::make_shared<std::unordered_multimap<std::size_t, Value>>();
    return make_generator(
        runtime, value, [=](Runtime& use, Iteration& walk) -> std::optional<Value> {
            while (auto item = walk.next()) {
                Value key = path ? attribute_path(use, *item, *path) : *item;
                if (!case_sensitive)
                    key = ignore_case(use, key);
                use.charge(key);
                const std::size_t hash = hash_of(key);
                const auto [begin, end] = seen->equal_range(hash);
                if (std::any_of(begin, end,
                                [&](const auto& entry) { return equal(entry.second, key); }))
                    continue;
                use.require(seen->size() * 64);
                seen->emplace(hash, std::move(key));
                return item;
            }
            return {};
        });
}

template <bool greatest>
Value extreme(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"case_sensitive", "attribute"};
    const Parameters given(arguments, greatest ? "max" : "min", kNames, 0);
    const auto key_of = [&](const Value& item) {
        Value key =
            given.optional(1) != nullptr ? attribute_path(runtime, item, *given.optional(1)) : item;
        return given.boolean(0, false) ? key : ignore_case(runtime, key);
    };
    Iteration walk(runtime, value);
    auto best = walk.next();
    if (!best)
        return runtime.undefined("No aggregated item, sequence was empty.");
    Value best_key = key_of(*best);
    while (auto item = walk.next()) {
        Value key = key_of(*item);
        if (greatest ? runtime.less_than(best_key, key) : runtime.less_than(key, best_key)) {
            best = std::move(item);
            best_key = std::move(key);
        }
    }
    return *std::move(best);
}

Value sum(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"attribute", "start"};
    const Parameters given(arguments, "sum", kNames, 0);
    Value total = given.has(1) ? given.at(1) : Value(Int{0});
    Iteration walk(runtime, value);
    while (const auto item = walk.next())
        total = runtime.add(total, given.optional(0) != nullptr
                                       ? attribute_path(runtime, *item, *given.optional(0))
                                       : *item);
    return total;
}

Value reverse(Runtime& runtime, const Value& value, const Arguments& arguments) {
    Parameters(arguments, "reverse", {}, 0);
    const Value none = None{};
    if (value.is_string())
        return runtime.slice(value, none, none, Value(Int{-1}));
    std::vector<Value> elements = runtime.to_vector(value);
    std::reverse(elements.begin(), elements.end());
    return make_generator(runtime, std::move(elements));
}

Value batch(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"linecount", "fill_with"};
    const Parameters given(arguments, "batch", kNames, 1);
    const std::size_t size = std::max<std::size_t>(1, to_count(given.integer(0, 1)));
    std::vector<Value> rows, row;
    Iteration walk(runtime, value);
    while (auto item = walk.next()) {
        if (row.size() == size)
            rows.push_back(runtime.list(std::exchange(row, {})));
        row.push_back(*std::move(item));
    }
    if (!row.empty()) {
        if (const Value* fill = given.optional(1)) {
            runtime.require(size > SIZE_MAX / sizeof(Value) ? SIZE_MAX : size * sizeof(Value));
            runtime.charge(size);
            row.resize(std::max(size, row.size()), *fill);
        }
        rows.push_back(runtime.list(std::move(row)));
    }
    return make_generator(runtime, std::move(rows));
}

Value slice(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"slices", "fill_with"};
    const Parameters given(arguments, "slice", kNames, 1);
    const std::size_t n = to_count(given.integer(0, 1));
    if (n == 0)
        fail_runtime("slice() wants at least one slice");
    const std::vector<Value> elements = runtime.to_vector(value);
    runtime.charge(n);
    runtime.require(n > SIZE_MAX / sizeof(Value) ? SIZE_MAX : n * sizeof(Value));
    const std::size_t per_slice = elements.size() / n, with_extra = elements.size() % n;
    std::vector<Value> rows;
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t size = per_slice + (i < with_extra ? 1 : 0);
        const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(at);
        std::vector<Value> row(begin, begin + static_cast<std::ptrdiff_t>(size));
        if (given.optional(1) != nullptr && i >= with_extra)
            row.push_back(given.at(1));
        rows.push_back(runtime.list(std::move(row)));
        at += size;
    }
    return make_generator(runtime, std::move(rows));
}

Value groupby(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"attribute", "default", "case_sensitive"};
    const Parameters given(arguments, "groupby", kNames, 1);
    const bool case_sensitive = given.boolean(2, false);
    std::vector<Keyed> keyed; // the key is sorted by, the value is (attribute, item)
    for (Value& item : runtime.to_vector(value)) {
        Value attribute = attribute_path(runtime, item, given.at(0));
        if (attribute.is_undefined() && given.optional(1) != nullptr)
            attribute = given.at(1);
        Value key = case_sensitive ? attribute : ignore_case(runtime, attribute);
        keyed.push_back({std::move(key), runtime.tuple({std::move(attribute), std::move(item)})});
    }
    sort_keyed(runtime, keyed, false);
    std::vector<Value> groups;
    for (std::size_t begin = 0; begin < keyed.size();) {
        std::vector<Value> members;
        std::size_t end = begin;
        for (; end < keyed.size() && runtime.equals(keyed[end].key, keyed[begin].key); ++end)
            members.push_back(keyed[end].value.sequence().items[1]);
        end = std::max(end, begin + 1); // a NaN equals nothing, not even itself
        groups.push_back(runtime.tuple(
            {keyed[begin].value.sequence().items[0], runtime.list(std::move(members))}));
        begin = end;
    }
    return runtime.list(std::move(groups));
}

Value attr(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"name"};
    const Parameters given(arguments, "attr", kNames, 1);
    const MarkedText name = runtime.to_text(given.at(0));
    require_defined(value);
    // Attributes only: the keys of a dict are none.
    if (value.is(Kind::Dict) && find_method(value, name.view()) == nullptr &&
        !is_unsafe_attribute(value, name.view()))
        return runtime.undefined(value, runtime.string(name));
    return runtime.attribute(value, name.view());
}

Value default_filter(Runtime& runtime, const Value& value, const Arguments& arguments) {
    static constexpr Names kNames[] = {"default_value", "boolean"};
    const Parameters given(arguments, "default", kNames, 0);
    if (!value.is_undefined() && !(given.boolean(1, false) && !truthy(value)))
        return value;
    return given.has(0) ? given.at(0) : runtime.string("", false);
}

constexpr Filter kFilters[] = {
    {"attr", attr},
    {"batch", batch},
    {"count", length},
    {"d", default_filter},
    {"default", default_filter},
    {"dictsort", dictsort},
    {"first", first},
    {"groupby", groupby},
    {"items", items},
    {"join", join},
    {"last", last},
    {"length", length},
    {"list", list},
    {"max", extreme<true>},
    {"min", extreme<false>},
    {"reverse", reverse},
    {"slice", slice},
    {"sort", sort},
    {"sum", sum},
    {"unique", unique},
};

} // namespace

std::span<const Filter> sequence_filters() {
    return kFilters;
}

} // namespace alcove::jinja
