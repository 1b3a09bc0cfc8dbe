// Filters and tests that do not exist. In the reference, code inside of an `if` or a conditional
// expression is "soft": an unknown name there fails only when it is reached. Blocks with a scope of
// their own are firm again.
#include "engine/text/jinja/error.h"
#include "engine/text/jinja/parser.h"

#include <fmt/format.h>

namespace alcove::jinja {
namespace {

void check(const Expression* expression, bool soft) {
    if (expression == nullptr)
        return;
    using Node = Expression::Kind;
    soft = soft || expression->kind == Node::Conditional;
    if (!soft && expression->kind == Node::Filter && expression->filter == nullptr)
        fail(TemplateErrorKind::Syntax, fmt::format("No filter named '{}'.", expression->text),
             expression->line);
    if (!soft && expression->kind == Node::Test && expression->test == nullptr)
        fail(TemplateErrorKind::Syntax, fmt::format("No test named '{}'.", expression->text),
             expression->line);
    for (const ExpressionPtr& operand : expression->operands)
        check(operand.get(), soft);
    for (const CallArgument& argument : expression->arguments)
        check(argument.value.get(), soft);
}

void check(const Body& body, bool soft);

void check(const Statement& statement, bool soft) {
    using Of = Statement::Kind;
    switch (statement.kind) {
    case Of::If:
        for (const Branch& branch : statement.branches) {
            check(branch.condition.get(), true);
            check(branch.body, true);
        }
        break;
    case Of::For:
        check(statement.expression.get(), soft && !statement.recursive);
        check(statement.condition.get(), false);
        check(statement.body, false);
        check(statement.otherwise, false);
        break;
    case Of::Macro:
    case Of::CallBlock:
        for (const Parameter& parameter : statement.macro->parameters)
            check(parameter.fallback.get(), false);
        check(statement.macro->body, false);
        check(statement.expression.get(), soft);
        break;
    case Of::SetBlock:
    case Of::Filter:
        check(statement.expression.get(), false);
        check(statement.body, false);
        break;
    case Of::With:
        for (const ExpressionPtr& value : statement.values)
            check(value.get(), soft);
        check(statement.body, false);
        break;
    case Of::Scope:
        check(statement.body, false);
        break;
    default:
        check(statement.expression.get(), soft);
        break;
    }
}

void check(const Body& body, bool soft) {
    for (const Statement& statement : body)
        check(statement, soft);
}

} // namespace

void check_known_names(const Program& program) {
    check(program.body, false);
}

} // namespace alcove::jinja
