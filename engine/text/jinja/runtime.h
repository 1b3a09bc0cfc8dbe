#pragma once

#include "engine/text/jinja/error.h"
#include "engine/text/jinja/value.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove::jinja {

/// Arguments of a call as evaluated.
struct Arguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> keyword;
};

/// What a rendering may still use, and the way to make values in it. Everything that computes gets
/// it.
class Runtime {
public:
    Runtime(const TemplateLimits& limits, std::optional<std::int64_t> now)
        : limits_(limits), now_(now) {
        budget_.limit = limits.max_value_bytes;
    }
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    virtual ~Runtime();

    /// Keeps an object that can change until the end, when it is cleared: rings of references are
    /// freed that way.
    void keep(std::shared_ptr<Object> object) {
        require(kept_.capacity() * 64);
        kept_.push_back(std::move(object));
    }

    /// Counts `steps` of work; fails when there are too many.
    void charge(std::uint64_t steps) {
        steps_ += steps;
        if (steps_ > limits_.max_steps)
            fail_steps();
    }
    /// Before walking or comparing whole values.
    void charge(const Value& value) { charge(weight_of(value)); }
    /// Before work linear in `bytes` of text.
    void charge_bytes(std::size_t bytes) { charge(1 + bytes / 64); }
    /// Before building a text of `bytes`.
    void require(std::size_t bytes) const { budget_.require(bytes); }

    Budget& budget() { return budget_; }
    const TemplateLimits& limits() const { return limits_; }
    std::optional<std::int64_t> now() const { return now_; }

    Value string(MarkedText text) {
        charge_bytes(text.size());
        return make_string(std::move(text), &budget_);
    }
    Value string(std::string_view text, bool from_data) {
        return string(MarkedText(std::string(text), from_data));
    }
    Value list(std::vector<Value> items) { return sequence(SequenceKind::List, std::move(items)); }
    Value tuple(std::vector<Value> items) {
        return sequence(SequenceKind::Tuple, std::move(items));
    }
    Value sequence(SequenceKind kind, std::vector<Value> items) {
        charge(1 + items.size() / 4);
        return make_sequence(kind, std::move(items), &budget_);
    }
    template <typename T, typename... A> Value object(A&&... args) {
        return Value(std::shared_ptr<Object>(std::make_shared<T>(std::forward<A>(args)...)));
    }
    /// Undefined because `owner` has no attribute, key or element `name`.
    Value undefined(const Value& owner, const Value& name);
    Value undefined(std::string message, bool unsafe = false) {
        return Value(
            std::make_shared<const UndefinedInfo>(UndefinedInfo{std::move(message), unsafe}));
    }

    /// `str(value)`, also as MarkedText.
    Value str(const Value& value);
    MarkedText to_text(const Value& value);
    /// `owner.name`: attribute or method first, then key.
    Value attribute(const Value& owner, std::string_view name);
    /// `owner[key]`: element or key first, then attribute.
    Value item(const Value& owner, const Value& key);
    Value slice(const Value& owner, const Value& begin, const Value& end, const Value& step);
    Value call(const Value& callee, Arguments& arguments);
    /// `element in container`.
    bool contains(const Value& container, const Value& element);
    bool equals(const Value& a, const Value& b);
    bool less_than(const Value& a, const Value& b);
    Value add(const Value& a, const Value& b);
    /// Everything that iterating over `value` gives. Fails for what is not iterable.
    std::vector<Value> to_vector(const Value& value);
    MarkedText json(const Value& value, const JsonStyle& style);

private:
    [[noreturn]] void fail_steps() const;

    TemplateLimits limits_;
    std::optional<std::int64_t> now_;
    std::uint64_t steps_ = 0;
    Budget budget_; // before everything that holds values
    std::vector<std::shared_ptr<Object>> kept_;
};

/// Walks any iterable value, element by element.
class Iteration {
public:
    Iteration(Runtime& runtime, Value value);
    std::optional<Value> next();

private:
    Runtime& runtime_;
    Value value_;
    std::size_t position_ = 0; // item, entry or byte
};

/// Assigns the arguments of a call to named parameters.
class Parameters {
public:
    /// `names`: of the parameters; the first `required` must be given. `function` names the callee
    /// in errors.
    Parameters(const Arguments& arguments, std::string_view function,
               std::span<const std::string_view> names, std::size_t required);

    bool has(std::size_t i) const { return values_[i] != nullptr; }
    const Value& at(std::size_t i) const { return *values_[i]; }
    /// Null if it was not given or is None.
    const Value* optional(std::size_t i) const {
        return values_[i] == nullptr || values_[i]->is_none() ? nullptr : values_[i];
    }
    Int integer(std::size_t i, Int fallback) const;
    bool boolean(std::size_t i, bool fallback) const { return has(i) ? truthy(at(i)) : fallback; }
    /// Fails if the argument is there and not a string.
    const MarkedText* text(std::size_t i) const;

private:
    std::string_view function_;
    std::vector<const Value*> values_;
};

/// Makes a count from any Int: negative is 0, too large is the largest std::size_t.
std::size_t to_count(Int value);

} // namespace alcove::jinja
