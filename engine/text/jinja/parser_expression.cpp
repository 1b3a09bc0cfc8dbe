#include "engine/text/jinja/error.h"
#include "engine/text/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace alcove::jinja {

using Node = Expression::Kind;

ExpressionPtr Parser::node(Node kind) const {
    auto out = std::make_unique<Expression>();
    out->kind = kind;
    out->line = current().line;
    return out;
}

ExpressionPtr Parser::finish(ExpressionPtr expression) const {
    int below = 0;
    for (const ExpressionPtr& operand : expression->operands)
        if (operand != nullptr)
            below = std::max(below, operand->height);
    for (const CallArgument& argument : expression->arguments)
        below = std::max(below, argument.value->height);
    expression->height = below + 1;
    if (expression->height > max_depth_)
        fail_too_deep();
    return expression;
}

ExpressionPtr Parser::parse_expression(bool with_conditional) {
    const Nested nested(*this);
    ExpressionPtr value = parse_or();
    while (with_conditional && is_name("if")) {
        ExpressionPtr conditional = node(Node::Conditional);
        take();
        conditional->operands.push_back(parse_or());
        conditional->operands.push_back(std::move(value));
        if (skip_name("else"))
            conditional->operands.push_back(parse_expression());
        value = finish(std::move(conditional));
    }
    return value;
}

ExpressionPtr Parser::parse_or() {
    ExpressionPtr first = parse_and();
    if (!is_name("or"))
        return first;
    ExpressionPtr out = node(Node::Or);
    out->operands.push_back(std::move(first));
    while (skip_name("or"))
        out->operands.push_back(parse_and());
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_and() {
    ExpressionPtr first = parse_not();
    if (!is_name("and"))
        return first;
    ExpressionPtr out = node(Node::And);
    out->operands.push_back(std::move(first));
    while (skip_name("and"))
        out->operands.push_back(parse_not());
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_not() {
    if (!is_name("not"))
        return parse_compare();
    const Nested nested(*this);
    ExpressionPtr out = node(Node::Not);
    take();
    out->operands.push_back(parse_not());
    return finish(std::move(out));
}

template <typename Next>
ExpressionPtr Parser::parse_chain(Node kind, Next next,
                                  std::vector<std::pair<std::string_view, Operator>> ops) {
    ExpressionPtr first = next();
    ExpressionPtr out;
    while (current().type == TokenType::Operator) {
        const auto op = std::find_if(ops.begin(), ops.end(), [&](const auto& entry) {
            return entry.first == current().text;
        });
        if (op == ops.end())
            break;
        if (out == nullptr) {
            out = node(kind);
            out->operands.push_back(std::move(first));
        }
        take();
        out->operators.push_back(op->second);
        out->operands.push_back(next());
    }
    return out == nullptr ? std::move(first) : finish(std::move(out));
}

ExpressionPtr Parser::parse_compare() {
    ExpressionPtr first = parse_sum();
    ExpressionPtr out;
    static constexpr std::pair<std::string_view, Operator> kOperators[] = {
        {"==", Operator::Equal},     {"!=", Operator::NotEqual}, {"<", Operator::Less},
        {"<=", Operator::LessEqual}, {">", Operator::Greater},   {">=", Operator::GreaterEqual},
    };
    while (true) {
        Operator op = Operator::Equal;
        if (is_name("in")) {
            op = Operator::In;
            take();
        } else if (is_name("not") && ahead().type == TokenType::Name && ahead().text == "in") {
            op = Operator::NotIn;
            take();
            take();
        } else if (current().type == TokenType::Operator) {
            const auto* found =
                std::find_if(std::begin(kOperators), std::end(kOperators),
                             [&](const auto& entry) { return entry.first == current().text; });
            if (found == std::end(kOperators))
                break;
            op = found->second;
            take();
        } else {
            break;
        }
        if (out == nullptr) {
            out = node(Node::Compare);
            out->operands.push_back(std::move(first));
        }
        out->operators.push_back(op);
        out->operands.push_back(parse_sum());
    }
    return out == nullptr ? std::move(first) : finish(std::move(out));
}

ExpressionPtr Parser::parse_sum() {
    return parse_chain(Node::Arithmetic, [this] { return parse_concat(); },
                       {{"+", Operator::Add}, {"-", Operator::Subtract}});
}

ExpressionPtr Parser::parse_concat() {
    ExpressionPtr first = parse_product();
    if (!is_operator("~"))
        return first;
    ExpressionPtr out = node(Node::Concat);
    out->operands.push_back(std::move(first));
    while (skip_operator("~"))
        out->operands.push_back(parse_product());
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_product() {
    return parse_chain(Node::Arithmetic, [this] { return parse_power(); },
                       {{"*", Operator::Multiply},
                        {"/", Operator::Divide},
                        {"//", Operator::FloorDivide},
                        {"%", Operator::Modulo}});
}

ExpressionPtr Parser::parse_power() {
    return parse_chain(Node::Arithmetic, [this] { return parse_unary(); },
                       {{"**", Operator::Power}});
}

ExpressionPtr Parser::parse_unary(bool with_filter) {
    ExpressionPtr value;
    if (is_operator("-") || is_operator("+")) {
        const Nested nested(*this);
        ExpressionPtr sign = node(is_operator("-") ? Node::Negate : Node::Plus);
        take();
        sign->operands.push_back(parse_unary(false));
        value = finish(std::move(sign));
    } else {
        value = parse_primary();
    }
    value = parse_postfix(std::move(value));
    return with_filter ? parse_filters(std::move(value)) : std::move(value);
}

ExpressionPtr Parser::parse_primary() {
    if (current().type == TokenType::Operator) {
        if (is_operator("(")) {
            const Nested nested(*this);
            take();
            ExpressionPtr value = parse_tuple(true, true);
            expect_operator(")");
            return value;
        }
        if (is_operator("["))
            return parse_list();
        if (is_operator("{"))
            return parse_dict();
    }
    if (current().type != TokenType::Name)
        return parse_literal();
    const std::string& word = current().text;
    ExpressionPtr out = node(Node::Constant);
    if (word == "true" || word == "True") {
        out->constant = Value(true);
    } else if (word == "false" || word == "False") {
        out->constant = Value(false);
    } else if (word == "none" || word == "None") {
        out->constant = Value(None{});
    } else {
        out->kind = Node::Name;
        out->text = word;
        out->id = name_id(word);
        for (Macro* macro : macros_) {
            if (word == "caller")
                macro->caller_id = out->id;
            else if (word == "varargs")
                macro->varargs_id = out->id;
            else if (word == "kwargs")
                macro->kwargs_id = out->id;
        }
    }
    take();
    return out;
}

ExpressionPtr Parser::parse_literal() {
    ExpressionPtr out = node(Node::Constant);
    switch (current().type) {
    case TokenType::String: {
        std::string text = take().text;
        while (current().type == TokenType::String)
            text += take().text;
        out->constant = make_string(MarkedText(std::move(text), false), nullptr);
        return out;
    }
    case TokenType::Integer: {
        const Token number = take();
        std::string_view digits = number.text;
        int base = 10;
        if (digits.size() > 2 && digits[0] == '0' && digits[1] > '9') {
            const char letter = static_cast<char>(digits[1] | 0x20);
            base = letter == 'x' ? 16 : (letter == 'o' ? 8 : 2);
            digits.remove_prefix(2);
        }
        Int value = 0;
        for (const char c : digits) {
            const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
            if (digit >= base)
                fail_syntax(fmt::format("'{}' is not a whole number of base {}", digits, base));
            if (__builtin_mul_overflow(value, Int{base}, &value) ||
                __builtin_add_overflow(value, Int{digit}, &value))
                fail_syntax("a whole number exceeds the 128 bits that it may have here");
        }
        out->constant = Value(value);
        return out;
    }
    case TokenType::Float: {
        const std::string digits = take().text;
        double value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        out->constant = Value(value);
        return out;
    }
    case TokenType::End:
        fail_syntax("unexpected end of template, expected an expression");
    default:
        fail_syntax(current().type == TokenType::Operator
                        ? fmt::format("unexpected '{}'", describe(current()))
                        : fmt::format("Expected an expression, got '{}'", describe(current())));
    }
}

ExpressionPtr Parser::parse_list() {
    ExpressionPtr out = node(Node::List);
    take();
    while (!is_operator("]")) {
        if (!out->operands.empty())
            expect_operator(",");
        if (is_operator("]"))
            break;
        out->operands.push_back(parse_expression());
    }
    expect_operator("]");
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_dict() {
    ExpressionPtr out = node(Node::Dict);
    take();
    while (!is_operator("}")) {
        if (!out->operands.empty())
            expect_operator(",");
        if (is_operator("}"))
            break;
        out->operands.push_back(parse_expression());
        expect_operator(":");
        out->operands.push_back(parse_expression());
    }
    expect_operator("}");
    return finish(std::move(out));
}

bool Parser::at_tuple_end(std::string_view end) const {
    return current().type == TokenType::PrintEnd || current().type == TokenType::BlockEnd ||
           is_operator(")") || (!end.empty() && is_name(end));
}

ExpressionPtr Parser::parse_tuple(bool with_conditional, bool parenthesised, std::string_view end) {
    ExpressionPtr out = node(Node::Tuple);
    bool is_tuple = false;
    while (!at_tuple_end(end)) {
        out->operands.push_back(parse_expression(with_conditional));
        if (!skip_operator(","))
            break;
        is_tuple = true;
    }
    if (!is_tuple) {
        if (!out->operands.empty())
            return std::move(out->operands.front());
        if (!parenthesised)
            fail_syntax(fmt::format("Expected an expression, got '{}'", describe(current())));
    }
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_postfix(ExpressionPtr value) {
    while (current().type == TokenType::Operator) {
        if (is_operator("."))
            value = parse_attribute(std::move(value));
        else if (is_operator("["))
            value = parse_subscript(std::move(value));
        else if (is_operator("("))
            value = parse_call(std::move(value));
        else
            break;
    }
    return value;
}

ExpressionPtr Parser::parse_filters(ExpressionPtr value) {
    while (true) {
        if (skip_operator("|"))
            value = parse_one_filter(std::move(value));
        else if (value != nullptr && is_name("is"))
            value = parse_test(std::move(value));
        else if (value != nullptr && is_operator("("))
            value = parse_call(std::move(value));
        else
            return value;
    }
}

ExpressionPtr Parser::parse_one_filter(ExpressionPtr value) {
    ExpressionPtr out = node(Node::Filter);
    out->text = expect_identifier();
    while (skip_operator(".")) {
        out->text += '.';
        out->text += expect_identifier();
    }
    out->filter = find_filter(out->text);
    out->operands.push_back(std::move(value));
    if (is_operator("("))
        out->arguments = parse_arguments();
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_test(ExpressionPtr value) {
    ExpressionPtr out = node(Node::Test);
    take();
    const bool negated = skip_name("not");
    out->text = expect_identifier();
    while (skip_operator(".")) {
        out->text += '.';
        out->text += expect_identifier();
    }
    out->test = find_test(out->text);
    out->operands.push_back(std::move(value));
    const TokenType type = current().type;
    const bool literal = type == TokenType::Name || type == TokenType::String ||
                         type == TokenType::Integer || type == TokenType::Float ||
                         is_operator("[") || is_operator("{");
    if (is_operator("(")) {
        out->arguments = parse_arguments();
    } else if (literal && !is_name("else") && !is_name("or") && !is_name("and")) {
        if (is_name("is"))
            fail_syntax("You cannot chain multiple tests with is");
        const Nested nested(*this);
        CallArgument argument;
        argument.value = parse_postfix(parse_primary());
        out->arguments.push_back(std::move(argument));
    }
    out = finish(std::move(out));
    if (!negated)
        return out;
    ExpressionPtr inverse = node(Node::Not);
    inverse->operands.push_back(std::move(out));
    return finish(std::move(inverse));
}

ExpressionPtr Parser::parse_attribute(ExpressionPtr value) {
    ExpressionPtr out = node(Node::Attribute);
    take();
    out->operands.push_back(std::move(value));
    if (current().type == TokenType::Name) {
        out->text = take().text;
        out->text_value = make_string(MarkedText(out->text, false), nullptr);
    } else if (current().type == TokenType::Integer) {
        out->kind = Node::Item;
        out->operands.push_back(parse_literal());
    } else {
        fail_syntax("expected name or number");
    }
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_subscript(ExpressionPtr value) {
    const Nested nested(*this);
    ExpressionPtr out = node(Node::Item);
    take();
    out->operands.push_back(std::move(value));
    ExpressionPtr key;
    if (!is_operator(":"))
        key = parse_expression();
    if (is_operator(":")) {
        out->kind = Node::Slice;
        out->operands.push_back(std::move(key));
        for (int i = 0; i < 2; ++i) {
            ExpressionPtr bound;
            if (skip_operator(":") && !is_operator("]") && !is_operator(":"))
                bound = parse_expression();
            out->operands.push_back(std::move(bound));
        }
    } else if (is_operator(",")) {
        ExpressionPtr tuple = node(Node::Tuple);
        tuple->operands.push_back(std::move(key));
        while (skip_operator(","))
            tuple->operands.push_back(parse_expression());
        out->operands.push_back(finish(std::move(tuple)));
    } else {
        out->operands.push_back(std::move(key));
    }
    expect_operator("]");
    return finish(std::move(out));
}

ExpressionPtr Parser::parse_call(ExpressionPtr callee) {
    ExpressionPtr out = node(Node::Call);
    out->operands.push_back(std::move(callee));
    out->arguments = parse_arguments();
    return finish(std::move(out));
}

std::vector<CallArgument> Parser::parse_arguments() {
    const Nested nested(*this);
    std::vector<CallArgument> out;
    expect_operator("(");
    bool keywords = false, unpacked = false;
    while (!is_operator(")")) {
        if (!out.empty())
            expect_operator(",");
        if (is_operator(")"))
            break;
        CallArgument argument;
        const bool named = current().type == TokenType::Name &&
                           ahead().type == TokenType::Operator && ahead().text == "=";
        if (skip_operator("*")) {
            argument.kind = CallArgument::Kind::Star;
        } else if (skip_operator("**")) {
            argument.kind = CallArgument::Kind::DoubleStar;
            unpacked = true;
        } else if (named) {
            argument.kind = CallArgument::Kind::Keyword;
            argument.name = take().text;
            take();
            keywords = true;
        } else if (keywords || unpacked) {
            fail_syntax("invalid syntax for function call expression");
        }
        argument.value = parse_expression();
        out.push_back(std::move(argument));
    }
    expect_operator(")");
    return out;
}

} // namespace alcove::jinja
