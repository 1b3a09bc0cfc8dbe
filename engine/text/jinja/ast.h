#pragma once

#include "engine/text/jinja/filters.h"
#include "engine/text/jinja/value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The syntax tree of a template. Immutable after parsing and shared by renderings on several
/// threads.
namespace alcove::jinja {

enum class Operator : std::uint8_t {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Modulo,
    Power,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// One argument of a call as written.
struct CallArgument {
    enum class Kind : std::uint8_t {
        Positional,
        Keyword,
        Star,
        DoubleStar
    } kind = Kind::Positional;
    std::string name; ///< of a keyword
    ExpressionPtr value;
};

struct Expression {
    enum class Kind : std::uint8_t {
        Constant, ///< constant
        Name,     ///< id
        Tuple,
        List, ///< operands
        Dict, ///< operands: key, value, key, value, …
        Negate,
        Plus,
        Not,
        And,
        Or,          ///< operands, evaluated from the left until one decides
        Concat,      ///< operands joined by ~
        Arithmetic,  ///< operands[0] operators[0] operands[1] …, from the left
        Compare,     ///< a chain: a < b < c
        Conditional, ///< operands: condition, value, alternative (may be missing)
        Attribute,   ///< operands[0] . text
        Item,        ///< operands[0] [ operands[1] ]
        Slice,       ///< operands[0] [ operands[1..3] ], null where left out
        Call,        ///< operands[0] ( arguments )
        Filter,      ///< operands[0] | text ( arguments ); no operand in a filter block
        Test,        ///< operands[0] is text ( arguments )
    };
    Kind kind = Kind::Constant;
    int line = 0;
    int height = 1; ///< of the tree below; bounded, because everything walks it recursively
    std::vector<ExpressionPtr> operands;
    std::vector<Operator> operators;
    std::vector<CallArgument> arguments;
    std::string text;
    Value text_value; ///< `text` as a value, where it serves as a key
    int id = -1;      ///< of a Name, see Program::names
    Value constant;
    const Filter* filter = nullptr; ///< null: unknown, an error when reached
    const Test* test = nullptr;
};

struct Statement;
using Body = std::vector<Statement>;

/// Where an assignment goes: a name, an attribute of a namespace, or several of them.
struct Target {
    enum class Kind : std::uint8_t { Name, NamespaceAttribute, Tuple } kind = Kind::Name;
    int id = -1;
    std::string attribute;
    std::vector<Target> parts;
};

struct Parameter {
    std::string name;
    int id = -1;
    ExpressionPtr fallback; ///< null: undefined when not given
};

struct Macro {
    std::string name;
    std::vector<Parameter> parameters;
    Body body;
    int caller_id = -1, varargs_id = -1, kwargs_id = -1; ///< −1 where the body does not use it
};

struct Branch {
    ExpressionPtr condition; ///< null: else
    Body body;
};

struct Statement {
    enum class Kind : std::uint8_t {
        Text,      ///< text
        Print,     ///< expression
        If,        ///< branches
        For,       ///< target in expression if condition: body, else otherwise
        Set,       ///< target = expression
        SetBlock,  ///< target = body | expression (a filter chain, may be null)
        Macro,     ///< macro bound to target
        CallBlock, ///< macro is the caller given to the Call in expression
        Filter,    ///< body | expression
        With,      ///< branches' conditions are the values of targets; body
        Scope,     ///< body in a scope of its own
        Break,
        Continue,
        NoLoader, ///< include, import, extends: there is nothing to load from
    };
    Kind kind = Kind::Text;
    int line = 0;
    MarkedText text;
    ExpressionPtr expression;
    ExpressionPtr condition;
    Target target;
    std::vector<Target> targets;
    std::vector<ExpressionPtr> values;
    std::vector<Branch> branches;
    Body body;
    Body otherwise;
    bool recursive = false;
    std::shared_ptr<Macro> macro;
};

/// A parsed template.
struct Program {
    Body body;
    std::vector<std::string> names; ///< every variable name in it; an id is an index here
    int loop_id = -1;               ///< of "loop"; −1 if it is not used
};

} // namespace alcove::jinja
