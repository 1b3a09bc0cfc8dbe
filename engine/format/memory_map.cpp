#include "engine/format/memory_map.h"

#include "engine/format/mapping_guard.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace alcove {
namespace {

std::string reason(int error_number) {
    return std::generic_category().message(error_number);
}

/// Closes on every early return.
struct Descriptor {
    int fd = -1;
    ~Descriptor() {
        if (fd >= 0)
            ::close(fd);
    }
    int take() { return std::exchange(fd, -1); }
};

Status read_all(int fd, std::byte* out, std::size_t bytes, const std::string& name) {
    std::size_t done = 0;
    while (done < bytes) {
        // Linux reads at most 2 GiB at once; a smaller step is no slower.
        const std::size_t step = std::min<std::size_t>(bytes - done, std::size_t{64} << 20U);
        const ssize_t got = ::read(fd, out + done, step);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return Error{Errc::Io, fmt::format("{}: reading failed at byte {}: {}", name, done,
                                               reason(errno))};
        if (got == 0)
            return Error{
                Errc::Io,
                fmt::format("{}: the file ended at byte {} while it was read, expected {} bytes",
                            name, done, bytes)};
        done += static_cast<std::size_t>(got);
    }
    return ok();
}

/// Length of the UTF-8 sequence at `text[i]`, 0 if it is malformed.
std::size_t utf8_length(std::string_view text, std::size_t i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t n = lead < 0x80                   ? 1
                          : lead >= 0xC2 && lead < 0xE0 ? 2
                          : (lead & 0xF0U) == 0xE0      ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4
                                                        : 0;
    if (n == 0 || i + n > text.size())
        return 0;
    for (std::size_t k = 1; k < n; ++k) {
        if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80)
            return 0;
    }
    return n;
}

} // namespace

std::string display_path(const std::filesystem::path& path) {
    const std::string raw = path.string();
    std::string shown;
    for (std::size_t i = 0; i < raw.size();) {
        const std::size_t n = utf8_length(raw, i);
        const bool printable = n > 1 || (n == 1 && static_cast<unsigned char>(raw[i]) >= 0x20);
        if (printable)
            shown.append(raw, i, n);
        else
            shown += '?';
        i += std::max<std::size_t>(n, 1);
    }
    return shown;
}

Result<MemoryMap> MemoryMap::open(const std::filesystem::path& path, Mode mode) {
    const std::string name = display_path(path);
    // O_NONBLOCK: a pipe of that name must not hang us; it changes nothing for regular files.
    Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) {
        const bool absent = errno == ENOENT || errno == ENOTDIR;
        return Error{absent ? Errc::NotFound : Errc::Io,
                     absent
                         ? fmt::format("{}: there is no such file", name)
                         : fmt::format("{}: the file cannot be opened: {}", name, reason(errno))};
    }
    struct stat facts {};
    if (::fstat(file.fd, &facts) != 0)
        return Error{Errc::Io, fmt::format("{}: the file's size cannot be found out: {}", name,
                                           reason(errno))};
    if (S_ISDIR(facts.st_mode))
        return Error{Errc::Io, fmt::format("{}: this is a folder, expected a file", name)};
    if (!S_ISREG(facts.st_mode))
        return Error{
            Errc::Io,
            fmt::format("{}: this is not a regular file (a device, pipe or socket)", name)};

    MemoryMap map;
    map.size_ = static_cast<std::size_t>(facts.st_size);
    map.modified_s_ = facts.st_mtim.tv_sec;
    map.modified_ns_ = facts.st_mtim.tv_nsec;
    if (map.size_ > 0) {
        const bool mapped = mode == Mode::Map;
        void* data = mapped ? ::mmap(nullptr, map.size_, PROT_READ, MAP_PRIVATE, file.fd, 0)
                            : ::mmap(nullptr, map.size_, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) {
            const int error_number = errno;
            map.size_ = 0;
            return Error{error_number == ENOMEM ? Errc::Memory : Errc::Io,
                         fmt::format("{}: {} bytes cannot be {}: {}", name, facts.st_size,
                                     mapped ? "mapped" : "allocated", reason(error_number))};
        }
        map.data_ = static_cast<std::byte*>(data);
        if (mapped)
            map.guard_slot_ = mapping_guard::add(data, map.size_);
        else
            ALCOVE_RETURN_IF_ERROR(read_all(file.fd, map.data_, map.size_, name));
    }
    if (mode == Mode::Map)
        map.fd_ = file.take();
    return map;
}

MemoryMap::MemoryMap(MemoryMap&& other) noexcept {
    *this = std::move(other);
}

MemoryMap& MemoryMap::operator=(MemoryMap&& other) noexcept {
    if (this != &other) {
        release();
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
        fd_ = std::exchange(other.fd_, -1);
        guard_slot_ = std::exchange(other.guard_slot_, -1);
        modified_s_ = other.modified_s_;
        modified_ns_ = other.modified_ns_;
    }
    return *this;
}

MemoryMap::~MemoryMap() {
    release();
}

void MemoryMap::release() noexcept {
    mapping_guard::remove(std::exchange(guard_slot_, -1));
    if (data_ != nullptr)
        ::munmap(data_, size_);
    if (fd_ >= 0)
        ::close(fd_);
    data_ = nullptr;
    size_ = 0;
    fd_ = -1;
}

bool MemoryMap::is_unchanged() const noexcept {
    if (mapping_guard::was_hit(guard_slot_))
        return false;
    if (fd_ < 0)
        return true;
    struct stat facts {};
    return ::fstat(fd_, &facts) == 0 && static_cast<std::size_t>(facts.st_size) == size_ &&
           facts.st_mtim.tv_sec == modified_s_ && facts.st_mtim.tv_nsec == modified_ns_;
}

} // namespace alcove
