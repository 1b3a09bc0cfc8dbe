#pragma once

#include "engine/text/jinja/marked_text.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

/// Values of the template language. They follow Python: strings, lists, tuples and dicts are
/// immutable here (the reference's sandbox forbids their mutating methods) and therefore shared
/// freely; what can change is an Object.
namespace alcove::jinja {

class Runtime;
class Value;
struct Arguments;

/// Whole numbers. Python's have no limit; 128 bits hold what templates compute with, beyond is an
/// error.
__extension__ using Int = __int128;

/// Memory that the values of one rendering hold, approximately. Outlives them.
struct Budget {
    std::size_t live = 0;
    std::size_t limit = 0;

    /// Fails with a Runtime error if `bytes` more would exceed the limit.
    void require(std::size_t bytes) const;
};

/// Part of every shared value: gives its bytes back to the budget. Constants of a template have
/// none.
class Accounted {
public:
    Accounted() = default;
    Accounted(Budget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {
        if (budget_ != nullptr)
            budget_->live += bytes_;
    }
    Accounted(const Accounted&) = delete;
    Accounted& operator=(const Accounted&) = delete;
    ~Accounted() {
        if (budget_ != nullptr)
            budget_->live -= bytes_;
    }

private:
    Budget* budget_ = nullptr;
    std::size_t bytes_ = 0;
};

struct String {
    MarkedText text;
    std::size_t n_chars = 0;
    Accounted accounted{};

    String(MarkedText marked, Budget* budget);
    bool ascii() const { return n_chars == text.size(); }
};

/// What an undefined value says when it is used. `message` is given as it is; `kind` is Security
/// for what the sandbox hides.
struct UndefinedInfo {
    std::string message;
    bool unsafe = false;
};

enum class SequenceKind : std::uint8_t { List, Tuple, Range, Keys, Values, Items };

struct Sequence {
    SequenceKind kind = SequenceKind::List;
    std::vector<Value> items;
    int depth = 1;            ///< nesting of containers, bounded so that recursion over values is
    std::uint64_t weight = 1; ///< see weight_of
    Accounted accounted{};

    Sequence(SequenceKind sequence_kind, std::vector<Value> values, Budget* budget);
};

struct Dict;

/// Something with identity: namespaces, macros, loops, generators, bound methods, …
class Object : public std::enable_shared_from_this<Object> {
public:
    Object() = default;
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    virtual ~Object() = default;

    virtual std::string_view type_name() const = 0;
    /// How many objects and containers it holds inside each other.
    virtual int depth() const { return 1; }
    virtual bool callable() const { return false; }
    /// An iterator: can be walked once, `next` gives nullopt at its end.
    virtual bool iterable() const { return false; }
    virtual std::optional<Value> next(Runtime& runtime);
    virtual std::optional<Value> attribute(Runtime& runtime, std::string_view name);
    /// `arguments` as the call has them; see runtime.h.
    virtual Value call(Runtime& runtime, Arguments& arguments);
    /// Lets go of everything it holds; called at the end for what may be part of a ring of
    /// references.
    virtual void clear() {}
};

struct None {};

enum class Kind : std::uint8_t {
    Undefined,
    None,
    Bool,
    Integer,
    Float,
    String,
    Sequence,
    Dict,
    Object
};

class Value {
public:
    Value() = default; ///< undefined, without a name
    Value(None none) : data_(none) {}
    explicit Value(std::shared_ptr<const UndefinedInfo> info) : data_(std::move(info)) {}
    explicit Value(bool value) : data_(value) {}
    explicit Value(Int value) : data_(value) {}
    explicit Value(double value) : data_(value) {}
    explicit Value(std::shared_ptr<const String> value) : data_(std::move(value)) {}
    explicit Value(std::shared_ptr<const Sequence> value) : data_(std::move(value)) {}
    explicit Value(std::shared_ptr<const Dict> value) : data_(std::move(value)) {}
    explicit Value(std::shared_ptr<Object> value) : data_(std::move(value)) {}

    Kind kind() const { return static_cast<Kind>(data_.index()); }
    bool is(Kind kind_asked) const { return kind() == kind_asked; }
    bool is_undefined() const { return is(Kind::Undefined); }
    bool is_none() const { return is(Kind::None); }
    bool is_string() const { return is(Kind::String); }
    bool is_sequence(SequenceKind kind_asked) const {
        return is(Kind::Sequence) && sequence().kind == kind_asked;
    }
    /// A whole number; True and False count as 1 and 0, as in Python.
    bool is_integer() const { return is(Kind::Integer) || is(Kind::Bool); }
    bool is_number() const { return is_integer() || is(Kind::Float); }

    const UndefinedInfo* undefined_info() const { return std::get<0>(data_).get(); }
    bool boolean() const { return std::get<bool>(data_); }
    Int integer() const { return is(Kind::Bool) ? Int{boolean()} : std::get<Int>(data_); }
    double number() const {
        return is(Kind::Float) ? std::get<double>(data_) : static_cast<double>(integer());
    }
    const String& string() const { return *std::get<std::shared_ptr<const String>>(data_); }
    const MarkedText& text() const { return string().text; }
    std::string_view view() const { return text().view(); }
    const Sequence& sequence() const { return *std::get<std::shared_ptr<const Sequence>>(data_); }
    const Dict& dict() const { return *std::get<std::shared_ptr<const Dict>>(data_); }
    const std::shared_ptr<Object>& object() const {
        return std::get<std::shared_ptr<Object>>(data_);
    }

    /// The same object, or equal and of the same kind where there is no identity (`is sameas`).
    bool same_as(const Value& other) const;

private:
    std::variant<std::shared_ptr<const UndefinedInfo>, None, bool, Int, double,
                 std::shared_ptr<const String>, std::shared_ptr<const Sequence>,
                 std::shared_ptr<const Dict>, std::shared_ptr<Object>>
        data_;
};

/// Insertion-ordered; a key that is set again keeps its place. Built once by DictBuilder.
struct Dict {
    std::vector<std::pair<Value, Value>> entries;
    int depth = 1;
    std::uint64_t weight = 1;
    std::unordered_multimap<std::size_t, std::size_t>
        index; ///< hash to entry, only where there are many
    Accounted accounted{};

    /// The value of `key`, or null. Fails for a key that cannot be one (a list).
    const Value* find(const Value& key) const;
    const Value* find(std::string_view key) const;
};

class DictBuilder {
public:
    explicit DictBuilder(Budget* budget) : budget_(budget), dict_(std::make_shared<Dict>()) {}
    void set(const Value& key, Value value);
    Value build();

private:
    Budget* budget_;
    std::shared_ptr<Dict> dict_;
};

/// Containers and objects may nest this deep; deeper is a Runtime error.
constexpr int kMaxValueDepth = 400;
/// Greatest weight_of a container; a list that holds the same list twice, twice, … grows without
/// using memory.
constexpr std::uint64_t kMaxValueWeight = std::uint64_t{1} << 26U;

/// Python's name of the value's type ("str", "dict", "NoneType").
std::string_view type_name(const Value& value);
/// How error messages of undefined values name what was asked ("dict object", "None").
std::string object_type(const Value& value);
bool truthy(const Value& value);
int depth_of(const Value& value);
/// Work of walking the whole value: its nodes as if nothing was shared, 64 bytes of text counting
/// as one.
std::uint64_t weight_of(const Value& value);
bool equal(const Value& a, const Value& b);
/// Hash for dict keys; equal numbers of different types hash alike. Fails for values that cannot be
/// keys.
std::size_t hash_of(const Value& value);
/// `a < b` as Python orders; fails where it does not, and for undefined values.
bool less(const Value& a, const Value& b);
/// Fails with the value's own complaint: an undefined value was used.
[[noreturn]] void fail_undefined(const Value& value);
/// Fails if `value` is undefined.
inline void require_defined(const Value& value) {
    if (value.is_undefined())
        fail_undefined(value);
}

Value make_string(MarkedText text, Budget* budget);
Value make_sequence(SequenceKind kind, std::vector<Value> items, Budget* budget);

/// `str(value)`, `repr(value)`: text of the template's own except for what strings inside bring
/// along.
void append_str(MarkedText& out, const Value& value);
void append_repr(MarkedText& out, const Value& value);
std::string format_float(double value);
std::string format_int(Int value);

struct JsonStyle {
    bool ensure_ascii = false;
    bool sort_keys = false;
    std::optional<MarkedText> indent; ///< one level; absent: everything on one line
    MarkedText item_separator;
    MarkedText key_separator;
};
void append_json(MarkedText& out, const Value& value, const JsonStyle& style, const Budget& budget);

} // namespace alcove::jinja
