#pragma once

#include "engine/text/jinja/ast.h"
#include "engine/text/jinja/runtime.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove::jinja {

/// Variables of one block. Looks outwards through `parent`; the outermost holds the context.
class Scope final : public Object {
public:
    explicit Scope(std::shared_ptr<Scope> parent) : parent_(std::move(parent)) {}
    std::string_view type_name() const override { return "scope"; }
    void clear() override { variables_.clear(); }

    const Value* find_here(int id) const;
    void set(int id, Value value);
    Scope* parent() const { return parent_.get(); }
    std::size_t size() const { return variables_.size(); }
    bool kept = false; ///< Runtime::keep was called for it

private:
    std::vector<std::pair<int, Value>> variables_;
    std::unordered_map<int, std::size_t> index_; // only where there are many
    std::shared_ptr<Scope> parent_;
};

/// Runs a program once.
class Interpreter final : public Runtime {
public:
    Interpreter(const Program& program, const TemplateLimits& limits,
                std::optional<std::int64_t> now)
        : Runtime(limits, now), program_(program) {}

    MarkedText run(const nlohmann::ordered_json& context);

private:
    friend class MacroObject;
    friend class LoopObject;

    enum class Flow { Normal, Break, Continue };
    class Nested;
    class InScope;

    void set_context(const nlohmann::ordered_json& context);

    // statements
    Flow run_body(const Body& body, MarkedText& out);
    Flow run_statement(const Statement& statement, MarkedText& out);
    void emit(MarkedText& out, const MarkedText& text);
    Flow run_print(const Statement& statement, MarkedText& out);
    Flow run_if(const Statement& statement, MarkedText& out);
    Flow run_for(const Statement& statement, MarkedText& out);
    Flow run_scope(const Body& body, MarkedText& out);
    Flow run_with(const Statement& statement, MarkedText& out);
    void run_set_block(const Statement& statement);
    void run_macro(const Statement& statement);
    void run_call_block(const Statement& statement, MarkedText& out);
    void run_filter_block(const Statement& statement, MarkedText& out);
    /// The body as a value of its own.
    MarkedText capture(const Body& body);
    void loop_over(const Statement& statement, const Value& iterable, int depth, MarkedText& out,
                   Flow& flow);
    void assign(const Target& target, const Value& value);
    void keep_scope();
    Value call_macro(const Macro& macro, const std::shared_ptr<Scope>& scope, Arguments& arguments);
    void bind_parameters(const Macro& macro, Arguments& arguments);

    // expressions
    Value evaluate(const Expression& expression);
    Value evaluate_chain(const Expression& expression);
    Value evaluate_name(const Expression& expression);
    Value evaluate_sequence(const Expression& expression, SequenceKind kind);
    Value evaluate_dict(const Expression& expression);
    Value evaluate_concat(const Expression& expression);
    Value evaluate_compare(const Expression& expression);
    Value evaluate_logic(const Expression& expression, bool stops_at);
    Value evaluate_conditional(const Expression& expression);
    Value evaluate_slice(const Expression& expression);
    Value evaluate_call(const Expression& expression);
    Value evaluate_filter(const Expression& expression, const Value* input);
    Value evaluate_test(const Expression& expression);
    Value call_expression(const Expression& expression, Arguments& arguments);
    Arguments evaluate_arguments(const std::vector<CallArgument>& arguments);

    const Program& program_;
    std::vector<std::optional<Value>> context_; // by name id: the context's and the globals
    std::shared_ptr<Scope> scope_;
    int depth_ = 0;
    int calls_ = 0;
    std::size_t output_bytes_ = 0;
};

} // namespace alcove::jinja
