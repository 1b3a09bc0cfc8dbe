#include "engine/text/jinja/value.h"

#include "engine/text/jinja/error.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace alcove::jinja {
namespace {

constexpr std::size_t kIndexFrom = 12; // a linear search is quicker below

void require_bounded(int depth, std::uint64_t weight) {
    if (depth > kMaxValueDepth)
        fail_runtime(fmt::format("values nest deeper than {}", kMaxValueDepth));
    if (weight > kMaxValueWeight)
        fail_runtime(fmt::format("a value holds more than {} values", kMaxValueWeight));
}

std::size_t hash_text(std::string_view text) {
    return std::hash<std::string_view>{}(text);
}

bool equal_items(const std::vector<Value>& a, const std::vector<Value>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), equal);
}

bool equal_dicts(const Dict& a, const Dict& b) {
    if (a.entries.size() != b.entries.size())
        return false;
    return std::all_of(a.entries.begin(), a.entries.end(), [&](const auto& entry) {
        const Value* other = b.find(entry.first);
        return other != nullptr && equal(entry.second, *other);
    });
}

bool compares_as_list(SequenceKind kind) {
    return kind == SequenceKind::List || kind == SequenceKind::Tuple;
}

} // namespace

void Budget::require(std::size_t bytes) const {
    if (bytes > limit || live > limit - bytes)
        fail_runtime(fmt::format(
            "the template's values need more than the limit of {} bytes (max_value_bytes)", limit));
}

String::String(MarkedText marked, Budget* budget)
    : text(std::move(marked)), n_chars(count_chars(text.view())),
      accounted(budget, text.memory() + sizeof(String)) {}

Sequence::Sequence(SequenceKind sequence_kind, std::vector<Value> values, Budget* budget)
    : kind(sequence_kind), items(std::move(values)),
      accounted(budget, items.capacity() * sizeof(Value) + sizeof(Sequence)) {
    for (const Value& item : items) {
        depth = std::max(depth, depth_of(item) + 1);
        weight += weight_of(item);
    }
    require_bounded(depth, weight);
}

std::optional<Value> Object::next(Runtime& /*runtime*/) {
    fail_runtime(fmt::format("'{}' object is not an iterator", type_name()));
}
std::optional<Value> Object::attribute(Runtime& /*runtime*/, std::string_view /*name*/) {
    return {};
}
Value Object::call(Runtime& /*runtime*/, Arguments& /*arguments*/) {
    fail_runtime(fmt::format("'{}' object is not callable", type_name()));
}

bool Value::same_as(const Value& other) const {
    if (kind() != other.kind())
        return false;
    switch (kind()) {
    case Kind::Sequence:
        return &sequence() == &other.sequence();
    case Kind::Dict:
        return &dict() == &other.dict();
    case Kind::Object:
        return object() == other.object();
    default:
        return equal(*this, other);
    }
}

const Value* Dict::find(const Value& key) const {
    if (index.empty()) {
        hash_of(key); // refuses what cannot be a key
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const auto& entry) { return equal(entry.first, key); });
        return found == entries.end() ? nullptr : &found->second;
    }
    const auto [begin, end] = index.equal_range(hash_of(key));
    for (auto it = begin; it != end; ++it)
        if (equal(entries[it->second].first, key))
            return &entries[it->second].second;
    return nullptr;
}

const Value* Dict::find(std::string_view key) const {
    const auto matches = [&](const Value& candidate) {
        return candidate.is_string() && candidate.view() == key;
    };
    if (index.empty()) {
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const auto& entry) { return matches(entry.first); });
        return found == entries.end() ? nullptr : &found->second;
    }
    const auto [begin, end] = index.equal_range(hash_text(key));
    for (auto it = begin; it != end; ++it)
        if (matches(entries[it->second].first))
            return &entries[it->second].second;
    return nullptr;
}

void DictBuilder::set(const Value& key, Value value) {
    dict_->depth = std::max({dict_->depth, depth_of(value) + 1, depth_of(key) + 1});
    if (const Value* present = dict_->find(key)) {
        *const_cast<Value*>(present) = std::move(value); // the dict is not shared before build()
        return;
    }
    dict_->entries.emplace_back(key, std::move(value));
    if (!dict_->index.empty()) {
        dict_->index.emplace(hash_of(key), dict_->entries.size() - 1);
    } else if (dict_->entries.size() >= kIndexFrom) {
        for (std::size_t i = 0; i < dict_->entries.size(); ++i)
            dict_->index.emplace(hash_of(dict_->entries[i].first), i);
    }
}

Value DictBuilder::build() {
    for (const auto& [key, value] : dict_->entries)
        dict_->weight += weight_of(key) + weight_of(value);
    require_bounded(dict_->depth, dict_->weight);
    const std::size_t bytes = dict_->entries.capacity() * sizeof(dict_->entries[0]) +
                              dict_->index.size() * 48 + sizeof(Dict);
    if (budget_ != nullptr)
        budget_->require(bytes);
    auto done =
        std::shared_ptr<Dict>(new Dict{std::move(dict_->entries), dict_->depth, dict_->weight,
                                       std::move(dict_->index), Accounted(budget_, bytes)});
    return Value(std::shared_ptr<const Dict>(std::move(done)));
}

std::string_view type_name(const Value& value) {
    switch (value.kind()) {
    case Kind::Undefined:
        return "Undefined";
    case Kind::None:
        return "NoneType";
    case Kind::Bool:
        return "bool";
    case Kind::Integer:
        return "int";
    case Kind::Float:
        return "float";
    case Kind::String:
        return "str";
    case Kind::Dict:
        return "dict";
    case Kind::Object:
        return value.object()->type_name();
    case Kind::Sequence:
        break;
    }
    switch (value.sequence().kind) {
    case SequenceKind::List:
        return "list";
    case SequenceKind::Tuple:
        return "tuple";
    case SequenceKind::Range:
        return "range";
    case SequenceKind::Keys:
        return "dict_keys";
    case SequenceKind::Values:
        return "dict_values";
    case SequenceKind::Items:
        return "dict_items";
    }
    return "object";
}

std::string object_type(const Value& value) {
    return value.is_none() ? "None" : fmt::format("{} object", type_name(value));
}

bool truthy(const Value& value) {
    switch (value.kind()) {
    case Kind::Undefined:
    case Kind::None:
        return false;
    case Kind::Bool:
    case Kind::Integer:
        return value.integer() != 0;
    case Kind::Float:
        return value.number() != 0;
    case Kind::String:
        return !value.text().empty();
    case Kind::Sequence:
        return !value.sequence().items.empty();
    case Kind::Dict:
        return !value.dict().entries.empty();
    case Kind::Object:
        return true;
    }
    return true;
}

int depth_of(const Value& value) {
    switch (value.kind()) {
    case Kind::Sequence:
        return value.sequence().depth;
    case Kind::Dict:
        return value.dict().depth;
    case Kind::Object:
        return value.object()->depth();
    default:
        return 0;
    }
}

std::uint64_t weight_of(const Value& value) {
    switch (value.kind()) {
    case Kind::String:
        return 1 + value.text().size() / 64;
    case Kind::Sequence:
        return value.sequence().weight;
    case Kind::Dict:
        return value.dict().weight;
    default:
        return 1;
    }
}

bool equal(const Value& a, const Value& b) {
    if (a.is_number() && b.is_number()) {
        if (a.is_integer() && b.is_integer())
            return a.integer() == b.integer();
        return a.number() == b.number();
    }
    if (a.kind() != b.kind())
        return false;
    switch (a.kind()) {
    case Kind::Undefined:
    case Kind::None:
        return true;
    case Kind::String:
        return a.view() == b.view();
    case Kind::Sequence:
        return a.sequence().kind == b.sequence().kind &&
               equal_items(a.sequence().items, b.sequence().items);
    case Kind::Dict:
        return equal_dicts(a.dict(), b.dict());
    default:
        return a.object() == b.object();
    }
}

std::size_t hash_of(const Value& value) {
    switch (value.kind()) {
    case Kind::Undefined:
        return 11;
    case Kind::None:
        return 13;
    case Kind::Bool:
    case Kind::Integer:
    case Kind::Float:
        return std::hash<double>{}(value.number());
    case Kind::String:
        return hash_text(value.view());
    case Kind::Sequence: {
        if (value.sequence().kind == SequenceKind::List)
            fail_runtime("unhashable type: 'list'");
        std::size_t hash = 17;
        for (const Value& item : value.sequence().items)
            hash = hash * 1000003 ^ hash_of(item);
        return hash;
    }
    case Kind::Dict:
        fail_runtime("unhashable type: 'dict'");
    case Kind::Object:
        return std::hash<const void*>{}(value.object().get());
    }
    return 0;
}

bool less(const Value& a, const Value& b) {
    require_defined(a);
    require_defined(b);
    if (a.is_number() && b.is_number()) {
        if (a.is_integer() && b.is_integer())
            return a.integer() < b.integer();
        return a.number() < b.number();
    }
    if (a.is_string() && b.is_string())
        return a.view() < b.view(); // UTF-8 sorts as its code points do
    if (a.is(Kind::Sequence) && b.is(Kind::Sequence) && a.sequence().kind == b.sequence().kind &&
        compares_as_list(a.sequence().kind)) {
        const auto& x = a.sequence().items;
        const auto& y = b.sequence().items;
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
            if (!equal(x[i], y[i]))
                return less(x[i], y[i]);
        return x.size() < y.size();
    }
    fail_runtime(fmt::format("'<' not supported between instances of '{}' and '{}'", type_name(a),
                             type_name(b)));
}

void fail_undefined(const Value& value) {
    const UndefinedInfo* info = value.undefined_info();
    if (info == nullptr)
        fail(TemplateErrorKind::Undefined, "the value is undefined");
    fail(info->unsafe ? TemplateErrorKind::Security : TemplateErrorKind::Undefined, info->message);
}

Value make_string(MarkedText text, Budget* budget) {
    text.shrink();
    if (budget != nullptr)
        budget->require(text.memory());
    return Value(std::make_shared<const String>(std::move(text), budget));
}

Value make_sequence(SequenceKind kind, std::vector<Value> items, Budget* budget) {
    if (budget != nullptr)
        budget->require(items.capacity() * sizeof(Value));
    return Value(std::make_shared<const Sequence>(kind, std::move(items), budget));
}

} // namespace alcove::jinja
