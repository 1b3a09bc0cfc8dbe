#include "engine/format/gguf_writer.h"

#include "engine/format/memory_map.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <type_traits>

namespace alcove {
namespace {

void append_raw(std::vector<std::byte>& out, const void* from, std::size_t n) {
    const std::size_t at = out.size();
    out.resize(at + n);
    if (n > 0)
        std::memcpy(out.data() + at, from, n);
}

template <typename T> void append(std::vector<std::byte>& out, T value) {
    static_assert(std::is_arithmetic_v<T>);
    append_raw(out, &value, sizeof(T));
}

void append_string(std::vector<std::byte>& out, std::string_view text) {
    append(out, static_cast<std::uint64_t>(text.size()));
    append_raw(out, text.data(), text.size());
}

template <typename T> std::vector<std::byte> bytes_of(T value) {
    std::vector<std::byte> out;
    append(out, value);
    return out;
}

template <typename T>
std::vector<std::byte> array_of(GgufValueType type, std::span<const T> values) {
    std::vector<std::byte> out;
    append(out, static_cast<std::uint32_t>(type));
    append(out, static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) {
        if constexpr (std::is_arithmetic_v<T>)
            append(out, value);
        else
            append_string(out, value);
    }
    return out;
}

std::uint64_t padded(std::uint64_t size, std::uint64_t alignment) {
    return alignment == 0 ? size : (size + alignment - 1) / alignment * alignment;
}

} // namespace

void GgufWriter::add_raw(std::string_view key, GgufValueType type,
                         std::span<const std::byte> value) {
    append_string(key_values_, key);
    append(key_values_, static_cast<std::uint32_t>(type));
    append_raw(key_values_, value.data(), value.size());
    ++n_key_values_;
}

void GgufWriter::add_u32(std::string_view key, std::uint32_t value) {
    add_raw(key, GgufValueType::U32, bytes_of(value));
}
void GgufWriter::add_i32(std::string_view key, std::int32_t value) {
    add_raw(key, GgufValueType::I32, bytes_of(value));
}
void GgufWriter::add_u64(std::string_view key, std::uint64_t value) {
    add_raw(key, GgufValueType::U64, bytes_of(value));
}
void GgufWriter::add_f32(std::string_view key, float value) {
    add_raw(key, GgufValueType::F32, bytes_of(value));
}
void GgufWriter::add_bool(std::string_view key, bool value) {
    add_raw(key, GgufValueType::Bool, bytes_of(static_cast<std::uint8_t>(value ? 1 : 0)));
}
void GgufWriter::add_string(std::string_view key, std::string_view value) {
    std::vector<std::byte> raw;
    append_string(raw, value);
    add_raw(key, GgufValueType::String, raw);
}
void GgufWriter::add_strings(std::string_view key, std::span<const std::string> values) {
    add_raw(key, GgufValueType::Array, array_of(GgufValueType::String, values));
}
void GgufWriter::add_i32s(std::string_view key, std::span<const std::int32_t> values) {
    add_raw(key, GgufValueType::Array, array_of(GgufValueType::I32, values));
}
void GgufWriter::add_f32s(std::string_view key, std::span<const float> values) {
    add_raw(key, GgufValueType::Array, array_of(GgufValueType::F32, values));
}

void GgufWriter::add_tensor(std::string_view name, QuantType type,
                            std::span<const std::uint64_t> dims, std::span<const std::byte> data) {
    tensors_.push_back(
        {std::string(name), type, {dims.begin(), dims.end()}, {data.begin(), data.end()}});
}

std::vector<std::byte> GgufWriter::bytes() const {
    GgufWriter alignment_entry;
    if (alignment_ != 32)
        alignment_entry.add_u32("general.alignment", alignment_);
    std::vector<std::byte> out;
    for (const char c : {'G', 'G', 'U', 'F'})
        out.push_back(static_cast<std::byte>(c));
    append(out, version_);
    append(out, static_cast<std::uint64_t>(tensors_.size()));
    append(out, n_key_values_ + alignment_entry.n_key_values_);
    append_raw(out, alignment_entry.key_values_.data(), alignment_entry.key_values_.size());
    append_raw(out, key_values_.data(), key_values_.size());
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
        append_string(out, tensor.name);
        append(out, static_cast<std::uint32_t>(tensor.dims.size()));
        for (const std::uint64_t dim : tensor.dims)
            append(out, dim);
        append(out, static_cast<std::uint32_t>(tensor.type));
        append(out, offset);
        offset += padded(tensor.data.size(), alignment_);
    }
    for (const Tensor& tensor : tensors_) {
        out.resize(padded(out.size(), alignment_));
        append_raw(out, tensor.data.data(), tensor.data.size());
    }
    return out;
}

Status GgufWriter::write(const std::filesystem::path& path) const {
    return write_file_atomically(path, bytes());
}

Status write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    std::string temporary = path.string() + ".part-XXXXXX";
    const int fd = ::mkstemp(temporary.data());
    const auto failed = [&](std::string_view doing) {
        const std::string why = std::generic_category().message(errno);
        if (fd >= 0) {
            ::close(fd);
            ::unlink(temporary.c_str());
        }
        return Error{Errc::Io, fmt::format("{}: {} failed: {}", display_path(path), doing, why)};
    };
    if (fd < 0)
        return failed("creating the file");
    std::size_t done = 0;
    while (done < bytes.size()) {
        const std::size_t step = std::min<std::size_t>(bytes.size() - done, std::size_t{64} << 20U);
        const ssize_t n = ::write(fd, bytes.data() + done, step);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed("writing");
        done += static_cast<std::size_t>(n);
    }
    // mkstemp makes files private; a result has the permissions that the user's umask gives any new
    // file.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(fd, 0666 & ~mask) != 0 || ::fsync(fd) != 0)
        return failed("writing");
    if (::rename(temporary.c_str(), path.c_str()) != 0)
        return failed("renaming the finished file");
    ::close(fd);
    return ok();
}

} // namespace alcove
