// The tests of `x is …`.
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/operators.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace alcove::jinja {
namespace {

using Names = std::string_view;

void no_arguments(const Arguments& arguments) {
    Parameters(arguments, "test", {}, 0);
}

const Value& one_argument(const Arguments& arguments) {
    if (arguments.positional.size() != 1 || !arguments.keyword.empty())
        fail_runtime("this test takes one argument");
    return arguments.positional[0];
}

template <bool (*check)(const Value&)>
bool property(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    no_arguments(arguments);
    return check(value);
}

template <Operator op>
bool comparison(Runtime& runtime, const Value& value, const Arguments& arguments) {
    return compare(runtime, op, value, one_argument(arguments));
}

bool is_defined(const Value& value) {
    return !value.is_undefined();
}
bool is_undefined(const Value& value) {
    return value.is_undefined();
}
bool is_none(const Value& value) {
    return value.is_none();
}
bool is_boolean(const Value& value) {
    return value.is(Kind::Bool);
}
bool is_true(const Value& value) {
    return value.is(Kind::Bool) && value.boolean();
}
bool is_false(const Value& value) {
    return value.is(Kind::Bool) && !value.boolean();
}
bool is_float(const Value& value) {
    return value.is(Kind::Float);
}
bool is_integer(const Value& value) {
    return value.is(Kind::Integer);
}
bool is_numeric(const Value& value) {
    return value.is_number();
}
bool is_string(const Value& value) {
    return value.is_string();
}
bool is_mapping(const Value& value) {
    return value.is(Kind::Dict);
}
bool is_never(const Value& /*value*/) {
    return false;
}

/// An undefined value can be walked and called as far as Python's type says, so it counts.
bool is_iterable(const Value& value) {
    return value.is_undefined() || value.is_string() || value.is(Kind::Sequence) ||
           value.is(Kind::Dict) || (value.is(Kind::Object) && value.object()->iterable());
}
bool is_sequence(const Value& value) {
    const bool indexed = value.is(Kind::Sequence) && value.sequence().kind <= SequenceKind::Range;
    return value.is_undefined() || value.is_string() || value.is(Kind::Dict) || indexed;
}
bool is_callable(const Value& value) {
    return value.is_undefined() || (value.is(Kind::Object) && value.object()->callable());
}

Int whole(const Value& value) {
    require_defined(value);
    if (!value.is_integer())
        fail_runtime(fmt::format("a whole number is required, not {}", type_name(value)));
    return value.integer();
}

bool odd(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    no_arguments(arguments);
    return whole(value) % 2 != 0;
}
bool even(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    no_arguments(arguments);
    return whole(value) % 2 == 0;
}
bool divisibleby(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    const Int by = whole(one_argument(arguments));
    if (by == 0)
        fail_runtime("integer modulo by zero");
    return by == -1 || whole(value) % by == 0;
}

bool sameas(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    return value.same_as(one_argument(arguments));
}

bool filter_exists(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    no_arguments(arguments);
    return value.is_string() && find_filter(value.view()) != nullptr;
}
bool test_exists(Runtime& /*runtime*/, const Value& value, const Arguments& arguments) {
    no_arguments(arguments);
    return value.is_string() && find_test(value.view()) != nullptr;
}

/// Has a character of the wanted case, and none of the other.
template <bool (*wanted)(char32_t), bool (*refused)(char32_t)>
bool has_case(Runtime& runtime, const Value& value, const Arguments& arguments) {
    no_arguments(arguments);
    const MarkedText text = runtime.to_text(value);
    bool any = false;
    for (std::size_t pos = 0; pos < text.size();) {
        const char32_t c = next_char(text.view(), pos);
        if (refused(c))
            return false;
        any = any || wanted(c);
    }
    return any;
}

constexpr Test kTests[] = {
    {"!=", comparison<Operator::NotEqual>},
    {"<", comparison<Operator::Less>},
    {"<=", comparison<Operator::LessEqual>},
    {"==", comparison<Operator::Equal>},
    {">", comparison<Operator::Greater>},
    {">=", comparison<Operator::GreaterEqual>},
    {"boolean", property<is_boolean>},
    {"callable", property<is_callable>},
    {"defined", property<is_defined>},
    {"divisibleby", divisibleby},
    {"eq", comparison<Operator::Equal>},
    {"equalto", comparison<Operator::Equal>},
    {"escaped", property<is_never>},
    {"even", even},
    {"false", property<is_false>},
    {"filter", filter_exists},
    {"float", property<is_float>},
    {"ge", comparison<Operator::GreaterEqual>},
    {"greaterthan", comparison<Operator::Greater>},
    {"gt", comparison<Operator::Greater>},
    {"in", comparison<Operator::In>},
    {"integer", property<is_integer>},
    {"iterable", property<is_iterable>},
    {"le", comparison<Operator::LessEqual>},
    {"lessthan", comparison<Operator::Less>},
    {"lower", has_case<is_lower, is_upper>},
    {"lt", comparison<Operator::Less>},
    {"mapping", property<is_mapping>},
    {"ne", comparison<Operator::NotEqual>},
    {"none", property<is_none>},
    {"number", property<is_numeric>},
    {"odd", odd},
    {"sameas", sameas},
    {"sequence", property<is_sequence>},
    {"string", property<is_string>},
    {"test", test_exists},
    {"true", property<is_true>},
    {"undefined", property<is_undefined>},
    {"upper", has_case<is_upper, is_lower>},
};

} // namespace

const Test* find_test(std::string_view name) {
    const auto* found = std::lower_bound(
        std::begin(kTests), std::end(kTests), name,
        [](const Test& test, std::string_view wanted) { return test.name < wanted; });
    return found != std::end(kTests) && found->name == name ? found : nullptr;
}

} // namespace alcove::jinja
