#pragma once

#include "engine/format/gguf_parser.h"

#include <optional>
#include <string_view>

/// Looking up the few keys of an adapter's GGUF metadata.
namespace alcove::adapter {

inline const GgufValue* find_value(const GgufContents& gguf, std::string_view key) {
    const auto found = gguf.values.find(key);
    return found != gguf.values.end() ? &found->second : nullptr;
}

/// The text of `key`; nothing if it is absent or no string.
inline std::optional<std::string_view> find_text(const GgufContents& gguf, std::string_view key) {
    const GgufValue* value = find_value(gguf, key);
    if (value == nullptr || value->type != GgufValueType::String)
        return std::nullopt;
    return std::get<std::string_view>(value->value);
}

/// What stands under `key`, for a message: "absent", "\"model\"", "a U32".
std::string shown_value(const GgufContents& gguf, std::string_view key);

} // namespace alcove::adapter
