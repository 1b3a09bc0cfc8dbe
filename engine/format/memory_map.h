#pragma once

#include "engine/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace alcove {

/// `path` as UTF-8 for messages; bytes that are no UTF-8 are shown as "?".
std::string display_path(const std::filesystem::path& path);

/// The bytes of a regular file, read only: mapped, or read into memory of its own. Movable, not
/// copyable; the span is valid for the object's life. Several threads may read.
///
/// A mapping shows the file as it is *now*. Who truncates the file while it is mapped takes pages
/// away, and touching them raises SIGBUS. Three defences: `is_unchanged()` (size and modification
/// time, one system call) for the start of each use; install_mapping_guard() (mapping_guard.h),
/// which a program calls once and which turns the signal into zero bytes plus `is_unchanged() ==
/// false`; and `Mode::Read`, which has no such dependency at the price of memory.
class MemoryMap {
public:
    enum class Mode : std::uint8_t { Map, Read };

    /// Errors: NotFound, Io (permission, directory, device, read error), Memory. An empty file has
    /// an empty span.
    static Result<MemoryMap> open(const std::filesystem::path& path, Mode mode);

    MemoryMap() = default;
    MemoryMap(MemoryMap&& other) noexcept;
    MemoryMap& operator=(MemoryMap&& other) noexcept;
    MemoryMap(const MemoryMap&) = delete;
    MemoryMap& operator=(const MemoryMap&) = delete;
    ~MemoryMap();

    std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

    /// False if the file behind a mapping has another size or modification time than when it was
    /// opened, or if pages of it were found missing. Always true for Mode::Read.
    bool is_unchanged() const noexcept;

private:
    void release() noexcept;

    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    int fd_ = -1; ///< kept open for is_unchanged(); −1 for Mode::Read
    std::int64_t modified_s_ = 0;
    std::int64_t modified_ns_ = 0;
    int guard_slot_ = -1; ///< place in the guard's table; −1 without a guard
};

} // namespace alcove
