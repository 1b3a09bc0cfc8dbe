#pragma once

#include "engine/format/gguf_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {

/// Builds a GGUF file. Metadata and tensors are written in the order they were added; data is
/// copied when added. The writer checks nothing that the reader checks: tests build damaged files
/// with it too.
class GgufWriter {
public:
    explicit GgufWriter(std::uint32_t version = 3, std::uint32_t alignment = 32)
        : version_(version), alignment_(alignment) {}

    void add_u32(std::string_view key, std::uint32_t value);
    void add_i32(std::string_view key, std::int32_t value);
    void add_u64(std::string_view key, std::uint64_t value);
    void add_f32(std::string_view key, float value);
    void add_bool(std::string_view key, bool value);
    void add_string(std::string_view key, std::string_view value);
    void add_strings(std::string_view key, std::span<const std::string> values);
    void add_i32s(std::string_view key, std::span<const std::int32_t> values);
    void add_f32s(std::string_view key, std::span<const float> values);
    /// One entry with its type and the bytes of its value as they stand in the file.
    void add_raw(std::string_view key, GgufValueType type, std::span<const std::byte> value);

    /// `data` must hold the bytes of `type` and `dims` (fastest first, 1 to 4 of them).
    void add_tensor(std::string_view name, QuantType type, std::span<const std::uint64_t> dims,
                    std::span<const std::byte> data);

    /// The whole file. Names the alignment in general.alignment if it is not 32.
    std::vector<std::byte> bytes() const;
    /// Writes bytes() beside `path` and renames, so that no half-written file is ever seen under
    /// that name.
    Status write(const std::filesystem::path& path) const;

private:
    struct Tensor {
        std::string name;
        QuantType type = QuantType::F32;
        std::vector<std::uint64_t> dims;
        std::vector<std::byte> data;
    };

    std::uint32_t version_;
    std::uint32_t alignment_;
    std::uint64_t n_key_values_ = 0;
    std::vector<std::byte> key_values_;
    std::vector<Tensor> tensors_;
};

/// Writes `bytes` to a new file beside `path`, flushes it to the disk and renames it to `path`.
/// Nothing is left behind on failure; a file that was at `path` stays whole until the rename.
Status write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);

} // namespace alcove
