#pragma once

#include "engine/format/gguf_file.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace alcove {

/// What one file of a model holds, checked. Views point into the bytes that were parsed.
struct GgufContents {
    std::uint32_t version = 0;
    std::uint64_t alignment = 32;
    std::vector<std::string_view> keys; // file order
    std::unordered_map<std::string_view, GgufValue> values;
    std::vector<GgufTensor> tensors; // file order
};

/// Parses and checks the bytes of one GGUF file; `file` is the name for messages. Time and memory
/// are proportional to the metadata that is really there. Thread-safe.
Result<GgufContents> parse_gguf(std::span<const std::byte> bytes, std::string_view file);

/// "U32", "String", "Array", …
std::string_view gguf_value_type_name(GgufValueType type) noexcept;

/// `text` in quotes for a message: at most 60 bytes, everything but printable ASCII as \xNN.
std::string quoted(std::string_view text);

/// True if `text` is well-formed UTF-8.
bool is_utf8(std::string_view text) noexcept;

} // namespace alcove
