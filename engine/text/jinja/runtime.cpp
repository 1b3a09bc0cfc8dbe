#include "engine/text/jinja/runtime.h"

#include "engine/text/jinja/methods.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace alcove::jinja {
namespace {

std::string quoted(const Value& name) {
    MarkedText out;
    append_repr(out, name);
    return std::string(out.view());
}

/// Start, step and count of `sequence[begin:end:step]` over `size` elements, as Python clips them.
struct Slice {
    Int begin = 0, step = 1;
    std::size_t count = 0;
};

Int slice_index(const Value& value) {
    if (!value.is_integer())
        fail_runtime("slice indices must be integers or None or have an __index__ method");
    return value.integer();
}

Slice clip_slice(std::size_t size, const Value& begin, const Value& end, const Value& step) {
    Slice out;
    const Int n = static_cast<Int>(size);
    if (!step.is_none())
        out.step = slice_index(step);
    if (out.step == 0)
        fail_runtime("slice step cannot be zero");
    const bool forward = out.step > 0;
    const auto clip = [&](const Value& value, Int missing) {
        if (value.is_none())
            return missing;
        Int i = slice_index(value);
        if (i < 0)
            i = std::max<Int>(i < -n ? -1 : i + n, forward ? 0 : -1);
        return std::min<Int>(i, forward ? n : n - 1);
    };
    out.begin = clip(begin, forward ? 0 : n - 1);
    const Int stop = clip(end, forward ? n : -1);
    const Int distance = forward ? stop - out.begin : out.begin - stop;
    const Int stride = forward ? out.step : (out.step < -n - 1 ? n + 1 : -out.step);
    if (distance > 0)
        out.count = static_cast<std::size_t>((distance - 1) / stride + 1);
    return out;
}

MarkedText slice_text(const String& string, const Slice& slice) {
    const std::string_view text = string.text.view();
    if (slice.count == 0)
        return {};
    const auto offset = [&](Int index) {
        const auto i = static_cast<std::size_t>(index);
        return string.ascii() ? i : char_offset(text, i);
    };
    if (slice.step == 1) {
        const std::size_t begin = offset(slice.begin);
        const std::size_t size =
            string.ascii() ? slice.count : char_offset(text.substr(begin), slice.count);
        return string.text.slice(begin, size);
    }
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U)
            offsets.push_back(i);
    offsets.push_back(text.size());
    MarkedText out;
    for (std::size_t i = 0; i < slice.count; ++i) {
        const auto at = static_cast<std::size_t>(slice.begin + static_cast<Int>(i) * slice.step);
        out.append_range(string.text, offsets[at], offsets[at + 1] - offsets[at]);
    }
    return out;
}

/// The element of a string or sequence at Python index `key`, or nullopt when it is out of range.
std::optional<std::size_t> element_index(const Value& key, std::size_t size) {
    Int i = key.integer();
    const Int n = static_cast<Int>(size);
    if (i < 0 && i >= -n)
        i += n;
    if (i < 0 || i >= n)
        return {};
    return static_cast<std::size_t>(i);
}

} // namespace

Runtime::~Runtime() {
    for (const auto& object : kept_)
        object->clear();
}

void Runtime::fail_steps() const {
    fail_runtime(fmt::format("the template takes more than the limit of {} steps (max_steps)",
                             limits_.max_steps));
}

Value Runtime::undefined(const Value& owner, const Value& name) {
    const std::string owner_type = object_type(owner);
    if (!name.is_string())
        return undefined(fmt::format("{} has no element {}", owner_type, quoted(name)));
    return undefined(fmt::format("'{}' has no attribute {}", owner_type, quoted(name)));
}

Value Runtime::str(const Value& value) {
    if (value.is_string())
        return value;
    return string(to_text(value));
}

MarkedText Runtime::to_text(const Value& value) {
    charge(value);
    require(weight_of(value) * 64);
    MarkedText out;
    append_str(out, value);
    return out;
}

MarkedText Runtime::json(const Value& value, const JsonStyle& style) {
    charge(value);
    MarkedText out;
    append_json(out, value, style, budget_);
    return out;
}

Value Runtime::attribute(const Value& owner, std::string_view name) {
    require_defined(owner);
    if (is_unsafe_attribute(owner, name)) {
        return undefined(fmt::format("access to attribute '{}' of '{}' object is unsafe.", name,
                                     type_name(owner)),
                         true);
    }
    if (owner.is(Kind::Object)) {
        if (auto found = owner.object()->attribute(*this, name))
            return *std::move(found);
    } else if (const Method* method = find_method(owner, name)) {
        return object<BoundMethod>(owner, *method);
    }
    if (owner.is(Kind::Dict))
        if (const Value* found = owner.dict().find(name))
            return *found;
    return undefined(owner, string(name, false));
}

Value Runtime::item(const Value& owner, const Value& key) {
    require_defined(owner);
    if (owner.is(Kind::Sequence) && key.is_integer()) {
        if (owner.sequence().kind <= SequenceKind::Range) {
            const auto& items = owner.sequence().items;
            if (const auto i = element_index(key, items.size()))
                return items[*i];
        }
    } else if (owner.is_string() && key.is_integer()) {
        const String& text = owner.string();
        if (!text.ascii())
            charge_bytes(text.text.size());
        if (const auto i = element_index(key, text.n_chars))
            return string(slice_text(text, {static_cast<Int>(*i), 1, 1}));
    } else if (owner.is(Kind::Dict)) {
        const bool hashable = !key.is(Kind::Dict) && !key.is_sequence(SequenceKind::List);
        if (hashable) {
            charge(key);
            if (const Value* found =
                    key.is_string() ? owner.dict().find(key.view()) : owner.dict().find(key))
                return *found;
        }
    }
    if (key.is_string())
        return attribute(owner, key.view());
    return undefined(owner, key);
}

Value Runtime::slice(const Value& owner, const Value& begin, const Value& end, const Value& step) {
    require_defined(owner);
    if (owner.is_string()) {
        charge_bytes(owner.text().size());
        return string(
            slice_text(owner.string(), clip_slice(owner.string().n_chars, begin, end, step)));
    }
    if (owner.is(Kind::Sequence) && owner.sequence().kind <= SequenceKind::Range) {
        const auto& items = owner.sequence().items;
        const Slice cut = clip_slice(items.size(), begin, end, step);
        std::vector<Value> out;
        out.reserve(cut.count);
        for (std::size_t i = 0; i < cut.count; ++i)
            out.push_back(
                items[static_cast<std::size_t>(cut.begin + static_cast<Int>(i) * cut.step)]);
        return sequence(owner.sequence().kind, std::move(out));
    }
    return undefined(fmt::format("{} has no element slice", object_type(owner)));
}

Value Runtime::call(const Value& callee, Arguments& arguments) {
    require_defined(callee);
    if (!callee.is(Kind::Object))
        fail_runtime(fmt::format("'{}' object is not callable", type_name(callee)));
    const std::shared_ptr<Object> object = callee.object(); // stays alive while it runs
    return object->call(*this, arguments);
}

bool Runtime::contains(const Value& container, const Value& element) {
    if (container.is_string()) {
        if (!element.is_string()) {
            require_defined(element);
            fail_runtime(fmt::format("'in <string>' requires string as left operand, not {}",
                                     type_name(element)));
        }
        charge_bytes(container.text().size());
        return find_text(container.view(), element.view()) != std::string_view::npos;
    }
    if (container.is(Kind::Dict)) {
        charge(element);
        return container.dict().find(element) != nullptr;
    }
    if (container.is(Kind::Sequence)) {
        const auto& items = container.sequence().items;
        return std::any_of(items.begin(), items.end(),
                           [&](const Value& item) { return equals(item, element); });
    }
    if (!container.is_undefined() &&
        !(container.is(Kind::Object) && container.object()->iterable()))
        fail_runtime(fmt::format("argument of type '{}' is not iterable", type_name(container)));
    Iteration walk(*this, container);
    while (const auto item = walk.next())
        if (equals(*item, element))
            return true;
    return false;
}

bool Runtime::equals(const Value& a, const Value& b) {
    charge(std::min(weight_of(a), weight_of(b)));
    return equal(a, b);
}

bool Runtime::less_than(const Value& a, const Value& b) {
    charge(std::min(weight_of(a), weight_of(b)));
    return less(a, b);
}

std::vector<Value> Runtime::to_vector(const Value& value) {
    if (value.is(Kind::Sequence)) {
        charge(1 + value.sequence().items.size() / 4);
        require(value.sequence().items.size() * sizeof(Value));
        return value.sequence().items;
    }
    std::vector<Value> out;
    Iteration walk(*this, value);
    while (auto item = walk.next()) {
        if (out.size() % 1024 == 0)
            require(out.size() * sizeof(Value));
        out.push_back(*std::move(item));
    }
    return out;
}

Iteration::Iteration(Runtime& runtime, Value value) : runtime_(runtime), value_(std::move(value)) {
    const Kind kind = value_.kind();
    const bool walkable = kind == Kind::Undefined || kind == Kind::String ||
                          kind == Kind::Sequence || kind == Kind::Dict ||
                          (kind == Kind::Object && value_.object()->iterable());
    if (!walkable)
        fail_runtime(fmt::format("'{}' object is not iterable", type_name(value_)));
}

std::optional<Value> Iteration::next() {
    runtime_.charge(1);
    switch (value_.kind()) {
    case Kind::String: {
        const std::size_t begin = position_;
        if (begin >= value_.text().size())
            return {};
        next_char(value_.view(), position_);
        return runtime_.string(value_.text().slice(begin, position_ - begin));
    }
    case Kind::Sequence:
        if (position_ >= value_.sequence().items.size())
            return {};
        return value_.sequence().items[position_++];
    case Kind::Dict:
        if (position_ >= value_.dict().entries.size())
            return {};
        return value_.dict().entries[position_++].first;
    case Kind::Object:
        return value_.object()->next(runtime_);
    default:
        return {};
    }
}

Parameters::Parameters(const Arguments& arguments, std::string_view function,
                       std::span<const std::string_view> names, std::size_t required)
    : function_(function), values_(names.size(), nullptr) {
    if (arguments.positional.size() > names.size())
        fail_runtime(fmt::format("{}() takes at most {} arguments ({} given)", function,
                                 names.size(), arguments.positional.size()));
    for (std::size_t i = 0; i < arguments.positional.size(); ++i)
        values_[i] = &arguments.positional[i];
    for (const auto& [name, value] : arguments.keyword) {
        const auto i =
            static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        if (i == names.size())
            fail_runtime(
                fmt::format("{}() got an unexpected keyword argument '{}'", function, name));
        if (values_[i] != nullptr)
            fail_runtime(fmt::format("{}() got multiple values for argument '{}'", function, name));
        values_[i] = &value;
    }
    for (std::size_t i = 0; i < required; ++i)
        if (values_[i] == nullptr)
            fail_runtime(fmt::format("{}() missing required argument '{}'", function, names[i]));
}

Int Parameters::integer(std::size_t i, Int fallback) const {
    if (!has(i))
        return fallback;
    require_defined(at(i));
    if (!at(i).is_integer())
        fail_runtime(fmt::format("{}(): '{}' object cannot be interpreted as an integer", function_,
                                 type_name(at(i))));
    return at(i).integer();
}

const MarkedText* Parameters::text(std::size_t i) const {
    if (!has(i))
        return nullptr;
    require_defined(at(i));
    if (!at(i).is_string())
        fail_runtime(fmt::format("{}() argument must be str, not {}", function_, type_name(at(i))));
    return &at(i).text();
}

std::size_t to_count(Int value) {
    if (value <= 0)
        return 0;
    constexpr Int most = std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(std::min(value, most));
}

} // namespace alcove::jinja
