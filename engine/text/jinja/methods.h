#pragma once

#include "engine/text/jinja/runtime.h"
#include "engine/text/jinja/text_ops.h"

#include <string_view>

/// Methods of strings, lists, tuples and dicts, named and behaving as in Python.
namespace alcove::jinja {

struct Method {
    std::string_view name;
    Value (*call)(Runtime& runtime, const Value& self, const Arguments& arguments);
};

/// The method `name` of `owner`'s type, or null.
const Method* find_method(const Value& owner, std::string_view name);
const Method* find_string_method(std::string_view name);

/// What the reference's sandbox hides: methods that change a list or dict, and Python's
/// `__names__`.
bool is_unsafe_attribute(const Value& owner, std::string_view name);

/// A method taken from its value without being called yet.
class BoundMethod final : public Object {
public:
    BoundMethod(Value self, const Method& method) : self_(std::move(self)), method_(method) {}
    std::string_view type_name() const override { return "builtin_function_or_method"; }
    int depth() const override { return depth_of(self_) + 1; }
    bool callable() const override { return true; }
    Value call(Runtime& runtime, Arguments& arguments) override {
        return method_.call(runtime, self_, arguments);
    }

private:
    Value self_;
    const Method& method_;
};

/// `template % values` and `template.format(…)`.
Value percent_format(Runtime& runtime, const MarkedText& pattern, const Value& values);
Value brace_format(Runtime& runtime, const MarkedText& pattern, const Arguments& arguments);

/// The items of a dict as (key, value) tuples.
std::vector<Value> dict_items(Runtime& runtime, const Dict& dict);

} // namespace alcove::jinja
