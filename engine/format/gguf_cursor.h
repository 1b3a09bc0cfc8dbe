#pragma once

#include "engine/result.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace alcove {

/// Reads little-endian values from untrusted bytes, front to back; every read is checked against
/// the end. Errors name the file, the thing that was being read (`what`) and the byte. Borrows the
/// bytes and the name.
class GgufCursor {
public:
    GgufCursor(std::span<const std::byte> bytes, std::string_view file)
        : bytes_(bytes), file_(file) {}

    std::size_t position() const noexcept { return position_; }
    std::size_t remaining() const noexcept { return bytes_.size() - position_; }
    std::string_view file() const noexcept { return file_; }

    template <typename T> Result<T> read(std::string_view what) {
        static_assert(std::is_arithmetic_v<T>);
        if (remaining() < sizeof(T))
            return cut_off(what, sizeof(T));
        T value{};
        std::memcpy(&value, bytes_.data() + position_,
                    sizeof(T)); // every supported host is little-endian
        position_ += sizeof(T);
        return value;
    }

    /// A string: 64-bit length, then the bytes, not terminated. The view points into the bytes.
    Result<std::string_view> read_string(std::string_view what) {
        ALCOVE_ASSIGN_OR_RETURN(const std::uint64_t length, read<std::uint64_t>(what));
        if (length > remaining())
            return fail(fmt::format("the length of {} is {}, but {} bytes remain in the file", what,
                                    length, remaining()));
        const auto* text = reinterpret_cast<const char*>(bytes_.data() + position_);
        position_ += static_cast<std::size_t>(length);
        return std::string_view(text, static_cast<std::size_t>(length));
    }

    /// `count` values of `width` bytes each, as raw bytes.
    Result<const std::byte*> read_raw(std::string_view what, std::uint64_t count,
                                      std::size_t width) {
        if (count > remaining() / width)
            return fail(fmt::format("{} claims {} elements, but {} bytes remain in the file", what,
                                    count, remaining()));
        const std::byte* begin = bytes_.data() + position_;
        position_ += static_cast<std::size_t>(count) * width;
        return begin;
    }

    Error fail(std::string_view sentence) const {
        return Error{Errc::Format,
                     fmt::format("{}: {} (near byte {})", file_, sentence, position_)};
    }

private:
    Error cut_off(std::string_view what, std::size_t wanted) const {
        return fail(fmt::format("the file is cut off in {}: expected {} more bytes, found {}", what,
                                wanted, remaining()));
    }

    std::span<const std::byte> bytes_;
    std::string_view file_;
    std::size_t position_ = 0;
};

} // namespace alcove
