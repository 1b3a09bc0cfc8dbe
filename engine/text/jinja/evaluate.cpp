// Expressions of the interpreter.
#include "engine/text/jinja/interpreter.h"

#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/methods.h"
#include "engine/text/jinja/operators.h"

#include <fmt/format.h>

namespace alcove::jinja {

Value Interpreter::evaluate(const Expression& expression) {
    using Node = Expression::Kind;
    charge(1);
    if (++depth_ > limits().max_depth * 6) {
        --depth_;
        fail_runtime(
            fmt::format("calls and blocks nest deeper than the limit allows (max_depth {})",
                        limits().max_depth));
    }
    struct Leave {
        int& depth;
        ~Leave() { --depth; }
    } const leave{depth_};
    switch (expression.kind) {
    case Node::Constant:
        return expression.constant;
    case Node::Name:
        return evaluate_name(expression);
    case Node::Tuple:
        return evaluate_sequence(expression, SequenceKind::Tuple);
    case Node::List:
        return evaluate_sequence(expression, SequenceKind::List);
    case Node::Dict:
        return evaluate_dict(expression);
    case Node::Negate:
        return negate(evaluate(*expression.operands[0]));
    case Node::Plus:
        return plus(evaluate(*expression.operands[0]));
    case Node::Not:
        return Value(!truthy(evaluate(*expression.operands[0])));
    case Node::And:
        return evaluate_logic(expression, false);
    case Node::Or:
        return evaluate_logic(expression, true);
    case Node::Concat:
        return evaluate_concat(expression);
    case Node::Arithmetic:
        return evaluate_chain(expression);
    case Node::Compare:
        return evaluate_compare(expression);
    case Node::Conditional:
        return evaluate_conditional(expression);
    case Node::Attribute:
        return attribute(evaluate(*expression.operands[0]), expression.text);
    case Node::Item: {
        const Value owner = evaluate(*expression.operands[0]);
        return item(owner, evaluate(*expression.operands[1]));
    }
    case Node::Slice:
        return evaluate_slice(expression);
    case Node::Call:
        return evaluate_call(expression);
    case Node::Filter:
        return evaluate_filter(expression, nullptr);
    case Node::Test:
        return evaluate_test(expression);
    }
    return {};
}

Value Interpreter::evaluate_name(const Expression& expression) {
    const Scope* scope = scope_.get();
    for (unsigned hops = 0; scope != nullptr; scope = scope->parent(), ++hops) {
        if (hops >= 8)
            charge(1);
        if (const Value* found = scope->find_here(expression.id))
            return *found;
    }
    const auto& outer = context_[static_cast<std::size_t>(expression.id)];
    if (outer)
        return *outer;
    return undefined(
        fmt::format("'{}' is undefined", program_.names[static_cast<std::size_t>(expression.id)]));
}

Value Interpreter::evaluate_sequence(const Expression& expression, SequenceKind kind) {
    std::vector<Value> items;
    items.reserve(expression.operands.size());
    for (const ExpressionPtr& operand : expression.operands)
        items.push_back(evaluate(*operand));
    return sequence(kind, std::move(items));
}

Value Interpreter::evaluate_dict(const Expression& expression) {
    DictBuilder out(&budget());
    for (std::size_t i = 0; i + 1 < expression.operands.size(); i += 2) {
        const Value key = evaluate(*expression.operands[i]);
        charge(key);
        out.set(key, evaluate(*expression.operands[i + 1]));
    }
    return out.build();
}

Value Interpreter::evaluate_concat(const Expression& expression) {
    MarkedText out;
    for (const ExpressionPtr& operand : expression.operands) {
        const Value value = evaluate(*operand);
        if (value.is_string())
            out.append(value.text());
        else
            out.append(to_text(value));
        require(out.memory());
    }
    return string(std::move(out));
}

Value Interpreter::evaluate_chain(const Expression& expression) {
    Value left = evaluate(*expression.operands[0]);
    std::optional<MarkedText> text; // collects a + b + c of strings without copying at each step
    for (std::size_t i = 0; i < expression.operators.size(); ++i) {
        const Operator op = expression.operators[i];
        const Value right = evaluate(*expression.operands[i + 1]);
        if (op == Operator::Add && (text || left.is_string()) && right.is_string()) {
            if (!text)
                text = left.text();
            require(text->memory() + right.text().size());
            text->append(right.text());
            continue;
        }
        if (text) {
            left = string(*std::exchange(text, {}));
        }
        left = arithmetic(*this, op, left, right);
    }
    return text ? string(*std::move(text)) : left;
}

Value Interpreter::evaluate_compare(const Expression& expression) {
    Value left = evaluate(*expression.operands[0]);
    for (std::size_t i = 0; i < expression.operators.size(); ++i) {
        Value right = evaluate(*expression.operands[i + 1]);
        if (!compare(*this, expression.operators[i], left, right))
            return Value(false);
        left = std::move(right);
    }
    return Value(true);
}

Value Interpreter::evaluate_logic(const Expression& expression, bool stops_at) {
    Value value;
    for (const ExpressionPtr& operand : expression.operands) {
        value = evaluate(*operand);
        if (truthy(value) == stops_at)
            break;
    }
    return value;
}

Value Interpreter::evaluate_conditional(const Expression& expression) {
    if (truthy(evaluate(*expression.operands[0])))
        return evaluate(*expression.operands[1]);
    if (expression.operands.size() > 2)
        return evaluate(*expression.operands[2]);
    return undefined(
        "the inline if-expression evaluated to false and no else section was defined.");
}

Value Interpreter::evaluate_slice(const Expression& expression) {
    const Value owner = evaluate(*expression.operands[0]);
    const auto bound = [&](std::size_t i) {
        return expression.operands[i] == nullptr ? Value(None{})
                                                 : evaluate(*expression.operands[i]);
    };
    const Value begin = bound(1), end = bound(2), step = bound(3);
    return slice(owner, begin, end, step);
}

Arguments Interpreter::evaluate_arguments(const std::vector<CallArgument>& arguments) {
    Arguments out;
    for (const CallArgument& argument : arguments) {
        Value value = evaluate(*argument.value);
        switch (argument.kind) {
        case CallArgument::Kind::Positional:
            out.positional.push_back(std::move(value));
            break;
        case CallArgument::Kind::Keyword:
            out.keyword.emplace_back(argument.name, std::move(value));
            break;
        case CallArgument::Kind::Star:
            for (Value& item : to_vector(value))
                out.positional.push_back(std::move(item));
            break;
        case CallArgument::Kind::DoubleStar:
            require_defined(value);
            if (!value.is(Kind::Dict))
                fail_runtime(
                    fmt::format("argument after ** must be a mapping, not {}", type_name(value)));
            for (const auto& [key, item] : value.dict().entries)
                out.keyword.emplace_back(to_text(key).view(), item);
            break;
        }
    }
    return out;
}

Value Interpreter::call_expression(const Expression& expression, Arguments& arguments) {
    const Expression& callee = *expression.operands[0];
    return call(evaluate(callee), arguments);
}

Value Interpreter::evaluate_call(const Expression& expression) {
    const Expression& callee = *expression.operands[0];
    if (callee.kind != Expression::Kind::Attribute) {
        const Value function = evaluate(callee);
        Arguments arguments = evaluate_arguments(expression.arguments);
        return call(function, arguments);
    }
    const Value owner = evaluate(*callee.operands[0]);
    if (!owner.is(Kind::Object) && !owner.is_undefined() &&
        !is_unsafe_attribute(owner, callee.text)) {
        if (const Method* method =
                find_method(owner, callee.text)) // without making a bound method first
            return method->call(*this, owner, evaluate_arguments(expression.arguments));
    }
    const Value function = attribute(owner, callee.text);
    Arguments arguments = evaluate_arguments(expression.arguments);
    return call(function, arguments);
}

Value Interpreter::evaluate_filter(const Expression& expression, const Value* input) {
    // In a filter block the chain ends at its first filter, whose operand is the block's text.
    const Expression* operand = expression.operands[0].get();
    Value value;
    if (operand == nullptr)
        value = input == nullptr ? Value() : *input;
    else if (input != nullptr && operand->kind == Expression::Kind::Filter)
        value = evaluate_filter(*operand, input);
    else
        value = evaluate(*operand);
    if (expression.filter == nullptr)
        fail_runtime(fmt::format("No filter named '{}' found.", expression.text));
    return expression.filter->apply(*this, value, evaluate_arguments(expression.arguments));
}

Value Interpreter::evaluate_test(const Expression& expression) {
    const Value value = evaluate(*expression.operands[0]);
    if (expression.test == nullptr)
        fail_runtime(fmt::format("No test named '{}' found.", expression.text));
    return Value(expression.test->check(*this, value, evaluate_arguments(expression.arguments)));
}

} // namespace alcove::jinja
