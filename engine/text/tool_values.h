#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Readers of the values that models write as arguments of tools. Each reads one value at `pos` and
/// moves `pos` behind it; nothing where the value is not complete or not of its syntax. None nests
/// deeper than kMaxToolDepth.
namespace alcove::tool_values {

using Json = nlohmann::ordered_json;
constexpr int kMaxToolDepth = 100;

void skip_spaces(std::string_view text, std::size_t& pos);
/// Moves behind `what` if it stands at `pos`.
bool take(std::string_view text, std::size_t& pos, std::string_view what);
/// Letters, digits, and . _ - as names of tools have; empty if there is none.
std::string_view take_name(std::string_view text, std::size_t& pos);

/// JSON: an object or a list (`pos` stands at its bracket).
std::optional<Json> take_json(std::string_view text, std::size_t& pos);
/// A Python literal: text in either quotes, numbers, True False None (true false null too), lists,
/// tuples, dicts.
std::optional<Json> take_python(std::string_view text, std::size_t& pos, int depth = 0);
/// Gemma's notation: text between <|"|>, bare keys, numbers, true false null, lists, objects.
std::optional<Json> take_gemma(std::string_view text, std::size_t& pos, int depth = 0);

} // namespace alcove::tool_values
