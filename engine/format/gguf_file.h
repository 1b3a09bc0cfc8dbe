#pragma once

#include "engine/quant/quant_type.h"
#include "engine/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace alcove {

/// Value types of GGUF metadata, numbered as in the specification.
enum class GgufValueType : std::uint32_t {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
};

struct GgufValue;

/// An array of metadata. Numbers are widened (integers to int64, U64 above 2^63 − 1 is refused at
/// the door only where it is read as a count; floats to double); strings stay views into the
/// mapping.
struct GgufArray {
    GgufValueType element_type = GgufValueType::U8;
    std::size_t size = 0;
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string_view>,
                 std::vector<GgufValue>>
        elements;
};

/// One metadata value. Integers of every width are held as int64 or uint64, floats as double.
struct GgufValue {
    GgufValueType type = GgufValueType::U8;
    std::variant<std::int64_t, std::uint64_t, double, bool, std::string_view,
                 std::shared_ptr<const GgufArray>>
        value;
};

/// One tensor of the file. `data` points into the mapping (or the read copy) and holds exactly
/// `bytes` bytes.
struct GgufTensor {
    std::string_view name;
    QuantType type = QuantType::F32;
    std::uint32_t n_dims = 0;
    std::array<std::uint64_t, 4> dims{1, 1, 1, 1}; ///< fastest first; unused ones are 1
    const std::byte* data = nullptr;
    std::uint64_t offset = 0; ///< from the begin of the file
    std::uint64_t bytes = 0;
};

struct GgufOpenOptions {
    bool use_mmap = true; ///< false: the whole file is read into memory
};

/// A GGUF file (version 2 or 3, little-endian), fully checked when opened: counts, lengths, types,
/// dimensions, offsets, overlaps, duplicates. Every failure is one sentence with the file's name,
/// the place, what was found and expected. Nothing is allocated by a count that the file merely
/// claims. Immutable, safe to use from several threads. Layout: docs/formats/gguf.md.
class GgufFile {
public:
    using OpenOptions = GgufOpenOptions;
    /// Opens `path`; for the first part of a split model ("-00001-of-0000N.gguf") all parts.
    static Result<std::shared_ptr<const GgufFile>> open(const std::filesystem::path& path,
                                                        OpenOptions options = {});

    virtual ~GgufFile() = default;

    virtual const std::filesystem::path& path() const = 0;
    virtual std::uint32_t version() const = 0;
    virtual std::uint64_t file_bytes() const = 0; ///< of all parts together
    virtual std::size_t n_parts() const = 0;      ///< 1, or the files of a split model
    virtual std::uint64_t alignment() const = 0;
    /// False if a file behind the mapping was changed or truncated since it was opened: its weights
    /// can no longer be trusted. One system call per part; for the begin of each use. See
    /// memory_map.h.
    virtual bool is_unchanged() const = 0;

    virtual std::span<const std::string_view> keys() const = 0; ///< in file order
    virtual const GgufValue* find(std::string_view key) const = 0;
    virtual std::span<const GgufTensor> tensors() const = 0; ///< in file order
    virtual const GgufTensor* find_tensor(std::string_view name) const = 0;

    /// Typed access. The optional is empty if the key is absent; a value of another type (or out of
    /// range) is an Error that names key, type found and type expected.
    Result<std::optional<std::uint64_t>>
    get_u64(std::string_view key) const; ///< any integer type, not negative
    Result<std::optional<double>> get_f64(std::string_view key) const; ///< F32, F64 or an integer
    Result<std::optional<bool>> get_bool(std::string_view key) const;
    Result<std::optional<std::string_view>> get_string(std::string_view key) const;
    Result<const GgufArray*> get_array(std::string_view key) const; ///< nullptr if absent
};

} // namespace alcove
