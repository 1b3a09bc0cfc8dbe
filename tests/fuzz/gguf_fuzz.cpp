#include "engine/format/gguf_file.h"
#include "tests/fuzz/temporary_file.h"

#include <numeric>

namespace {

/// Every byte that a successful open promises must be readable.
std::size_t touch(const alcove::GgufFile& file) {
    std::size_t sum = 0;
    for (const auto key : file.keys())
        sum += key.size() + static_cast<std::size_t>(file.find(key)->type);
    for (const auto& tensor : file.tensors()) {
        if (tensor.bytes > 0)
            sum += std::to_integer<std::size_t>(tensor.data[0]) +
                   std::to_integer<std::size_t>(tensor.data[tensor.bytes - 1]);
        sum += file.find_tensor(tensor.name)->bytes;
    }
    return sum;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const alcove::fuzz::TemporaryFile bytes(data, size);
    const auto file = alcove::GgufFile::open(bytes.path(), {.use_mmap = (size % 2) == 0});
    if (file) {
        volatile std::size_t sum = touch(**file);
        (void)sum;
    } else if (file.error().message.empty()) {
        std::abort(); // a refusal without a sentence
    }
    return 0;
}
