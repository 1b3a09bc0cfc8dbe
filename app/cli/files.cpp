#include "app/cli/files.h"

#include "engine/format/memory_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

namespace alcove::cli {
namespace {

Result<std::string> read_descriptor(int fd, const std::string& name) {
    std::string text;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t n = ::read(fd, buffer, sizeof buffer);
        if (n == 0)
            return text;
        if (n > 0)
            text.append(buffer, static_cast<std::size_t>(n));
        else if (errno != EINTR)
            return Error{Errc::Io, fmt::format("{}: reading failed: {}", name,
                                               std::generic_category().message(errno))};
    }
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// What a library says, without its own prefix in brackets.
std::string plain_reason(const nlohmann::json::exception& exception) {
    const std::string_view what = exception.what();
    const std::size_t end = what.find("] ");
    return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
}

Json answer_line(std::string_view line, const std::function<Result<Json>(const Json&)>& answer) {
    try {
        const Json parsed = Json::parse(line);
        if (!parsed.is_object())
            return {{"error", fmt::format("the line holds a JSON {}, expected an object",
                                          parsed.type_name())}};
        Result<Json> answered = answer(parsed);
        if (answered)
            return std::move(answered).value();
        return {{"error", answered.error().message}};
    } catch (const nlohmann::json::exception& exception) {
        return {{"error", plain_reason(exception)}};
    }
}

} // namespace

Result<std::string> read_text(const std::string& path) {
    if (path == "-")
        return read_descriptor(STDIN_FILENO, "standard input");
    const std::string name = display_path(path);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return Error{errno == ENOENT ? Errc::NotFound : Errc::Io,
                     fmt::format("{}: the file cannot be opened: {}", name,
                                 std::generic_category().message(errno))};
    auto text = read_descriptor(fd, name);
    ::close(fd);
    return text;
}

std::string to_line(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string to_document(const Json& value) {
    return value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Json> read_json(const std::string& path) {
    ALCOVE_ASSIGN_OR_RETURN(const std::string text, read_text(path));
    try {
        return Json::parse(text);
    } catch (const nlohmann::json::exception& exception) {
        return Error{Errc::Format, fmt::format("{}: not valid JSON: {}", display_path(path),
                                               plain_reason(exception))};
    }
}

Result<int> answer_cases(Console& console, const std::string& path,
                         const std::function<Result<Json>(const Json& line)>& answer) {
    ALCOVE_ASSIGN_OR_RETURN(const std::string text, read_text(path));
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (is_blank(line))
            continue;
        console.out(to_line(answer_line(line, answer)));
        if (console.reader_gone())
            break;
        if (console.interrupted())
            return Error{Errc::Cancelled, "interrupted"};
    }
    return 0;
}

Result<std::vector<std::int32_t>> parse_ids(std::string_view text, std::string_view what) {
    std::vector<std::int32_t> ids;
    constexpr std::string_view kSeparators = " \t\r\n,";
    std::size_t at = text.find_first_not_of(kSeparators);
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
        const std::string_view word = text.substr(at, end - at);
        std::int32_t id = 0;
        const auto parsed = std::from_chars(word.data(), word.data() + word.size(), id);
        if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size() || id < 0)
            return Error{
                Errc::InvalidArgument,
                fmt::format(
                    "{}: \"{}\" is not a token id, expected decimal numbers separated by commas or "
                    "white space",
                    what, display_path(std::string(word.substr(0, 40))))};
        ids.push_back(id);
        at = text.find_first_not_of(kSeparators, end);
    }
    return ids;
}

std::string ids_text(std::span<const std::int32_t> ids) {
    return fmt::format("[{}]", fmt::join(ids, ","));
}

} // namespace alcove::cli
