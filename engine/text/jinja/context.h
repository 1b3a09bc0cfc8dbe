#pragma once

#include "engine/text/jinja/runtime.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace alcove::jinja {

/// The variable `name` of a template's context as a value. Its text counts as data, except for
/// special tokens
/// (`bos_token`, …), which the program puts there, and the roles of `messages` where they are of
/// the usual words: templates write control tokens like "<|user|>" around them.
Value context_value(Runtime& runtime, std::string_view name, const nlohmann::ordered_json& json);

} // namespace alcove::jinja
