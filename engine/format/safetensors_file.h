#pragma once

#include "engine/format/memory_map.h"
#include "engine/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {

/// One tensor of a safetensors file, rows last: shape [rows, cols] is row-major.
struct SafetensorsTensor {
    std::string name;
    std::string dtype; ///< "F32", "BF16", …
    std::vector<std::uint64_t> shape;
    std::span<const std::byte> data; ///< any alignment
};

/// A safetensors file, fully checked when opened: a header of at most 100 MB that is a JSON object,
/// nested no deeper than the format needs, no name twice, known types, every extent inside the
/// data, as long as shape and type say, no two overlapping. Every failure is one sentence with the
/// file's name. Layout: 8 bytes length N, N bytes of JSON, the data; all numbers little-endian.
class SafetensorsFile {
public:
    static Result<SafetensorsFile> open(const std::filesystem::path& path, MemoryMap::Mode mode);
    /// The same for bytes that outlive the result; `file` is the name for messages.
    static Result<SafetensorsFile> parse(std::span<const std::byte> bytes, std::string_view file);

    std::span<const SafetensorsTensor> tensors() const { return tensors_; } ///< by name
    /// `__metadata__`: strings by name; empty where the file has none.
    const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }

private:
    MemoryMap map_;
    std::vector<SafetensorsTensor> tensors_;
    std::map<std::string, std::string, std::less<>> metadata_;
};

} // namespace alcove
