#pragma once

#include "engine/text/jinja/ast.h"
#include "engine/text/jinja/runtime.h"

namespace alcove::jinja {

/// `left op right` for the arithmetic operators, as Python computes them.
Value arithmetic(Runtime& runtime, Operator op, const Value& left, const Value& right);
Value negate(const Value& value);
Value plus(const Value& value);
/// `left op right` for comparisons and membership.
bool compare(Runtime& runtime, Operator op, const Value& left, const Value& right);

} // namespace alcove::jinja
