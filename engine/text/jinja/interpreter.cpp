#include "engine/text/jinja/interpreter.h"

#include "engine/text/jinja/context.h"
#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/globals.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace alcove::jinja {
namespace {

constexpr std::size_t kIndexFrom = 16; // a linear search is quicker below

/// Makes a sequence of anything iterable, so that a loop knows its length and neighbours.
Value as_sequence(Runtime& runtime, const Value& iterable) {
    return iterable.is(Kind::Sequence) ? iterable : runtime.list(runtime.to_vector(iterable));
}

} // namespace

const Value* Scope::find_here(int id) const {
    if (index_.empty()) {
        const auto found = std::find_if(variables_.begin(), variables_.end(),
                                        [&](const auto& entry) { return entry.first == id; });
        return found == variables_.end() ? nullptr : &found->second;
    }
    const auto found = index_.find(id);
    return found == index_.end() || found->second >= variables_.size()
               ? nullptr
               : &variables_[found->second].second;
}

void Scope::set(int id, Value value) {
    if (const Value* present = find_here(id)) {
        *const_cast<Value*>(present) = std::move(value);
        return;
    }
    variables_.emplace_back(id, std::move(value));
    if (!index_.empty()) {
        index_.emplace(id, variables_.size() - 1);
    } else if (variables_.size() >= kIndexFrom) {
        for (std::size_t i = 0; i < variables_.size(); ++i)
            index_.emplace(variables_[i].first, i);
    }
}

/// A macro with the scope it was defined in.
class MacroObject final : public Object {
public:
    MacroObject(Interpreter& interpreter, const Macro& macro, std::shared_ptr<Scope> scope)
        : interpreter_(interpreter), macro_(macro), scope_(std::move(scope)) {}
    std::string_view type_name() const override { return "Macro"; }
    bool callable() const override { return true; }
    Value call(Runtime& /*runtime*/, Arguments& arguments) override {
        return interpreter_.call_macro(macro_, scope_, arguments);
    }
    std::optional<Value> attribute(Runtime& runtime, std::string_view name) override {
        return name == "name" ? std::optional(runtime.string(macro_.name, false)) : std::nullopt;
    }

private:
    Interpreter& interpreter_;
    const Macro& macro_;
    std::shared_ptr<Scope> scope_;
};

/// The variable `loop`.
class LoopObject final : public Object {
public:
    LoopObject(Interpreter& interpreter, const Statement& statement, Value items, int depth,
               std::shared_ptr<Scope> scope)
        : interpreter_(interpreter), statement_(statement), items_(std::move(items)), depth_(depth),
          scope_(std::move(scope)) {}
    std::string_view type_name() const override { return "LoopContext"; }
    int depth() const override { return depth_of(items_) + 1; }
    bool callable() const override { return true; }
    std::optional<Value> attribute(Runtime& runtime, std::string_view name) override;
    /// `loop(items)` in a recursive loop: the loop's text over those.
    Value call(Runtime& runtime, Arguments& arguments) override;

    Value cycle(const Arguments& arguments) const {
        if (arguments.positional.empty())
            fail_runtime("no items for cycling given");
        return arguments.positional[index_ % arguments.positional.size()];
    }
    bool changed(Runtime& runtime, const Arguments& arguments) {
        Value now = runtime.tuple(arguments.positional);
        const bool differs = !last_changed_ || !runtime.equals(*last_changed_, now);
        last_changed_ = std::move(now);
        return differs;
    }
    void advance() { ++index_; }

private:
    Interpreter& interpreter_;
    const Statement& statement_;
    Value items_;
    int depth_;
    std::shared_ptr<Scope> scope_; // only of a recursive loop
    std::size_t index_ = 0;
    std::optional<Value> last_changed_;
};

/// `loop.cycle` and `loop.changed`.
class LoopMethod final : public Object {
public:
    LoopMethod(std::shared_ptr<Object> loop, bool cycles)
        : loop_(std::move(loop)), cycles_(cycles) {}
    std::string_view type_name() const override { return "method"; }
    int depth() const override { return loop_->depth() + 1; }
    bool callable() const override { return true; }
    Value call(Runtime& runtime, Arguments& arguments) override {
        auto& loop = static_cast<LoopObject&>(*loop_);
        return cycles_ ? loop.cycle(arguments) : Value(loop.changed(runtime, arguments));
    }

private:
    std::shared_ptr<Object> loop_;
    bool cycles_;
};

std::optional<Value> LoopObject::attribute(Runtime& runtime, std::string_view name) {
    const auto& items = items_.sequence().items;
    const auto n = static_cast<Int>(items.size());
    const auto i = static_cast<Int>(index_);
    if (name == "index0")
        return Value(i);
    if (name == "index")
        return Value(i + 1);
    if (name == "first")
        return Value(i == 0);
    if (name == "last")
        return Value(i + 1 >= n);
    if (name == "length")
        return Value(n);
    if (name == "revindex")
        return Value(n - i);
    if (name == "revindex0")
        return Value(n - i - 1);
    if (name == "depth")
        return Value(Int{depth_ + 1});
    if (name == "depth0")
        return Value(Int{depth_});
    if (name == "previtem")
        return i == 0 ? runtime.undefined("there is no previous item") : items[index_ - 1];
    if (name == "nextitem")
        return i + 1 >= n ? runtime.undefined("there is no next item") : items[index_ + 1];
    if (name == "cycle" || name == "changed")
        return runtime.object<LoopMethod>(shared_from_this(), name == "cycle");
    return {};
}

Value LoopObject::call(Runtime& runtime, Arguments& arguments) {
    if (!statement_.recursive)
        fail_runtime("The loop must have the 'recursive' marker to be called recursively.");
    if (arguments.positional.size() != 1)
        fail_runtime("loop() takes the items of the inner loop");
    MarkedText out;
    const std::shared_ptr<Scope> outer = std::exchange(interpreter_.scope_, scope_);
    struct Restore {
        std::shared_ptr<Scope>& target;
        const std::shared_ptr<Scope>& value;
        ~Restore() { target = value; }
    } const restore{interpreter_.scope_, outer};
    Interpreter::Flow flow = Interpreter::Flow::Normal;
    interpreter_.loop_over(statement_, arguments.positional[0], depth_ + 1, out, flow);
    return runtime.string(std::move(out));
}

/// Counts the depth of statements, expressions and calls while it lives.
class Interpreter::Nested {
public:
    explicit Nested(Interpreter& interpreter) : interpreter_(interpreter) {
        // A nest of calls is much deeper counted in nodes; this bound keeps the native stack below
        // some megabytes.
        if (++interpreter_.depth_ > interpreter_.limits().max_depth * 6) {
            --interpreter_.depth_;
            fail_runtime(
                fmt::format("calls and blocks nest deeper than the limit allows (max_depth {})",
                            interpreter_.limits().max_depth));
        }
    }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { --interpreter_.depth_; }

private:
    Interpreter& interpreter_;
};

/// A new scope inside `parent` (the current one if not given), left at its end.
class Interpreter::InScope {
public:
    explicit InScope(Interpreter& interpreter) : InScope(interpreter, interpreter.scope_) {}
    InScope(Interpreter& interpreter, const std::shared_ptr<Scope>& parent)
        : interpreter_(interpreter), outer_(interpreter.scope_) {
        interpreter_.scope_ = std::make_shared<Scope>(parent);
    }
    InScope(const InScope&) = delete;
    InScope& operator=(const InScope&) = delete;
    ~InScope() { interpreter_.scope_ = std::move(outer_); }

private:
    Interpreter& interpreter_;
    std::shared_ptr<Scope> outer_;
};

MarkedText Interpreter::run(const nlohmann::ordered_json& context) {
    set_context(context);
    scope_ = std::make_shared<Scope>(nullptr);
    MarkedText out;
    run_body(program_.body, out);
    return out;
}

void Interpreter::set_context(const nlohmann::ordered_json& context) {
    context_.resize(program_.names.size());
    std::unordered_map<std::string_view, std::size_t> ids;
    for (std::size_t i = 0; i < program_.names.size(); ++i) {
        ids.emplace(program_.names[i], i);
        bool found = false;
        Value global = find_global(*this, program_.names[i], found);
        if (found)
            context_[i] = std::move(global);
    }
    for (const auto& [key, value] : context.items())
        if (const auto id = ids.find(key); id != ids.end())
            context_[id->second] = context_value(*this, key, value);
}

Interpreter::Flow Interpreter::run_body(const Body& body, MarkedText& out) {
    const Nested nested(*this);
    for (const Statement& statement : body) {
        const Flow flow = run_statement(statement, out);
        if (flow != Flow::Normal)
            return flow;
    }
    return Flow::Normal;
}

Interpreter::Flow Interpreter::run_statement(const Statement& statement, MarkedText& out) {
    using Of = Statement::Kind;
    try {
        charge(1);
        switch (statement.kind) {
        case Of::Text:
            emit(out, statement.text);
            return Flow::Normal;
        case Of::Print:
            return run_print(statement, out);
        case Of::If:
            return run_if(statement, out);
        case Of::For:
            return run_for(statement, out);
        case Of::Set:
            assign(statement.target, evaluate(*statement.expression));
            return Flow::Normal;
        case Of::SetBlock:
            run_set_block(statement);
            return Flow::Normal;
        case Of::Macro:
            run_macro(statement);
            return Flow::Normal;
        case Of::CallBlock:
            run_call_block(statement, out);
            return Flow::Normal;
        case Of::Filter:
            run_filter_block(statement, out);
            return Flow::Normal;
        case Of::With:
            return run_with(statement, out);
        case Of::Scope:
            return run_scope(statement.body, out);
        case Of::Break:
            return Flow::Break;
        case Of::Continue:
            return Flow::Continue;
        case Of::NoLoader:
            fail_runtime("no loader for this environment specified");
        }
    } catch (JinjaError& error) {
        if (error.line == 0)
            error.line = statement.line;
        throw;
    }
    return Flow::Normal;
}

void Interpreter::emit(MarkedText& out, const MarkedText& text) {
    output_bytes_ += text.size();
    if (output_bytes_ > limits().max_output_bytes)
        fail_runtime(fmt::format("the output exceeds the limit of {} bytes (max_output_bytes)",
                                 limits().max_output_bytes));
    charge_bytes(text.size());
    out.append(text);
}

Interpreter::Flow Interpreter::run_print(const Statement& statement, MarkedText& out) {
    const Value value = evaluate(*statement.expression);
    if (value.is_string())
        emit(out, value.text());
    else
        emit(out, to_text(value));
    return Flow::Normal;
}

Interpreter::Flow Interpreter::run_if(const Statement& statement, MarkedText& out) {
    for (const Branch& branch : statement.branches)
        if (branch.condition == nullptr || truthy(evaluate(*branch.condition)))
            return run_body(branch.body, out);
    return Flow::Normal;
}

Interpreter::Flow Interpreter::run_for(const Statement& statement, MarkedText& out) {
    Flow flow = Flow::Normal;
    loop_over(statement, evaluate(*statement.expression), 0, out, flow);
    return flow;
}

void Interpreter::loop_over(const Statement& statement, const Value& iterable, int depth,
                            MarkedText& out, Flow& flow) {
    const Nested nested(*this);
    Value items = as_sequence(*this, iterable);
    if (statement.condition != nullptr) {
        std::vector<Value> kept;
        for (const Value& item : items.sequence().items) {
            const InScope scope(*this);
            assign(statement.target, item);
            if (truthy(evaluate(*statement.condition)))
                kept.push_back(item);
        }
        items = list(std::move(kept));
    }
    std::shared_ptr<LoopObject> loop;
    if (program_.loop_id >= 0)
        loop = std::make_shared<LoopObject>(*this, statement, items, depth,
                                            statement.recursive ? scope_ : nullptr);
    for (const Value& item : items.sequence().items) {
        charge(1);
        const InScope scope(*this);
        if (loop != nullptr)
            scope_->set(program_.loop_id, Value(std::shared_ptr<Object>(loop)));
        assign(statement.target, item);
        if (run_body(statement.body, out) == Flow::Break)
            break;
        if (loop != nullptr)
            loop->advance();
    }
    if (items.sequence().items.empty())
        flow = run_scope(statement.otherwise, out);
}

Interpreter::Flow Interpreter::run_scope(const Body& body, MarkedText& out) {
    const InScope scope(*this);
    return run_body(body, out);
}

Interpreter::Flow Interpreter::run_with(const Statement& statement, MarkedText& out) {
    std::vector<Value> values;
    for (const ExpressionPtr& value : statement.values)
        values.push_back(evaluate(*value));
    const InScope scope(*this);
    for (std::size_t i = 0; i < values.size(); ++i)
        assign(statement.targets[i], values[i]);
    return run_body(statement.body, out);
}

MarkedText Interpreter::capture(const Body& body) {
    MarkedText out;
    const std::size_t before = output_bytes_;
    run_scope(body, out);
    output_bytes_ = before;
    return out;
}

void Interpreter::run_set_block(const Statement& statement) {
    Value value = string(capture(statement.body));
    if (statement.expression != nullptr)
        value = evaluate_filter(*statement.expression, &value);
    assign(statement.target, value);
}

void Interpreter::run_filter_block(const Statement& statement, MarkedText& out) {
    const Value input = string(capture(statement.body));
    emit(out, to_text(evaluate_filter(*statement.expression, &input)));
}

void Interpreter::keep_scope() {
    for (std::shared_ptr<Scope> scope = scope_; scope != nullptr && !scope->kept;) {
        scope->kept = true;
        keep(scope);
        scope = scope->parent() == nullptr
                    ? nullptr
                    : std::static_pointer_cast<Scope>(scope->parent()->shared_from_this());
    }
}

void Interpreter::run_macro(const Statement& statement) {
    keep_scope();
    scope_->set(statement.target.id, object<MacroObject>(*this, *statement.macro, scope_));
}

void Interpreter::run_call_block(const Statement& statement, MarkedText& out) {
    keep_scope();
    Arguments arguments = evaluate_arguments(statement.expression->arguments);
    arguments.keyword.emplace_back("caller", object<MacroObject>(*this, *statement.macro, scope_));
    emit(out, to_text(call_expression(*statement.expression, arguments)));
}

void Interpreter::assign(const Target& target, const Value& value) {
    switch (target.kind) {
    case Target::Kind::Name:
        scope_->set(target.id, value);
        return;
    case Target::Kind::NamespaceAttribute: {
        Expression name; // evaluates like the name it is
        name.kind = Expression::Kind::Name;
        name.id = target.id;
        const Value owner = evaluate_name(name);
        auto* space =
            owner.is(Kind::Object) ? dynamic_cast<Namespace*>(owner.object().get()) : nullptr;
        if (space == nullptr) {
            require_defined(owner);
            fail_runtime("cannot assign attribute on non-namespace object");
        }
        space->set(*this, target.attribute, value);
        return;
    }
    case Target::Kind::Tuple:
        break;
    }
    const std::vector<Value> values = to_vector(value);
    if (values.size() != target.parts.size())
        fail_runtime(
            values.size() < target.parts.size()
                ? fmt::format("not enough values to unpack (expected {}, got {})",
                              target.parts.size(), values.size())
                : fmt::format("too many values to unpack (expected {})", target.parts.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        assign(target.parts[i], values[i]);
}

Value Interpreter::call_macro(const Macro& macro, const std::shared_ptr<Scope>& scope,
                              Arguments& arguments) {
    const Nested nested(*this);
    struct Count {
        int& value;
        ~Count() { --value; }
    } const count{++calls_};
    if (calls_ > limits().max_depth)
        fail_runtime(
            fmt::format("macros call each other deeper than {} (max_depth)", limits().max_depth));
    const InScope inside(*this, scope);
    bind_parameters(macro, arguments);
    MarkedText out;
    const std::size_t before = output_bytes_;
    run_body(macro.body, out);
    output_bytes_ = before;
    return string(std::move(out));
}

void Interpreter::bind_parameters(const Macro& macro, Arguments& arguments) {
    const auto take_keyword = [&](std::string_view name) -> std::optional<Value> {
        const auto found = std::find_if(arguments.keyword.begin(), arguments.keyword.end(),
                                        [&](const auto& entry) { return entry.first == name; });
        if (found == arguments.keyword.end())
            return {};
        Value value = std::move(found->second);
        arguments.keyword.erase(found);
        return value;
    };
    const std::size_t n_given = arguments.positional.size();
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
        const Parameter& parameter = macro.parameters[i];
        std::optional<Value> value = take_keyword(parameter.name);
        if (i < n_given) {
            if (value)
                fail_runtime(fmt::format("macro '{}' got multiple values for argument '{}'",
                                         macro.name, parameter.name));
            value = arguments.positional[i];
        }
        if (!value)
            value = parameter.fallback != nullptr
                        ? evaluate(*parameter.fallback)
                        : undefined(fmt::format("parameter '{}' was not provided", parameter.name));
        scope_->set(parameter.id, *std::move(value));
    }
    std::optional<Value> caller = take_keyword("caller");
    if (macro.caller_id >= 0 && (caller || macro.name != "caller"))
        scope_->set(macro.caller_id, caller ? *caller : undefined("No caller defined"));
    else if (caller)
        arguments.keyword.emplace_back("caller", *caller);
    if (macro.kwargs_id >= 0) {
        DictBuilder rest(&budget());
        for (const auto& [name, value] : arguments.keyword)
            rest.set(string(name, false), value);
        scope_->set(macro.kwargs_id, rest.build());
    } else if (!arguments.keyword.empty()) {
        fail_runtime(fmt::format("macro '{}' takes no keyword argument '{}'", macro.name,
                                 arguments.keyword.front().first));
    }
    if (macro.varargs_id >= 0) {
        const auto begin = arguments.positional.begin() +
                           static_cast<std::ptrdiff_t>(std::min(n_given, macro.parameters.size()));
        scope_->set(macro.varargs_id, tuple(std::vector<Value>(begin, arguments.positional.end())));
    } else if (n_given > macro.parameters.size()) {
        fail_runtime(fmt::format("macro '{}' takes not more than {} argument(s)", macro.name,
                                 macro.parameters.size()));
    }
}

} // namespace alcove::jinja
