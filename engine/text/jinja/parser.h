#pragma once

#include "engine/text/jinja/ast.h"
#include "engine/text/jinja/lexer.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alcove::jinja {

/// Parses a template. Fails with Syntax (and Runtime for a `break` outside of a loop, as the
/// reference does). Expressions and statements nested deeper than `max_depth` are a Syntax error.
/// Time is linear in the source.
Program parse(std::string_view source, int max_depth);

/// Refuses filters and tests that do not exist, except inside of conditions: there they fail when
/// they are reached.
void check_known_names(const Program& program);

/// The parser's state and its grammar; split over parser.cpp (statements) and
/// parser_expression.cpp.
class Parser {
public:
    Parser(std::vector<Token> tokens, int max_depth)
        : tokens_(std::move(tokens)), max_depth_(max_depth) {}
    Program run();

private:
    /// Counts nesting while it lives.
    class Nested {
    public:
        explicit Nested(Parser& parser) : parser_(parser) {
            if (++parser_.depth_ > parser_.max_depth_)
                parser_.fail_too_deep();
        }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;
        ~Nested() { --parser_.depth_; }

    private:
        Parser& parser_;
    };
    /// What a body being parsed allows.
    struct Context {
        int loops = 0; // enclosing loops that break and continue reach
    };

    const Token& current() const { return tokens_[position_]; }
    const Token& ahead() const {
        return tokens_[position_ + 1 < tokens_.size() ? position_ + 1 : position_];
    }
    Token take();
    bool is_name(std::string_view name) const {
        return current().type == TokenType::Name && current().text == name;
    }
    bool is_operator(std::string_view op) const {
        return current().type == TokenType::Operator && current().text == op;
    }
    bool skip_name(std::string_view name);
    bool skip_operator(std::string_view op);
    void expect_name(std::string_view name);
    void expect_operator(std::string_view op);
    std::string expect_identifier();
    void expect_block_end();
    [[noreturn]] void fail_syntax(std::string message) const;
    [[noreturn]] void fail_too_deep() const;
    int name_id(const std::string& name);

    // statements
    /// Until a block whose name is in `ends`; that name is the current token afterwards.
    Body parse_body(std::vector<std::string_view> ends, std::string_view block);
    /// The same, behind the end of the opening tag and up to the end of the closing one.
    Body parse_block_body(std::string_view end, std::string_view block);
    [[noreturn]] void fail_unclosed(const std::vector<std::string_view>& ends,
                                    std::string_view block) const;
    void parse_print(Body& out);
    void parse_statement(Body& out);
    void parse_if(Statement& out);
    void parse_for(Statement& out);
    void parse_set(Statement& out);
    void parse_macro(Statement& out);
    void parse_call_block(Statement& out);
    void parse_filter_block(Statement& out);
    void parse_with(Statement& out);
    void parse_autoescape(Statement& out);
    void parse_named_block(Statement& out);
    void parse_generation(Statement& out);
    void parse_loop_control(Statement& out, Statement::Kind kind);
    void parse_no_loader(Statement& out);
    void parse_parameters(Macro& macro);
    void parse_macro_body(Macro& macro, std::string_view end, std::string_view block);
    Target parse_target(bool with_namespace);
    Target parse_single_target(bool with_namespace);

    // expressions
    ExpressionPtr node(Expression::Kind kind) const;
    ExpressionPtr finish(ExpressionPtr expression) const;
    ExpressionPtr parse_expression(bool with_conditional = true);
    ExpressionPtr parse_or();
    ExpressionPtr parse_and();
    ExpressionPtr parse_not();
    ExpressionPtr parse_compare();
    ExpressionPtr parse_sum();
    ExpressionPtr parse_concat();
    ExpressionPtr parse_product();
    ExpressionPtr parse_power();
    ExpressionPtr parse_unary(bool with_filter = true);
    ExpressionPtr parse_primary();
    ExpressionPtr parse_literal();
    ExpressionPtr parse_list();
    ExpressionPtr parse_dict();
    ExpressionPtr parse_postfix(ExpressionPtr value);
    ExpressionPtr parse_filters(ExpressionPtr value);
    ExpressionPtr parse_one_filter(ExpressionPtr value);
    ExpressionPtr parse_test(ExpressionPtr value);
    ExpressionPtr parse_attribute(ExpressionPtr value);
    ExpressionPtr parse_subscript(ExpressionPtr value);
    ExpressionPtr parse_call(ExpressionPtr callee);
    std::vector<CallArgument> parse_arguments();
    /// A single expression, or a tuple where commas follow. `end`: a name that ends it
    /// ("recursive").
    ExpressionPtr parse_tuple(bool with_conditional, bool parenthesised, std::string_view end = {});
    bool at_tuple_end(std::string_view end) const;
    template <typename Next>
    ExpressionPtr parse_chain(Expression::Kind kind, Next next,
                              std::vector<std::pair<std::string_view, Operator>> ops);

    std::vector<Token> tokens_;
    std::size_t position_ = 0;
    int max_depth_;
    int depth_ = 0;
    std::vector<std::string> names_;
    std::unordered_map<std::string, int> ids_;
    std::vector<Macro*> macros_; // being parsed, outermost first
    Context context_;
};

/// How error messages name a token.
std::string describe(const Token& token);

} // namespace alcove::jinja
