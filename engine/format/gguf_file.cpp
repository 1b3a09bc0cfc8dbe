#include "engine/format/gguf_file.h"

#include "engine/format/gguf_parser.h"
#include "engine/format/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <regex>

namespace alcove {
namespace {

struct Part {
    MemoryMap map;
    GgufContents contents;
    std::string shown; // the path for messages
};

class OpenGgufFile final : public GgufFile {
public:
    OpenGgufFile(std::filesystem::path path, std::vector<Part> parts)
        : path_(std::move(path)), parts_(std::move(parts)) {}

    /// Joins the tensors of all parts; a name may stand in one part only.
    Status index() {
        for (const Part& part : parts_) {
            for (const GgufTensor& tensor : part.contents.tensors) {
                if (!tensor_index_.emplace(tensor.name, tensors_.size()).second)
                    return Error{
                        Errc::Format,
                        fmt::format("{}: tensor {} stands in an earlier part too, expected once",
                                    part.shown, quoted(tensor.name))};
                tensors_.push_back(tensor);
            }
        }
        return ok();
    }

    const std::filesystem::path& path() const override { return path_; }
    std::uint32_t version() const override { return parts_.front().contents.version; }
    std::uint64_t file_bytes() const override {
        std::uint64_t bytes = 0;
        for (const Part& part : parts_)
            bytes += part.map.bytes().size();
        return bytes;
    }
    std::size_t n_parts() const override { return parts_.size(); }
    std::uint64_t alignment() const override { return parts_.front().contents.alignment; }
    bool is_unchanged() const override {
        return std::all_of(parts_.begin(), parts_.end(),
                           [](const Part& part) { return part.map.is_unchanged(); });
    }

    std::span<const std::string_view> keys() const override { return parts_.front().contents.keys; }
    const GgufValue* find(std::string_view key) const override {
        const auto& values = parts_.front().contents.values;
        const auto found = values.find(key);
        return found == values.end() ? nullptr : &found->second;
    }
    std::span<const GgufTensor> tensors() const override { return tensors_; }
    const GgufTensor* find_tensor(std::string_view name) const override {
        const auto found = tensor_index_.find(name);
        return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
    }

private:
    std::filesystem::path path_;
    std::vector<Part> parts_;
    std::vector<GgufTensor> tensors_;
    std::unordered_map<std::string_view, std::size_t> tensor_index_;
};

Result<Part> open_part(const std::filesystem::path& path, MemoryMap::Mode mode) {
    Part part;
    part.shown = display_path(path);
    ALCOVE_ASSIGN_OR_RETURN(part.map, MemoryMap::open(path, mode));
    ALCOVE_ASSIGN_OR_RETURN(part.contents, parse_gguf(part.map.bytes(), part.shown));
    return part;
}

/// A count of the metadata of one part; absent: nothing.
Result<std::optional<std::uint64_t>> split_count(const Part& part, std::string_view key) {
    const auto found = part.contents.values.find(key);
    if (found == part.contents.values.end())
        return std::optional<std::uint64_t>();
    if (const auto* number = std::get_if<std::int64_t>(&found->second.value);
        number != nullptr && *number >= 0)
        return std::optional<std::uint64_t>(static_cast<std::uint64_t>(*number));
    if (const auto* number = std::get_if<std::uint64_t>(&found->second.value))
        return std::optional<std::uint64_t>(*number);
    return Error{Errc::Format, fmt::format("{}: {} is not a count (its type is {})", part.shown,
                                           key, gguf_value_type_name(found->second.type))};
}

/// The place of a file in a split model, from its name ("NAME-00002-of-00005.gguf").
struct SplitName {
    std::string stem;
    unsigned long index = 0; // from 1
    unsigned long count = 0;
};

std::optional<SplitName> split_name(const std::filesystem::path& path) {
    static const std::regex pattern(R"(^(.*)-(\d{5})-of-(\d{5})\.gguf$)");
    const std::string name = path.filename().string();
    // The pattern's own part is 20 characters; a regular expression must not see a name of
    // arbitrary length twice.
    std::smatch match;
    if (name.size() > 4096 || !std::regex_match(name, match, pattern))
        return std::nullopt;
    return SplitName{match[1].str(), std::stoul(match[2].str()), std::stoul(match[3].str())};
}

Status check_split_number(const Part& part, std::uint64_t expected) {
    ALCOVE_ASSIGN_OR_RETURN(const auto number, split_count(part, "split.no"));
    if (number.has_value() && *number != expected)
        return Error{Errc::Format,
                     fmt::format("{}: split.no is {}, expected {} (from 0) by the file's name",
                                 part.shown, *number, expected)};
    return ok();
}

/// The further parts of a split model whose first part is `parts[0]`.
Status open_further_parts(const std::filesystem::path& path, std::uint64_t count,
                          MemoryMap::Mode mode, std::vector<Part>& parts) {
    const std::optional<SplitName> name = split_name(path);
    if (!name.has_value() || name->count != count)
        return Error{
            Errc::Format,
            fmt::format(
                "{}: this is a part of a model in {} files (split.count), so its name must end in "
                "-00001-of-{:05}.gguf",
                parts[0].shown, count, count)};
    if (name->index != 1)
        return Error{
            Errc::Format,
            fmt::format("{}: this is part {} of {}; open the first part, {}-00001-of-{:05}.gguf",
                        parts[0].shown, name->index, count, name->stem, count)};
    ALCOVE_RETURN_IF_ERROR(check_split_number(parts[0], 0));
    std::size_t n_tensors = parts[0].contents.tensors.size();
    for (unsigned long i = 2; i <= name->count; ++i) {
        const auto next =
            path.parent_path() / fmt::format("{}-{:05}-of-{:05}.gguf", name->stem, i, name->count);
        auto part = open_part(next, mode);
        if (!part && part.error().code == Errc::NotFound)
            return Error{Errc::NotFound,
                         fmt::format("{}: part {} of {} is missing beside {}", display_path(next),
                                     i, name->count, display_path(path.filename()))};
        if (!part)
            return std::move(part).error();
        ALCOVE_RETURN_IF_ERROR(check_split_number(*part, i - 1));
        n_tensors += part->contents.tensors.size();
        parts.push_back(std::move(part).value());
    }
    ALCOVE_ASSIGN_OR_RETURN(const auto expected, split_count(parts[0], "split.tensors.count"));
    if (expected.has_value() && *expected != n_tensors)
        return Error{
            Errc::Format,
            fmt::format("{}: the {} parts hold {} tensors, expected {} (split.tensors.count)",
                        parts[0].shown, name->count, n_tensors, *expected)};
    return ok();
}

Result<std::shared_ptr<const GgufFile>> open_all(const std::filesystem::path& path,
                                                 GgufFile::OpenOptions options) {
    const auto mode = options.use_mmap ? MemoryMap::Mode::Map : MemoryMap::Mode::Read;
    std::vector<Part> parts;
    ALCOVE_ASSIGN_OR_RETURN(Part first, open_part(path, mode));
    parts.push_back(std::move(first));
    ALCOVE_ASSIGN_OR_RETURN(const auto count, split_count(parts[0], "split.count"));
    if (count.value_or(1) > 1)
        ALCOVE_RETURN_IF_ERROR(open_further_parts(path, *count, mode, parts));
    auto file = std::make_shared<OpenGgufFile>(path, std::move(parts));
    ALCOVE_RETURN_IF_ERROR(file->index());
    if (!file->is_unchanged())
        return Error{
            Errc::Io,
            fmt::format("{}: the file changed while it was read; wait until it is complete",
                        display_path(path))};
    return std::shared_ptr<const GgufFile>(std::move(file));
}

Error wrong_type(const GgufFile& file, std::string_view key, const GgufValue& value,
                 std::string_view expected) {
    return Error{Errc::Model,
                 fmt::format("{}: {} has the type {}, expected {}", display_path(file.path()), key,
                             gguf_value_type_name(value.type), expected)};
}

} // namespace

Result<std::shared_ptr<const GgufFile>> GgufFile::open(const std::filesystem::path& path,
                                                       OpenOptions options) {
    try {
        return open_all(path, options);
    } catch (const std::bad_alloc&) {
        return Error{Errc::Memory,
                     fmt::format("{}: memory is not enough to read the file", display_path(path))};
    }
}

Result<std::optional<std::uint64_t>> GgufFile::get_u64(std::string_view key) const {
    const GgufValue* value = find(key);
    if (value == nullptr)
        return std::optional<std::uint64_t>();
    if (const auto* wide = std::get_if<std::uint64_t>(&value->value))
        return std::optional<std::uint64_t>(*wide);
    const auto* number = std::get_if<std::int64_t>(&value->value);
    if (number == nullptr)
        return wrong_type(*this, key, *value, "an integer");
    if (*number < 0)
        return Error{Errc::Model, fmt::format("{}: {} is {}, expected 0 or more",
                                              display_path(path()), key, *number)};
    return std::optional<std::uint64_t>(static_cast<std::uint64_t>(*number));
}

Result<std::optional<double>> GgufFile::get_f64(std::string_view key) const {
    const GgufValue* value = find(key);
    if (value == nullptr)
        return std::optional<double>();
    if (const auto* number = std::get_if<double>(&value->value))
        return std::optional<double>(*number);
    if (const auto* number = std::get_if<std::int64_t>(&value->value))
        return std::optional<double>(static_cast<double>(*number));
    if (const auto* number = std::get_if<std::uint64_t>(&value->value))
        return std::optional<double>(static_cast<double>(*number));
    return wrong_type(*this, key, *value, "a number");
}

Result<std::optional<bool>> GgufFile::get_bool(std::string_view key) const {
    const GgufValue* value = find(key);
    if (value == nullptr)
        return std::optional<bool>();
    if (const auto* flag = std::get_if<bool>(&value->value))
        return std::optional<bool>(*flag);
    return wrong_type(*this, key, *value, "Bool");
}

Result<std::optional<std::string_view>> GgufFile::get_string(std::string_view key) const {
    const GgufValue* value = find(key);
    if (value == nullptr)
        return std::optional<std::string_view>();
    if (const auto* text = std::get_if<std::string_view>(&value->value))
        return std::optional<std::string_view>(*text);
    return wrong_type(*this, key, *value, "String");
}

Result<const GgufArray*> GgufFile::get_array(std::string_view key) const {
    const GgufValue* value = find(key);
    if (value == nullptr)
        return static_cast<const GgufArray*>(nullptr);
    if (const auto* array = std::get_if<std::shared_ptr<const GgufArray>>(&value->value))
        return array->get();
    return wrong_type(*this, key, *value, "Array");
}

} // namespace alcove
