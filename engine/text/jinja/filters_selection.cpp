// map, select, reject and their attribute forms: filters that apply other filters and tests.
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/generator.h"

#include <fmt/format.h>

namespace alcove::jinja {
namespace {

Value map(Runtime& runtime, const Value& value, const Arguments& arguments) {
    if (!truthy(value)) // also None gives nothing
        return make_generator(runtime, std::vector<Value>{});
    if (arguments.positional.empty()) {
        std::optional<Value> path, fallback;
        for (const auto& [name, argument] : arguments.keyword) {
            if (name == "attribute")
                path = argument;
            else if (name == "default")
                fallback = argument;
            else
                fail_runtime(fmt::format("Unexpected keyword argument '{}'", name));
        }
        if (!path)
            fail_runtime("map requires a filter argument");
        return make_generator(
            runtime, value,
            [path = *path, fallback](Runtime& use, Iteration& walk) -> std::optional<Value> {
                auto item = walk.next();
                if (!item)
                    return {};
                Value found = attribute_path(use, *item, path);
                return found.is_undefined() && fallback && !fallback->is_none() ? *fallback : found;
            });
    }
    if (!arguments.positional[0].is_string())
        fail_runtime("map requires the name of a filter");
    const Filter* filter = find_filter(arguments.positional[0].view());
    if (filter == nullptr)
        fail_runtime(fmt::format("No filter named '{}'.", arguments.positional[0].view()));
    Arguments rest = arguments;
    rest.positional.erase(rest.positional.begin());
    return make_generator(runtime, value,
                          [filter, rest](Runtime& use, Iteration& walk) -> std::optional<Value> {
                              const auto item = walk.next();
                              if (!item)
                                  return {};
                              return filter->apply(use, *item, rest);
                          });
}

/// Elements whose value (or attribute, the first argument) passes a test, or does not; without a
/// test: that are true.
template <bool by_attribute, bool wanted>
Value choose(Runtime& runtime, const Value& value, const Arguments& arguments) {
    if (!truthy(value))
        return make_generator(runtime, std::vector<Value>{});
    Arguments rest = arguments;
    std::optional<Value> path;
    if (by_attribute) {
        if (rest.positional.empty())
            fail_runtime("Missing parameter for attribute name");
        path = rest.positional[0];
        rest.positional.erase(rest.positional.begin());
    }
    const Test* test = nullptr;
    if (!rest.positional.empty()) {
        const Value name = rest.positional[0];
        test = name.is_string() ? find_test(name.view()) : nullptr;
        if (test == nullptr)
            fail_runtime(fmt::format("No test named '{}'.", runtime.to_text(name).view()));
        rest.positional.erase(rest.positional.begin());
    }
    return make_generator(
        runtime, value, [=](Runtime& use, Iteration& walk) -> std::optional<Value> {
            while (auto item = walk.next()) {
                const Value tested = path ? attribute_path(use, *item, *path) : *item;
                if ((test == nullptr ? truthy(tested) : test->check(use, tested, rest)) == wanted)
                    return item;
            }
            return {};
        });
}

constexpr Filter kFilters[] = {
    {"map", map},
    {"reject", choose<false, false>},
    {"rejectattr", choose<true, false>},
    {"select", choose<false, true>},
    {"selectattr", choose<true, true>},
};

} // namespace

std::span<const Filter> selection_filters() {
    return kFilters;
}

} // namespace alcove::jinja
