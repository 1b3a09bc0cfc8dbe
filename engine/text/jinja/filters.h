#pragma once

#include "engine/text/jinja/runtime.h"

#include <span>
#include <string_view>

/// Filters, tests and global functions: jinja2's own, with transformers' `tojson`. Left out:
/// `random` and `urlize`, whose results no prompt should depend on.
namespace alcove::jinja {

struct Filter {
    std::string_view name;
    Value (*apply)(Runtime& runtime, const Value& value, const Arguments& arguments);
};

struct Test {
    std::string_view name;
    bool (*check)(Runtime& runtime, const Value& value, const Arguments& arguments);
};

/// Null if there is none of that name.
const Filter* find_filter(std::string_view name);
const Test* find_test(std::string_view name);

/// Rows of the two tables, by file; sorted by name only as a whole.
std::span<const Filter> text_filters();
std::span<const Filter> sequence_filters();
std::span<const Filter> selection_filters();

/// The global function or constant `name`, or undefined with `found` false.
Value find_global(Runtime& runtime, std::string_view name, bool& found);

/// Element by a dotted path ("function.name", "0.id"), as `map(attribute=…)` takes it.
Value attribute_path(Runtime& runtime, const Value& value, const Value& path);
/// What compares without case: lower-case text, other values as they are.
Value ignore_case(Runtime& runtime, const Value& value);

} // namespace alcove::jinja
