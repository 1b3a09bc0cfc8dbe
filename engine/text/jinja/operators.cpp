#include "engine/text/jinja/operators.h"

#include "engine/text/jinja/methods.h"

#include <fmt/format.h>

#include <cmath>

namespace alcove::jinja {
namespace {

[[noreturn]] void fail_overflow() {
    fail_runtime("a whole number exceeds the 128 bits that it may have here");
}

std::string_view symbol(Operator op) {
    switch (op) {
    case Operator::Add:
        return "+";
    case Operator::Subtract:
        return "-";
    case Operator::Multiply:
        return "*";
    case Operator::Divide:
        return "/";
    case Operator::FloorDivide:
        return "//";
    case Operator::Modulo:
        return "%";
    case Operator::Power:
        return "** or pow()";
    case Operator::Less:
        return "<";
    case Operator::LessEqual:
        return "<=";
    case Operator::Greater:
        return ">";
    case Operator::GreaterEqual:
        return ">=";
    default:
        return "?";
    }
}

[[noreturn]] void fail_operands(Operator op, const Value& left, const Value& right) {
    require_defined(left);
    require_defined(right);
    if (op == Operator::Add && left.is_string())
        fail_runtime(fmt::format("can only concatenate str (not \"{}\") to str", type_name(right)));
    if (op == Operator::Add && left.is(Kind::Sequence))
        fail_runtime(fmt::format("can only concatenate {0} (not \"{1}\") to {0}", type_name(left),
                                 type_name(right)));
    if (op == Operator::Multiply && (left.is_string() || left.is(Kind::Sequence)))
        fail_runtime(
            fmt::format("can't multiply sequence by non-int of type '{}'", type_name(right)));
    if (op == Operator::Multiply && (right.is_string() || right.is(Kind::Sequence)))
        fail_runtime(
            fmt::format("can't multiply sequence by non-int of type '{}'", type_name(left)));
    fail_runtime(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'", symbol(op),
                             type_name(left), type_name(right)));
}

/// Quotient rounded down, and the remainder that goes with it (its sign is the divisor's).
struct Division {
    Int quotient, remainder;
};
Division divide(Int a, Int b) {
    if (b == 0)
        fail_runtime("integer division or modulo by zero");
    if (b == -1) { // the only case that can overflow
        Int quotient = 0;
        if (__builtin_sub_overflow(Int{0}, a, &quotient))
            fail_overflow();
        return {quotient, 0};
    }
    Division out{a / b, a % b};
    if (out.remainder != 0 && (out.remainder < 0) != (b < 0)) {
        --out.quotient;
        out.remainder += b;
    }
    return out;
}

Value power(Int base, Int exponent) {
    if (exponent < 0)
        return Value(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
    Int result = 1;
    while (exponent > 0) {
        if (exponent % 2 != 0 && __builtin_mul_overflow(result, base, &result))
            fail_overflow();
        exponent /= 2;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
            fail_overflow();
    }
    return Value(result);
}

Value integer_arithmetic(Operator op, Int a, Int b) {
    Int result = 0;
    bool overflow = false;
    switch (op) {
    case Operator::Add:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case Operator::Subtract:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case Operator::Multiply:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case Operator::Divide:
        if (b == 0)
            fail_runtime("division by zero");
        return Value(static_cast<double>(a) / static_cast<double>(b));
    case Operator::FloorDivide:
        return Value(divide(a, b).quotient);
    case Operator::Modulo:
        return Value(b == -1 ? Int{0} : divide(a, b).remainder);
    default:
        return power(a, b);
    }
    if (overflow)
        fail_overflow();
    return Value(result);
}

double float_modulo(double a, double b) {
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
        rest += b;
    return rest;
}

Value float_arithmetic(Operator op, double a, double b) {
    switch (op) {
    case Operator::Add:
        return Value(a + b);
    case Operator::Subtract:
        return Value(a - b);
    case Operator::Multiply:
        return Value(a * b);
    case Operator::Power: {
        if (a == 0 && b < 0)
            fail_runtime("0.0 cannot be raised to a negative power");
        const double result = std::pow(a, b);
        if (std::isnan(result) && !std::isnan(a) && !std::isnan(b))
            fail_runtime("the power of a negative number is not real");
        return Value(result);
    }
    default:
        break;
    }
    if (b == 0)
        fail_runtime(op == Operator::Divide ? "float division by zero"
                                            : "float floor division by zero");
    if (op == Operator::Divide)
        return Value(a / b);
    if (op == Operator::Modulo)
        return Value(float_modulo(a, b));
    return Value(std::floor(a / b));
}

Value repeat(Runtime& runtime, const Value& value, Int times) {
    const std::size_t count = to_count(times);
    if (value.is_string())
        return runtime.string(repeat_text(runtime, value.text(), count));
    const auto& items = value.sequence().items;
    std::vector<Value> out;
    if (!items.empty() && count > 0) {
        runtime.require(count > SIZE_MAX / sizeof(Value) / items.size()
                            ? SIZE_MAX
                            : count * items.size() * sizeof(Value));
        runtime.charge(count * items.size());
        out.reserve(count * items.size());
        for (std::size_t i = 0; i < count; ++i)
            out.insert(out.end(), items.begin(), items.end());
    }
    return runtime.sequence(value.sequence().kind, std::move(out));
}

bool is_list(const Value& value) {
    return value.is_sequence(SequenceKind::List) || value.is_sequence(SequenceKind::Tuple);
}

} // namespace

Value Runtime::add(const Value& a, const Value& b) {
    return arithmetic(*this, Operator::Add, a, b);
}

Value arithmetic(Runtime& runtime, Operator op, const Value& left, const Value& right) {
    if (left.is_number() && right.is_number()) {
        if (left.is_integer() && right.is_integer())
            return integer_arithmetic(op, left.integer(), right.integer());
        return float_arithmetic(op, left.number(), right.number());
    }
    if (op == Operator::Add && left.is_string() && right.is_string()) {
        runtime.require(left.text().memory() + right.text().memory());
        MarkedText out;
        out.reserve(left.text().size() + right.text().size());
        out.append(left.text());
        out.append(right.text());
        return runtime.string(std::move(out));
    }
    if (op == Operator::Add && is_list(left) && is_list(right) &&
        left.sequence().kind == right.sequence().kind) {
        std::vector<Value> out = runtime.to_vector(left);
        const auto& more = right.sequence().items;
        runtime.require((out.size() + more.size()) * sizeof(Value));
        out.insert(out.end(), more.begin(), more.end());
        return runtime.sequence(left.sequence().kind, std::move(out));
    }
    if (op == Operator::Multiply && (left.is_string() || is_list(left)) && right.is_integer())
        return repeat(runtime, left, right.integer());
    if (op == Operator::Multiply && left.is_integer() && (right.is_string() || is_list(right)))
        return repeat(runtime, right, left.integer());
    if (op == Operator::Modulo && left.is_string())
        return percent_format(runtime, left.text(), right);
    fail_operands(op, left, right);
}

Value negate(const Value& value) {
    require_defined(value);
    if (value.is(Kind::Float))
        return Value(-value.number());
    if (!value.is_integer())
        fail_runtime(fmt::format("bad operand type for unary -: '{}'", type_name(value)));
    return integer_arithmetic(Operator::Subtract, 0, value.integer());
}

Value plus(const Value& value) {
    require_defined(value);
    if (!value.is_number())
        fail_runtime(fmt::format("bad operand type for unary +: '{}'", type_name(value)));
    return value.is(Kind::Bool) ? Value(value.integer()) : value;
}

bool compare(Runtime& runtime, Operator op, const Value& left, const Value& right) {
    switch (op) {
    case Operator::Equal:
        return runtime.equals(left, right);
    case Operator::NotEqual:
        return !runtime.equals(left, right);
    case Operator::In:
        return runtime.contains(right, left);
    case Operator::NotIn:
        return !runtime.contains(right, left);
    default:
        break;
    }
    const bool ordered =
        (left.is_number() && right.is_number()) || (left.is_string() && right.is_string()) ||
        (is_list(left) && is_list(right) && left.sequence().kind == right.sequence().kind);
    if (!ordered) {
        require_defined(left);
        require_defined(right);
        fail_runtime(fmt::format("'{}' not supported between instances of '{}' and '{}'",
                                 symbol(op), type_name(left), type_name(right)));
    }
    switch (op) {
    case Operator::Less:
        return runtime.less_than(left, right);
    case Operator::Greater:
        return runtime.less_than(right, left);
    case Operator::LessEqual: // not the negation of greater: a NaN compares false with everything
        return runtime.less_than(left, right) || runtime.equals(left, right);
    default:
        return runtime.less_than(right, left) || runtime.equals(left, right);
    }
}

} // namespace alcove::jinja
