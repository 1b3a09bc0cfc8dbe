#include "engine/text/jinja/parser.h"

#include "engine/text/jinja/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace alcove::jinja {

std::string describe(const Token& token) {
    switch (token.type) {
    case TokenType::PrintEnd:
        return "end of print statement";
    case TokenType::PrintBegin:
        return "begin of print statement";
    case TokenType::BlockEnd:
        return "end of statement block";
    case TokenType::BlockBegin:
        return "begin of statement block";
    case TokenType::End:
        return "end of template";
    case TokenType::String:
        return "string";
    case TokenType::Text:
        return "template data / text";
    default:
        return token.text;
    }
}

Program parse(std::string_view source, int max_depth) {
    Program program = Parser(tokenize(source), max_depth).run();
    check_known_names(program);
    return program;
}

Program Parser::run() {
    Program program;
    program.body = parse_body({}, "");
    if (const auto loop = ids_.find("loop"); loop != ids_.end())
        program.loop_id = loop->second;
    program.names = std::move(names_);
    return program;
}

Token Parser::take() {
    Token token = tokens_[position_];
    if (position_ + 1 < tokens_.size())
        ++position_;
    return token;
}

bool Parser::skip_name(std::string_view name) {
    if (!is_name(name))
        return false;
    take();
    return true;
}

bool Parser::skip_operator(std::string_view op) {
    if (!is_operator(op))
        return false;
    take();
    return true;
}

void Parser::fail_syntax(std::string message) const {
    fail(TemplateErrorKind::Syntax, std::move(message), current().line);
}

void Parser::fail_too_deep() const {
    fail_syntax(fmt::format("nesting is deeper than {} (max_depth)", max_depth_));
}

void Parser::expect_name(std::string_view name) {
    if (!skip_name(name))
        fail_syntax(fmt::format("expected token '{}', got '{}'", name, describe(current())));
}

void Parser::expect_operator(std::string_view op) {
    if (skip_operator(op))
        return;
    if (current().type == TokenType::End)
        fail_syntax(fmt::format("unexpected end of template, expected '{}'.", op));
    fail_syntax(fmt::format("expected token '{}', got '{}'", op, describe(current())));
}

std::string Parser::expect_identifier() {
    if (current().type != TokenType::Name)
        fail_syntax(fmt::format("expected token 'name', got '{}'", describe(current())));
    return take().text;
}

void Parser::expect_block_end() {
    if (current().type == TokenType::End)
        fail_syntax("unexpected end of template, expected 'end of statement block'.");
    if (current().type != TokenType::BlockEnd)
        fail_syntax(
            fmt::format("expected token 'end of statement block', got '{}'", describe(current())));
    take();
}

int Parser::name_id(const std::string& name) {
    const auto [entry, added] = ids_.try_emplace(name, static_cast<int>(names_.size()));
    if (added)
        names_.push_back(name);
    return entry->second;
}

void Parser::fail_unclosed(const std::vector<std::string_view>& ends,
                           std::string_view block) const {
    fail_syntax(fmt::format(
        "Unexpected end of template. Jinja was looking for the following tags: '{}'. The innermost "
        "block that needs to be closed is '{}'.",
        fmt::join(ends, "' or '"), block));
}

Body Parser::parse_body(std::vector<std::string_view> ends, std::string_view block) {
    const Nested nested(*this);
    Body out;
    while (true) {
        switch (current().type) {
        case TokenType::Text: {
            Statement text;
            text.line = current().line;
            text.text = MarkedText(take().text, false);
            out.push_back(std::move(text));
            break;
        }
        case TokenType::PrintBegin:
            parse_print(out);
            break;
        case TokenType::BlockBegin:
            take();
            if (current().type == TokenType::Name &&
                std::find(ends.begin(), ends.end(), current().text) != ends.end())
                return out;
            parse_statement(out);
            break;
        default:
            if (!ends.empty())
                fail_unclosed(ends, block);
            return out;
        }
    }
}

Body Parser::parse_block_body(std::string_view end, std::string_view block) {
    expect_block_end();
    Body body = parse_body({end}, block);
    take();
    expect_block_end();
    return body;
}

void Parser::parse_print(Body& out) {
    Statement print;
    print.kind = Statement::Kind::Print;
    print.line = take().line;
    print.expression = parse_tuple(true, false);
    if (current().type == TokenType::End)
        fail_syntax("unexpected end of template, expected 'end of print statement'.");
    if (current().type != TokenType::PrintEnd)
        fail_syntax(
            fmt::format("expected token 'end of print statement', got '{}'", describe(current())));
    take();
    out.push_back(std::move(print));
}

void Parser::parse_statement(Body& out) {
    if (current().type != TokenType::Name)
        fail_syntax("tag name expected");
    Statement statement;
    statement.line = current().line;
    const std::string name = current().text;
    const auto parse_with_method = [&](void (Parser::*method)(Statement&)) {
        take();
        (this->*method)(statement);
    };
    if (name == "if")
        parse_with_method(&Parser::parse_if);
    else if (name == "for")
        parse_with_method(&Parser::parse_for);
    else if (name == "set")
        parse_with_method(&Parser::parse_set);
    else if (name == "macro")
        parse_with_method(&Parser::parse_macro);
    else if (name == "call")
        parse_with_method(&Parser::parse_call_block);
    else if (name == "filter")
        parse_with_method(&Parser::parse_filter_block);
    else if (name == "with")
        parse_with_method(&Parser::parse_with);
    else if (name == "autoescape")
        parse_with_method(&Parser::parse_autoescape);
    else if (name == "block")
        parse_with_method(&Parser::parse_named_block);
    else if (name == "generation")
        parse_with_method(&Parser::parse_generation);
    else if (name == "break")
        parse_loop_control(statement, Statement::Kind::Break);
    else if (name == "continue")
        parse_loop_control(statement, Statement::Kind::Continue);
    else if (name == "include" || name == "import" || name == "extends" || name == "from")
        parse_with_method(&Parser::parse_no_loader);
    else
        fail_syntax(fmt::format("Encountered unknown tag '{}'.", name));
    out.push_back(std::move(statement));
}

void Parser::parse_if(Statement& out) {
    out.kind = Statement::Kind::If;
    while (true) {
        Branch branch;
        branch.condition = parse_tuple(false, false);
        expect_block_end();
        branch.body = parse_body({"elif", "else", "endif"}, "if");
        out.branches.push_back(std::move(branch));
        const std::string end = take().text;
        if (end == "elif")
            continue;
        if (end == "else")
            out.branches.push_back({nullptr, parse_block_body("endif", "if")});
        else
            expect_block_end();
        return;
    }
}

void Parser::parse_for(Statement& out) {
    out.kind = Statement::Kind::For;
    out.target = parse_target(false);
    expect_name("in");
    out.expression = parse_tuple(false, false, "recursive");
    if (skip_name("if"))
        out.condition = parse_expression();
    out.recursive = skip_name("recursive");
    expect_block_end();
    const Context outer = context_;
    ++context_.loops;
    out.body = parse_body({"endfor", "else"}, "for");
    context_ = outer;
    if (take().text == "else")
        out.otherwise = parse_block_body("endfor", "for");
    else
        expect_block_end();
}

void Parser::parse_set(Statement& out) {
    out.target = parse_target(true);
    if (skip_operator("=")) {
        out.kind = Statement::Kind::Set;
        out.expression = parse_tuple(true, false);
        expect_block_end();
        return;
    }
    out.kind = Statement::Kind::SetBlock;
    if (is_operator("|"))
        out.expression = parse_filters(nullptr);
    out.body = parse_block_body("endset", "set");
}

void Parser::parse_parameters(Macro& macro) {
    expect_operator("(");
    while (!is_operator(")")) {
        if (!macro.parameters.empty())
            expect_operator(",");
        Parameter parameter;
        parameter.name = expect_identifier();
        parameter.id = name_id(parameter.name);
        if (skip_operator("="))
            parameter.fallback = parse_expression();
        else if (!macro.parameters.empty() && macro.parameters.back().fallback != nullptr)
            fail_syntax("non-default argument follows default argument");
        macro.parameters.push_back(std::move(parameter));
    }
    expect_operator(")");
}

void Parser::parse_macro_body(Macro& macro, std::string_view end, std::string_view block) {
    const Context outer = context_;
    context_.loops = 0;
    macros_.push_back(&macro);
    macro.body = parse_block_body(end, block);
    macros_.pop_back();
    context_ = outer;
}

void Parser::parse_macro(Statement& out) {
    out.kind = Statement::Kind::Macro;
    out.macro = std::make_shared<Macro>();
    out.macro->name = expect_identifier();
    out.target.id = name_id(out.macro->name);
    parse_parameters(*out.macro);
    parse_macro_body(*out.macro, "endmacro", "macro");
}

void Parser::parse_call_block(Statement& out) {
    out.kind = Statement::Kind::CallBlock;
    out.macro = std::make_shared<Macro>();
    out.macro->name = "caller";
    if (is_operator("("))
        parse_parameters(*out.macro);
    out.expression = parse_expression();
    if (out.expression->kind != Expression::Kind::Call)
        fail_syntax("expected call");
    parse_macro_body(*out.macro, "endcall", "call");
}

void Parser::parse_filter_block(Statement& out) {
    out.kind = Statement::Kind::Filter;
    out.expression = parse_filters(parse_one_filter(nullptr));
    out.body = parse_block_body("endfilter", "filter");
}

void Parser::parse_with(Statement& out) {
    out.kind = Statement::Kind::With;
    while (current().type != TokenType::BlockEnd) {
        if (!out.targets.empty())
            expect_operator(",");
        out.targets.push_back(parse_target(false));
        expect_operator("=");
        out.values.push_back(parse_expression());
    }
    out.body = parse_block_body("endwith", "with");
}

void Parser::parse_autoescape(Statement& out) {
    out.kind = Statement::Kind::Scope;
    const ExpressionPtr on = parse_expression();
    const bool off = on->kind == Expression::Kind::Constant && !truthy(on->constant);
    if (!off)
        fail_syntax("autoescape can only be false: prompts are not HTML");
    out.body = parse_block_body("endautoescape", "autoescape");
}

void Parser::parse_named_block(Statement& out) {
    out.kind = Statement::Kind::Scope;
    const std::string name = expect_identifier();
    skip_name("scoped");
    expect_block_end();
    out.body = parse_body({"endblock"}, "block");
    take();
    skip_name(name);
    expect_block_end();
}

void Parser::parse_generation(Statement& out) {
    out.kind = Statement::Kind::Scope;
    out.body = parse_block_body("endgeneration", "generation");
}

void Parser::parse_loop_control(Statement& out, Statement::Kind kind) {
    out.kind = kind;
    const Token word = take();
    if (context_.loops == 0)
        fail(TemplateErrorKind::Runtime, fmt::format("'{}' outside loop", word.text), word.line);
    expect_block_end();
}

void Parser::parse_no_loader(Statement& out) {
    out.kind = Statement::Kind::NoLoader;
    parse_expression();
    while (current().type != TokenType::BlockEnd && current().type != TokenType::End)
        take();
    expect_block_end();
}

Target Parser::parse_single_target(bool with_namespace) {
    Target target;
    if (skip_operator("(")) {
        const Nested nested(*this);
        target = parse_target(with_namespace);
        expect_operator(")");
        return target;
    }
    if (current().type != TokenType::Name) {
        const bool constant = current().type == TokenType::Integer ||
                              current().type == TokenType::Float ||
                              current().type == TokenType::String;
        fail_syntax(constant ? "can't assign to 'const'"
                             : fmt::format("expected token 'name', got '{}'", describe(current())));
    }
    const std::string name = take().text;
    for (const std::string_view word : {"true", "false", "none", "True", "False", "None"})
        if (name == word)
            fail_syntax("can't assign to 'const'");
    target.id = name_id(name);
    if (with_namespace && skip_operator(".")) {
        target.kind = Target::Kind::NamespaceAttribute;
        target.attribute = expect_identifier();
    }
    return target;
}

Target Parser::parse_target(bool with_namespace) {
    Target first = parse_single_target(with_namespace);
    if (!is_operator(","))
        return first;
    Target tuple;
    tuple.kind = Target::Kind::Tuple;
    tuple.parts.push_back(std::move(first));
    while (skip_operator(",")) {
        if (is_name("in") || is_operator(")") || is_operator("="))
            break;
        tuple.parts.push_back(parse_single_target(with_namespace));
    }
    return tuple;
}

} // namespace alcove::jinja
