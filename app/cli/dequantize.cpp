#include "app/cli/command.h"
#include "app/cli/files.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/memory_map.h"
#include "engine/quant/decode.h"
#include "engine/quant/quant_type.h"

#include <fmt/format.h>

#include <algorithm>

// Raw blocks of one type to raw float32: the check of a weight type without a model around it.
namespace alcove::cli {
namespace {

struct DequantizeOptions {
    std::string type, in, out;
};

Result<int> dequantize(const DequantizeOptions& options) {
    const auto type = quant_type_from_name(options.type);
    const QuantTraits* traits = type.has_value() ? quant_traits(*type) : nullptr;
    if (traits == nullptr)
        return Error{Errc::InvalidArgument,
                     fmt::format("--type is \"{}\", which is no weight type", options.type)};
    if (!traits->runnable)
        return Error{
            Errc::Unsupported,
            fmt::format("weights of the type {} cannot be decoded by this version", traits->name)};
    ALCOVE_ASSIGN_OR_RETURN(const MemoryMap in, MemoryMap::open(options.in, MemoryMap::Mode::Map));
    const auto bytes = in.bytes();
    if (bytes.size() % traits->block_bytes != 0)
        return Error{
            Errc::Format,
            fmt::format("{}: the file has {} bytes, expected a multiple of {} (a block of {})",
                        display_path(options.in), bytes.size(), traits->block_bytes, traits->name)};
    const std::size_t n_blocks = bytes.size() / traits->block_bytes;
    std::vector<float> values(n_blocks * traits->block_size);
    decode_row(*type, values.size(), bytes.data(), values.data());
    if (!in.is_unchanged())
        return Error{Errc::Io, fmt::format("{}: the file changed while it was read",
                                           display_path(options.in))};
    ALCOVE_RETURN_IF_ERROR(
        write_file_atomically(options.out, std::as_bytes(std::span<const float>(values))));
    return kDone;
}

} // namespace

CommandBody add_dequantize(CLI::App& command) {
    auto options = std::make_shared<DequantizeOptions>();
    command.add_option("--type", options->type, "Weight type: Q4_K, F16, …")->required();
    command.add_option("IN", options->in, "File of raw blocks")->required();
    command.add_option("OUT", options->out, "File of raw float32 to write")->required();
    return [options](Invocation&) { return dequantize(*options); };
}

} // namespace alcove::cli
