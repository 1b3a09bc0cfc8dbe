#include "engine/format/safetensors_file.h"

#include "engine/format/gguf_parser.h"
#include "engine/format/safetensors_json.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

namespace alcove {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000; // the bound of the format's own readers
constexpr std::size_t kMaxDims = 8;

struct Dtype {
    std::string_view name;
    std::uint64_t bytes;
};
constexpr std::array kDtypes = {
    Dtype{"F64", 8}, Dtype{"F32", 4}, Dtype{"F16", 2},     Dtype{"BF16", 2},    Dtype{"I64", 8},
    Dtype{"I32", 4}, Dtype{"I16", 2}, Dtype{"I8", 1},      Dtype{"U64", 8},     Dtype{"U32", 4},
    Dtype{"U16", 2}, Dtype{"U8", 1},  Dtype{"F8_E4M3", 1}, Dtype{"F8_E5M2", 1}, Dtype{"BOOL", 1},
};

std::optional<std::uint64_t> dtype_bytes(std::string_view name) {
    for (const Dtype& dtype : kDtypes) {
        if (dtype.name == name)
            return dtype.bytes;
    }
    return std::nullopt;
}

/// Goes over a header before it is taken in: an object that names something twice and nesting that
/// could exhaust the stack are refused, which the JSON reader itself would not do.
class HeaderScan final : public JsonScan {
public:
    HeaderScan() : JsonScan(kMaxDepth) {}

    const std::string& duplicate() const { return duplicate_; }

private:
    static constexpr std::size_t kMaxDepth = 16; // the format needs 3

    bool begin_object(std::size_t depth) override {
        names_.resize(depth + 1);
        names_[depth].clear();
        return true;
    }
    bool name(std::size_t depth, const std::string& name) override {
        if (names_[depth].insert(name).second)
            return true;
        duplicate_ = name;
        return false;
    }

    std::vector<std::set<std::string>> names_; // of the objects that are open, by depth
    std::string duplicate_;
};

Result<Json> parse_header(std::string_view file, std::string_view text) {
    HeaderScan scan;
    const bool sound = scan.run(text);
    if (scan.too_deep())
        return Error{Errc::Format, fmt::format("{}: the header is nested too deeply", file)};
    if (!scan.duplicate().empty())
        return Error{Errc::Format, fmt::format("{}: the header names {} twice, expected once", file,
                                               alcove::quoted(scan.duplicate()))};
    Json header = sound ? Json::parse(text, nullptr, /*allow_exceptions=*/false) : Json();
    if (!header.is_object())
        return Error{Errc::Format, fmt::format("{}: the header of {} bytes is not a JSON object",
                                               file, text.size())};
    return header;
}

/// Checks one entry of the header against the data.
class EntryReader {
public:
    EntryReader(std::string_view file, std::span<const std::byte> data)
        : file_(file), data_(data) {}

    Result<SafetensorsTensor> read(const std::string& name, const Json& entry) const {
        SafetensorsTensor tensor;
        tensor.name = name;
        if (!entry.is_object())
            return refuse(name, "is no JSON object");
        const Json dtype = entry.value("dtype", Json());
        const Json shape = entry.value("shape", Json());
        const Json offsets = entry.value("data_offsets", Json());
        if (!dtype.is_string())
            return refuse(name, "has no dtype");
        tensor.dtype = dtype.get<std::string>();
        const auto value_bytes = dtype_bytes(tensor.dtype);
        if (!value_bytes)
            return refuse(name,
                          fmt::format("has the unknown dtype {}", alcove::quoted(tensor.dtype)));
        if (!shape.is_array() || shape.size() > kMaxDims)
            return refuse(name,
                          fmt::format("has no shape, expected at most {} dimensions", kMaxDims));
        std::uint64_t n_bytes = *value_bytes;
        for (const Json& dim : shape) {
            if (!dim.is_number_unsigned())
                return refuse(name, "has a dimension that is no whole number");
            tensor.shape.push_back(dim.get<std::uint64_t>());
            if (__builtin_mul_overflow(n_bytes, tensor.shape.back(), &n_bytes))
                return refuse(name, "has a shape that no file can hold");
        }
        return place(std::move(tensor), offsets, n_bytes);
    }

private:
    Result<SafetensorsTensor> place(SafetensorsTensor tensor, const Json& offsets,
                                    std::uint64_t n_bytes) const {
        if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
            !offsets[1].is_number_unsigned())
            return refuse(tensor.name, "has no data_offsets, expected two whole numbers");
        const auto begin = offsets[0].get<std::uint64_t>();
        const auto end = offsets[1].get<std::uint64_t>();
        if (begin > end || end > data_.size())
            return refuse(tensor.name, fmt::format("lies at {} to {}, expected within the {} bytes "
                                                   "of data",
                                                   begin, end, data_.size()));
        if (end - begin != n_bytes)
            return refuse(tensor.name,
                          fmt::format("has {} bytes, expected {} for its shape and type",
                                      end - begin, n_bytes));
        tensor.data = data_.subspan(begin, n_bytes);
        return tensor;
    }

    Error refuse(std::string_view name, std::string_view what) const {
        return Error{Errc::Format,
                     fmt::format("{}: tensor {} {}", file_, alcove::quoted(name), what)};
    }

    std::string_view file_;
    std::span<const std::byte> data_;
};

Status check_overlaps(std::string_view file, std::span<const SafetensorsTensor> tensors) {
    std::vector<const SafetensorsTensor*> order;
    for (const SafetensorsTensor& tensor : tensors) {
        if (!tensor.data.empty())
            order.push_back(&tensor);
    }
    std::sort(order.begin(), order.end(),
              [](const auto* a, const auto* b) { return a->data.data() < b->data.data(); });
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (order[i]->data.data() < order[i - 1]->data.data() + order[i - 1]->data.size())
            return Error{Errc::Format, fmt::format("{}: the tensors {} and {} share bytes", file,
                                                   alcove::quoted(order[i - 1]->name),
                                                   alcove::quoted(order[i]->name))};
    }
    return ok();
}

} // namespace

Result<SafetensorsFile> SafetensorsFile::parse(std::span<const std::byte> bytes,
                                               std::string_view file) {
    if (bytes.size() < kLengthBytes)
        return Error{Errc::Format, fmt::format("{}: the file has {} bytes, expected at least {}",
                                               file, bytes.size(), kLengthBytes)};
    std::uint64_t n_header = 0;
    std::memcpy(&n_header, bytes.data(), kLengthBytes); // little-endian, as this program runs on
    if (n_header > kMaxHeaderBytes || n_header > bytes.size() - kLengthBytes)
        return Error{Errc::Format,
                     fmt::format("{}: the header claims {} bytes, expected at most {}", file,
                                 n_header, std::min(kMaxHeaderBytes, bytes.size() - kLengthBytes))};
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
                                n_header);
    ALCOVE_ASSIGN_OR_RETURN(const Json header, parse_header(file, text));

    SafetensorsFile result;
    const EntryReader entries(file, bytes.subspan(kLengthBytes + n_header));
    for (const auto& [name, entry] : header.items()) {
        if (name != "__metadata__") {
            ALCOVE_ASSIGN_OR_RETURN(SafetensorsTensor tensor, entries.read(name, entry));
            result.tensors_.push_back(std::move(tensor));
            continue;
        }
        if (!entry.is_object())
            return Error{Errc::Format, fmt::format("{}: __metadata__ is no JSON object", file)};
        for (const auto& [key, value] : entry.items()) {
            if (!value.is_string())
                return Error{Errc::Format, fmt::format("{}: the metadata {} is no text", file,
                                                       alcove::quoted(key))};
            result.metadata_[key] = value.get<std::string>();
        }
    }
    ALCOVE_RETURN_IF_ERROR(check_overlaps(file, result.tensors_));
    std::sort(result.tensors_.begin(), result.tensors_.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return result;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path,
                                              MemoryMap::Mode mode) {
    ALCOVE_ASSIGN_OR_RETURN(MemoryMap map, MemoryMap::open(path, mode));
    ALCOVE_ASSIGN_OR_RETURN(SafetensorsFile file,
                            parse(map.bytes(), display_path(path.filename())));
    file.map_ = std::move(map);
    return file;
}

} // namespace alcove
