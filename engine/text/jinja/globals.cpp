// Global functions of templates: jinja2's, and those that transformers adds.
#include "engine/text/jinja/globals.h"

#include "engine/text/jinja/filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace alcove::jinja {
namespace {

using Names = std::string_view;
constexpr Int kMaxRange = 100'000; // the reference's sandbox has the same
constexpr std::size_t kMaxNamespace = 10'000;

using Function = Value (*)(Runtime& runtime, const Arguments& arguments);

class NativeFunction final : public Object {
public:
    explicit NativeFunction(Function function) : function_(function) {}
    std::string_view type_name() const override { return "function"; }
    bool callable() const override { return true; }
    Value call(Runtime& runtime, Arguments& arguments) override {
        return function_(runtime, arguments);
    }

private:
    Function function_;
};

Value range(Runtime& runtime, const Arguments& arguments) {
    static constexpr Names kNames[] = {"start", "stop", "step"};
    const Parameters given(arguments, "range", kNames, 1);
    const Int begin = given.has(1) ? given.integer(0, 0) : Int{0};
    const Int end = given.has(1) ? given.integer(1, 0) : given.integer(0, 0);
    const Int step = given.integer(2, 1);
    constexpr Int kFar = Int{1} << 100;
    if (step == 0)
        fail_runtime("range() arg 3 must not be zero");
    if (begin > kFar || begin < -kFar || end > kFar || end < -kFar || step > kFar || step < -kFar)
        fail_runtime("range() has an argument that is too large");
    const Int distance = step > 0 ? end - begin : begin - end;
    const Int count = distance <= 0 ? Int{0} : (distance - 1) / (step > 0 ? step : -step) + 1;
    if (count > kMaxRange)
        fail_runtime(fmt::format(
            "Range too big. The sandbox blocks ranges larger than MAX_RANGE ({}).", kMaxRange));
    std::vector<Value> items;
    items.reserve(static_cast<std::size_t>(count));
    for (Int i = 0; i < count; ++i)
        items.emplace_back(begin + i * step);
    return runtime.sequence(SequenceKind::Range, std::move(items));
}

/// The entries that `dict(…)` and `namespace(…)` take: a mapping or pairs, then keywords.
Value dict(Runtime& runtime, const Arguments& arguments) {
    if (arguments.positional.size() > 1)
        fail_runtime(
            fmt::format("dict expected at most 1 argument, got {}", arguments.positional.size()));
    DictBuilder out(&runtime.budget());
    if (!arguments.positional.empty()) {
        const Value& from = arguments.positional[0];
        if (from.is(Kind::Dict)) {
            for (const auto& [key, value] : from.dict().entries)
                out.set(key, value);
        } else {
            for (const Value& entry : runtime.to_vector(from)) {
                const std::vector<Value> pair = runtime.to_vector(entry);
                if (pair.size() != 2)
                    fail_runtime(fmt::format(
                        "dictionary update sequence element has length {}; 2 is required",
                        pair.size()));
                out.set(pair[0], pair[1]);
            }
        }
    }
    for (const auto& [name, value] : arguments.keyword)
        out.set(runtime.string(name, false), value);
    return out.build();
}

Value make_namespace(Runtime& runtime, const Arguments& arguments) {
    const Value from = dict(runtime, arguments);
    auto out = std::make_shared<Namespace>();
    for (const auto& [key, value] : from.dict().entries)
        out->set(runtime, runtime.to_text(key).view(), value);
    runtime.keep(out);
    return Value(std::shared_ptr<Object>(std::move(out)));
}

Value raise_exception(Runtime& runtime, const Arguments& arguments) {
    static constexpr Names kNames[] = {"message"};
    const Parameters given(arguments, "raise_exception", kNames, 1);
    fail(TemplateErrorKind::Raised, std::string(runtime.to_text(given.at(0)).view()));
}

Value strftime_now(Runtime& runtime, const Arguments& arguments) {
    static constexpr Names kNames[] = {"format"};
    const Parameters given(arguments, "strftime_now", kNames, 1);
    std::tm time{};
    if (runtime.now()) {
        const auto fixed = static_cast<std::time_t>(*runtime.now());
        if (gmtime_r(&fixed, &time) == nullptr)
            fail_runtime("strftime_now() has no calendar date for this time");
    } else {
        const std::time_t clock =
            std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
        localtime_r(&clock, &time);
    }
    runtime.require(given.text(0)->size() * 32);
    return runtime.string(format_time(given.text(0)->view(), time), false);
}

class Cycler final : public Object {
public:
    explicit Cycler(Value items) : items_(std::move(items)) {}
    std::string_view type_name() const override { return "Cycler"; }
    int depth() const override { return depth_of(items_) + 1; }
    std::optional<Value> attribute(Runtime& runtime, std::string_view name) override;
    Value advance() {
        Value out = items_.sequence().items[at_];
        at_ = (at_ + 1) % items_.sequence().items.size();
        return out;
    }
    void reset() { at_ = 0; }

private:
    Value items_;
    std::size_t at_ = 0;
};

class CyclerMethod final : public Object {
public:
    CyclerMethod(Value cycler, bool resets) : cycler_(std::move(cycler)), resets_(resets) {}
    std::string_view type_name() const override { return "method"; }
    int depth() const override { return depth_of(cycler_) + 1; }
    bool callable() const override { return true; }
    Value call(Runtime& /*runtime*/, Arguments& arguments) override {
        Parameters(arguments, resets_ ? "reset" : "next", {}, 0);
        auto& cycler = static_cast<Cycler&>(*cycler_.object());
        if (!resets_)
            return cycler.advance();
        cycler.reset();
        return None{};
    }

private:
    Value cycler_;
    bool resets_;
};

Value cycler(Runtime& runtime, const Arguments& arguments) {
    if (arguments.positional.empty() || !arguments.keyword.empty())
        fail_runtime("cycler() wants at least one item");
    return runtime.object<Cycler>(runtime.tuple(arguments.positional));
}

class Joiner final : public Object {
public:
    explicit Joiner(Value separator) : separator_(std::move(separator)) {}
    std::string_view type_name() const override { return "Joiner"; }
    bool callable() const override { return true; }
    Value call(Runtime& runtime, Arguments& /*arguments*/) override {
        return std::exchange(used_, true) ? separator_ : runtime.string("", false);
    }

private:
    Value separator_;
    bool used_ = false;
};

Value joiner(Runtime& runtime, const Arguments& arguments) {
    static constexpr Names kNames[] = {"sep"};
    const Parameters given(arguments, "joiner", kNames, 0);
    return runtime.object<Joiner>(given.has(0) ? runtime.str(given.at(0))
                                               : runtime.string(", ", false));
}

Value lipsum(Runtime& /*runtime*/, const Arguments& /*arguments*/) {
    fail_runtime("lipsum() makes random text, which has no place in a prompt");
}

constexpr std::pair<std::string_view, Function> kGlobals[] = {
    {"cycler", cycler},
    {"dict", dict},
    {"joiner", joiner},
    {"lipsum", lipsum},
    {"namespace", make_namespace},
    {"raise_exception", raise_exception},
    {"range", range},
    {"strftime_now", strftime_now},
};

} // namespace

std::optional<Value> Namespace::attribute(Runtime& /*runtime*/, std::string_view name) {
    const auto found = std::find_if(attributes_.begin(), attributes_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == attributes_.end() ? std::nullopt : std::optional(found->second);
}

void Namespace::set(Runtime& runtime, std::string_view name, Value value) {
    if (!name.empty() && name[0] == '_')
        fail(TemplateErrorKind::Security, "underscore attribute on namespace");
    runtime.charge(1 + attributes_.size() / 8);
    const auto found = std::find_if(attributes_.begin(), attributes_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found != attributes_.end()) {
        found->second = std::move(value);
        return;
    }
    if (attributes_.size() >= kMaxNamespace)
        fail_runtime(fmt::format("a namespace has more than {} attributes", kMaxNamespace));
    attributes_.emplace_back(name, std::move(value));
}

std::optional<Value> Cycler::attribute(Runtime& runtime, std::string_view name) {
    if (name == "current")
        return items_.sequence().items[at_];
    if (name != "next" && name != "reset")
        return {};
    // A cycler is always held by a shared pointer (Runtime::object).
    return runtime.object<CyclerMethod>(Value(shared_from_this()), name == "reset");
}

Value find_global(Runtime& runtime, std::string_view name, bool& found) {
    const auto* entry = std::find_if(std::begin(kGlobals), std::end(kGlobals),
                                     [&](const auto& row) { return row.first == name; });
    found = entry != std::end(kGlobals);
    return found ? runtime.object<NativeFunction>(entry->second) : Value();
}

} // namespace alcove::jinja
