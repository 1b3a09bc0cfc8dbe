#include "engine/format/gguf_parser.h"

#include "engine/format/gguf_cursor.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace alcove {
namespace {

static_assert(std::endian::native == std::endian::little,
              "GGUF is read in place: little-endian hosts only");

constexpr int kMaxArrayDepth = 8;
constexpr std::uint64_t kMaxArrayElements = 10'000'000;
constexpr std::size_t kMaxKeyBytes = 65'535;
constexpr std::size_t kMaxTensorNameBytes = 1024;
constexpr std::uint32_t kMaxDims = 4;
constexpr std::uint64_t kMinAlignment = 8;
constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 20U;
// The shortest possible entries: length, one byte of name, type, one byte of value; and for tensors
// length, one byte of name, n_dims, one dimension, type, offset.
constexpr std::uint64_t kMinKeyValueBytes = 8 + 1 + 4 + 1;
constexpr std::uint64_t kMinTensorInfoBytes = 8 + 1 + 4 + 8 + 4 + 8;

bool starts_with(std::span<const std::byte> bytes, std::string_view text) {
    return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

/// What a file without the magic probably is: the mistakes that people really make.
std::string_view recognise_other_kind(std::span<const std::byte> bytes) {
    if (starts_with(bytes, "version https://git-lfs"))
        return "this is a Git LFS pointer, not the model itself: fetch the file with git-lfs, or "
               "download it";
    std::size_t first = 0;
    while (first < bytes.size() && first < 64 &&
           (bytes[first] == std::byte{' '} || bytes[first] == std::byte{'\n'} ||
            bytes[first] == std::byte{'\r'} || bytes[first] == std::byte{'\t'}))
        ++first;
    const auto text = bytes.subspan(first);
    if (starts_with(text, "<!DOCTYPE") || starts_with(text, "<!doctype") ||
        starts_with(text, "<html") || starts_with(text, "<HTML") || starts_with(text, "<?xml"))
        return "this is a web page, not a model: the download probably saved the page instead of "
               "the file";
    if (starts_with(bytes, "PK\x03\x04"))
        return "this is a ZIP archive, not a GGUF file: unpack it first";
    if (starts_with(bytes, "\x1f\x8b"))
        return "this is a gzip archive, not a GGUF file: unpack it first";
    if (starts_with(bytes, "lmgg") || starts_with(bytes, "fmgg") || starts_with(bytes, "tjgg"))
        return "this is a model in the old GGML format, expected GGUF: it must be converted";
    if (bytes.size() > 16 && bytes[8] == std::byte{'{'} && bytes[9] == std::byte{'"'})
        return "this looks like a safetensors file, expected GGUF";
    return {};
}

struct Header {
    std::uint32_t version = 0;
    std::uint64_t n_tensors = 0;
    std::uint64_t n_key_values = 0;
};

Result<Header> read_header(GgufCursor& in, std::span<const std::byte> bytes) {
    if (bytes.empty())
        return in.fail("the file is empty, expected a GGUF file");
    if (!starts_with(bytes, "GGUF")) {
        const std::string_view other = recognise_other_kind(bytes);
        if (!other.empty())
            return in.fail(other);
        const std::string_view found(reinterpret_cast<const char*>(bytes.data()),
                                     std::min<std::size_t>(4, bytes.size()));
        return in.fail(fmt::format("this is not a GGUF file: it begins with {}, expected \"GGUF\"",
                                   quoted(found)));
    }
    ALCOVE_RETURN_IF_ERROR(in.read<std::uint32_t>("the magic"));
    Header header;
    ALCOVE_ASSIGN_OR_RETURN(header.version, in.read<std::uint32_t>("the version"));
    const std::uint32_t swapped = __builtin_bswap32(header.version);
    if (header.version > 0xFFFF && swapped <= 0xFFFF)
        return Error{Errc::Unsupported,
                     fmt::format("{}: this is a big-endian GGUF file (version {}), expected a "
                                 "little-endian one",
                                 in.file(), swapped)};
    if (header.version != 2 && header.version != 3)
        return Error{Errc::Unsupported, fmt::format("{}: GGUF version {}, expected 2 or 3",
                                                    in.file(), header.version)};
    ALCOVE_ASSIGN_OR_RETURN(header.n_tensors, in.read<std::uint64_t>("the tensor count"));
    ALCOVE_ASSIGN_OR_RETURN(header.n_key_values, in.read<std::uint64_t>("the metadata count"));
    if (header.n_key_values > in.remaining() / kMinKeyValueBytes)
        return in.fail(
            fmt::format("the header claims {} metadata entries, but {} bytes remain in the file",
                        header.n_key_values, in.remaining()));
    if (header.n_tensors > in.remaining() / kMinTensorInfoBytes)
        return in.fail(fmt::format("the header claims {} tensors, but {} bytes remain in the file",
                                   header.n_tensors, in.remaining()));
    return header;
}

std::size_t value_width(GgufValueType type) {
    switch (type) {
    case GgufValueType::U8:
    case GgufValueType::I8:
    case GgufValueType::Bool:
        return 1;
    case GgufValueType::U16:
    case GgufValueType::I16:
        return 2;
    case GgufValueType::U32:
    case GgufValueType::I32:
    case GgufValueType::F32:
        return 4;
    case GgufValueType::U64:
    case GgufValueType::I64:
    case GgufValueType::F64:
        return 8;
    case GgufValueType::String:
    case GgufValueType::Array:
        break;
    }
    return 0;
}

template <typename T> T load(const std::byte* at) {
    T value{};
    std::memcpy(&value, at, sizeof(T));
    return value;
}

std::int64_t load_integer(GgufValueType type, const std::byte* at) {
    switch (type) {
    case GgufValueType::U8:
        return load<std::uint8_t>(at);
    case GgufValueType::I8:
        return load<std::int8_t>(at);
    case GgufValueType::Bool:
        return load<std::uint8_t>(at);
    case GgufValueType::U16:
        return load<std::uint16_t>(at);
    case GgufValueType::I16:
        return load<std::int16_t>(at);
    case GgufValueType::U32:
        return load<std::uint32_t>(at);
    case GgufValueType::I32:
        return load<std::int32_t>(at);
    default:
        return load<std::int64_t>(at); // U64 keeps its bits
    }
}

Result<GgufValueType> read_value_type(GgufCursor& in, std::string_view what) {
    ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t raw, in.read<std::uint32_t>("a value type"));
    if (raw > static_cast<std::uint32_t>(GgufValueType::F64))
        return in.fail(
            fmt::format("{} has the unknown value type {}, expected 0 to 12", what, raw));
    return static_cast<GgufValueType>(raw);
}

Result<GgufValue> read_value(GgufCursor& in, GgufValueType type, std::string_view what, int depth);

Result<std::shared_ptr<const GgufArray>> read_array(GgufCursor& in, std::string_view what,
                                                    int depth) {
    if (depth > kMaxArrayDepth)
        return in.fail(
            fmt::format("{} holds arrays nested more than {} deep", what, kMaxArrayDepth));
    auto array = std::make_shared<GgufArray>();
    ALCOVE_ASSIGN_OR_RETURN(array->element_type, read_value_type(in, what));
    ALCOVE_ASSIGN_OR_RETURN(const std::uint64_t count, in.read<std::uint64_t>("an array length"));
    const GgufValueType type = array->element_type;
    // What an element takes at least: its width, a string's length field, or an inner array's type
    // and length.
    const std::size_t width = type == GgufValueType::String  ? 8
                              : type == GgufValueType::Array ? 12
                                                             : value_width(type);
    if (count > in.remaining() / width)
        return in.fail(fmt::format("{} claims {} elements, but {} bytes remain in the file", what,
                                   count, in.remaining()));
    if (count > kMaxArrayElements)
        return in.fail(
            fmt::format("{} has {} elements, expected at most {}", what, count, kMaxArrayElements));
    array->size = static_cast<std::size_t>(count);

    if (type == GgufValueType::String) {
        std::vector<std::string_view> strings(array->size);
        for (std::string_view& text : strings) {
            ALCOVE_ASSIGN_OR_RETURN(text, in.read_string(what));
        }
        array->elements = std::move(strings);
    } else if (type == GgufValueType::Array) {
        std::vector<GgufValue> inner;
        for (std::size_t i = 0; i < array->size; ++i) {
            ALCOVE_ASSIGN_OR_RETURN(GgufValue value, read_value(in, type, what, depth + 1));
            inner.push_back(std::move(value));
        }
        array->elements = std::move(inner);
    } else {
        ALCOVE_ASSIGN_OR_RETURN(const std::byte* raw, in.read_raw(what, count, width));
        if (type == GgufValueType::F32 || type == GgufValueType::F64) {
            std::vector<double> numbers(array->size);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = type == GgufValueType::F32
                                 ? static_cast<double>(load<float>(raw + i * width))
                                 : load<double>(raw + i * width);
            array->elements = std::move(numbers);
        } else {
            std::vector<std::int64_t> numbers(array->size);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = load_integer(type, raw + i * width);
            array->elements = std::move(numbers);
        }
    }
    return std::shared_ptr<const GgufArray>(std::move(array));
}

Result<GgufValue> read_value(GgufCursor& in, GgufValueType type, std::string_view what, int depth) {
    GgufValue value;
    value.type = type;
    if (type == GgufValueType::String) {
        ALCOVE_ASSIGN_OR_RETURN(value.value, in.read_string(what));
        return value;
    }
    if (type == GgufValueType::Array) {
        ALCOVE_ASSIGN_OR_RETURN(value.value, read_array(in, what, depth));
        return value;
    }
    ALCOVE_ASSIGN_OR_RETURN(const std::byte* raw, in.read_raw(what, 1, value_width(type)));
    switch (type) {
    case GgufValueType::F32:
        value.value = static_cast<double>(load<float>(raw));
        break;
    case GgufValueType::F64:
        value.value = load<double>(raw);
        break;
    case GgufValueType::U64:
        value.value = load<std::uint64_t>(raw);
        break;
    case GgufValueType::Bool: {
        const auto byte = load<std::uint8_t>(raw);
        if (byte > 1)
            return in.fail(
                fmt::format("{} is a boolean with the byte {}, expected 0 or 1", what, byte));
        value.value = byte == 1;
        break;
    }
    default:
        value.value = load_integer(type, raw);
        break;
    }
    return value;
}

Status read_metadata(GgufCursor& in, std::uint64_t count, GgufContents& out) {
    for (std::uint64_t i = 0; i < count; ++i) {
        ALCOVE_ASSIGN_OR_RETURN(const std::string_view key,
                                in.read_string(fmt::format("the key of metadata entry {}", i)));
        if (key.empty() || key.size() > kMaxKeyBytes)
            return in.fail(
                fmt::format("the key of metadata entry {} has {} bytes, expected 1 to {}", i,
                            key.size(), kMaxKeyBytes));
        if (!is_utf8(key))
            return in.fail(
                fmt::format("the key {} of metadata entry {} is not UTF-8", quoted(key), i));
        const std::string what = fmt::format("the value of {}", quoted(key));
        ALCOVE_ASSIGN_OR_RETURN(const GgufValueType type, read_value_type(in, what));
        ALCOVE_ASSIGN_OR_RETURN(GgufValue value, read_value(in, type, what, 1));
        if (!out.values.emplace(key, std::move(value)).second)
            return in.fail(
                fmt::format("the key {} stands twice in the metadata, expected once", quoted(key)));
        out.keys.push_back(key);
    }
    return ok();
}

Status read_alignment(const GgufCursor& in, GgufContents& out) {
    const auto found = out.values.find("general.alignment");
    if (found == out.values.end())
        return ok();
    const auto* narrow = std::get_if<std::int64_t>(&found->second.value);
    const auto* wide = std::get_if<std::uint64_t>(&found->second.value);
    if (narrow == nullptr && wide == nullptr)
        return in.fail(fmt::format("general.alignment has the type {}, expected U32",
                                   gguf_value_type_name(found->second.type)));
    const std::uint64_t alignment = wide != nullptr ? *wide : static_cast<std::uint64_t>(*narrow);
    if (!std::has_single_bit(alignment) || alignment < kMinAlignment || alignment > kMaxAlignment)
        return in.fail(
            fmt::format("general.alignment is {}, expected a power of two from {} to {}",
                        wide != nullptr ? fmt::to_string(*wide) : fmt::to_string(*narrow),
                        kMinAlignment, kMaxAlignment));
    out.alignment = alignment;
    return ok();
}

/// Bytes of a tensor's data from its type and dimensions.
Result<std::uint64_t> tensor_bytes(const GgufCursor& in, const GgufTensor& tensor) {
    const QuantTraits* traits = quant_traits(tensor.type);
    if (traits == nullptr)
        return Error{
            Errc::Unsupported,
            fmt::format(
                "{}: tensor {} has the type {}, which is unknown or was removed from the format",
                in.file(), quoted(tensor.name), static_cast<std::uint32_t>(tensor.type))};
    if (tensor.dims[0] % traits->block_size != 0)
        return in.fail(
            fmt::format("tensor {} is {} with rows of {} values, expected a multiple of {}",
                        quoted(tensor.name), traits->name, tensor.dims[0], traits->block_size));
    std::uint64_t bytes = tensor.dims[0] / traits->block_size;
    bool overflow = __builtin_mul_overflow(bytes, std::uint64_t{traits->block_bytes}, &bytes);
    std::uint64_t elements = tensor.dims[0];
    for (std::size_t d = 1; d < kMaxDims && !overflow; ++d)
        overflow = __builtin_mul_overflow(bytes, tensor.dims[d], &bytes) ||
                   __builtin_mul_overflow(elements, tensor.dims[d], &elements);
    if (overflow || elements > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return in.fail(fmt::format(
            "tensor {} has the dimensions {} x {} x {} x {}, whose product is too large",
            quoted(tensor.name), tensor.dims[0], tensor.dims[1], tensor.dims[2], tensor.dims[3]));
    return bytes;
}

Result<GgufTensor> read_tensor_info(GgufCursor& in, std::uint64_t index, std::uint64_t alignment) {
    GgufTensor tensor;
    ALCOVE_ASSIGN_OR_RETURN(tensor.name,
                            in.read_string(fmt::format("the name of tensor {}", index)));
    if (tensor.name.empty() || tensor.name.size() > kMaxTensorNameBytes)
        return in.fail(fmt::format("the name of tensor {} has {} bytes, expected 1 to {}", index,
                                   tensor.name.size(), kMaxTensorNameBytes));
    if (!is_utf8(tensor.name))
        return in.fail(
            fmt::format("the name {} of tensor {} is not UTF-8", quoted(tensor.name), index));
    const std::string what = fmt::format("tensor {}", quoted(tensor.name));
    ALCOVE_ASSIGN_OR_RETURN(tensor.n_dims, in.read<std::uint32_t>(what));
    if (tensor.n_dims < 1 || tensor.n_dims > kMaxDims)
        return in.fail(
            fmt::format("{} has {} dimensions, expected 1 to {}", what, tensor.n_dims, kMaxDims));
    for (std::uint32_t d = 0; d < tensor.n_dims; ++d) {
        ALCOVE_ASSIGN_OR_RETURN(tensor.dims[d], in.read<std::uint64_t>(what));
        if (tensor.dims[d] == 0)
            return in.fail(fmt::format("dimension {} of {} is 0, expected at least 1", d, what));
    }
    ALCOVE_ASSIGN_OR_RETURN(const std::uint32_t type, in.read<std::uint32_t>(what));
    tensor.type = static_cast<QuantType>(type);
    ALCOVE_ASSIGN_OR_RETURN(tensor.offset, in.read<std::uint64_t>(what));
    ALCOVE_ASSIGN_OR_RETURN(tensor.bytes, tensor_bytes(in, tensor));
    if (tensor.offset % alignment != 0)
        return in.fail(fmt::format("the offset {} of {} is no multiple of the alignment {}",
                                   tensor.offset, what, alignment));
    return tensor;
}

/// Turns offsets within the data section into offsets within the file, and checks that all data is
/// there.
Status place_tensors(const GgufCursor& in, std::span<const std::byte> bytes, GgufContents& out) {
    const std::uint64_t begin = (in.position() + out.alignment - 1) / out.alignment * out.alignment;
    for (GgufTensor& tensor : out.tensors) {
        std::uint64_t end = 0;
        if (__builtin_add_overflow(tensor.offset, begin, &tensor.offset) ||
            __builtin_add_overflow(tensor.offset, tensor.bytes, &end) || end > bytes.size())
            return in.fail(fmt::format(
                "the data of tensor {} ({} bytes at byte {}) reaches past the end of the file, "
                "which has {} bytes: the file is cut off or damaged",
                quoted(tensor.name), tensor.bytes, tensor.offset, bytes.size()));
        tensor.data = bytes.data() + tensor.offset;
    }
    std::vector<std::size_t> order(out.tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return out.tensors[a].offset < out.tensors[b].offset;
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
        const GgufTensor& before = out.tensors[order[i - 1]];
        const GgufTensor& after = out.tensors[order[i]];
        if (before.offset + before.bytes > after.offset)
            return in.fail(fmt::format("the data of tensors {} and {} overlap at byte {}",
                                       quoted(before.name), quoted(after.name), after.offset));
    }
    return ok();
}

} // namespace

std::string_view gguf_value_type_name(GgufValueType type) noexcept {
    constexpr std::string_view kNames[] = {"U8",   "I8",     "U16",   "I16", "U32", "I32", "F32",
                                           "Bool", "String", "Array", "U64", "I64", "F64"};
    const auto index = static_cast<std::size_t>(type);
    return index < std::size(kNames) ? kNames[index] : std::string_view("unknown");
}

std::string quoted(std::string_view text) {
    constexpr std::size_t kShown = 60;
    std::string shown = "\"";
    for (const char c : text.substr(0, kShown)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F)
            shown += c;
        else
            shown += fmt::format("\\x{:02x}", byte);
    }
    return shown + (text.size() > kShown ? "…\"" : "\"");
}

bool is_utf8(std::string_view text) noexcept {
    std::size_t i = 0;
    const auto at = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    while (i < text.size()) {
        const unsigned char lead = at(i);
        std::size_t n = 1;
        unsigned char low = 0x80;
        unsigned char high = 0xBF;
        if (lead >= 0x80) {
            n = lead >= 0xC2 && lead <= 0xDF   ? 2
                : lead >= 0xE0 && lead <= 0xEF ? 3
                : lead >= 0xF0 && lead <= 0xF4 ? 4
                                               : 0;
            // The second byte's range excludes overlong forms, surrogates and code points past
            // U+10FFFF.
            low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        }
        if (n == 0 || n > text.size() - i)
            return false;
        for (std::size_t k = 1; k < n; ++k) {
            const unsigned char byte = at(i + k);
            if (byte < (k == 1 ? low : 0x80) || byte > (k == 1 ? high : 0xBF))
                return false;
        }
        i += n;
    }
    return true;
}

Result<GgufContents> parse_gguf(std::span<const std::byte> bytes, std::string_view file) {
    GgufCursor in(bytes, file);
    GgufContents contents;
    ALCOVE_ASSIGN_OR_RETURN(const Header header, read_header(in, bytes));
    contents.version = header.version;
    ALCOVE_RETURN_IF_ERROR(read_metadata(in, header.n_key_values, contents));
    ALCOVE_RETURN_IF_ERROR(read_alignment(in, contents));
    std::unordered_map<std::string_view, std::size_t> names;
    for (std::uint64_t i = 0; i < header.n_tensors; ++i) {
        ALCOVE_ASSIGN_OR_RETURN(const GgufTensor tensor,
                                read_tensor_info(in, i, contents.alignment));
        if (!names.emplace(tensor.name, i).second)
            return in.fail(
                fmt::format("two tensors have the name {}, expected one", quoted(tensor.name)));
        contents.tensors.push_back(tensor);
    }
    ALCOVE_RETURN_IF_ERROR(place_tensors(in, bytes, contents));
    return contents;
}

} // namespace alcove
