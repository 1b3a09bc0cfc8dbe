#include "engine/session/kv_cache.h"

#include "engine/kernels/kernel_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <sys/mman.h>

namespace alcove {

namespace {

std::uint64_t side_bytes(const model::HParams& hparams, const model::LayerParams& layer,
                         KvType type, std::int32_t n_ctx) {
    const std::uint64_t row =
        kv_row_bytes(static_cast<std::uint8_t>(type), static_cast<std::size_t>(hparams.head_dim));
    // Factors are below 2^17, 2^16 and 2^31: the product stays within 64 bits.
    const std::uint64_t n =
        row * static_cast<std::uint64_t>(layer.n_head_kv) * static_cast<std::uint64_t>(n_ctx);
    return (n + 63) / 64 * 64;
}

} // namespace

std::uint64_t KvCache::bytes(const model::HParams& hparams, KvType type, std::int32_t n_ctx) {
    std::uint64_t total = 0;
    for (const model::LayerParams& layer : hparams.layers) {
        const std::uint64_t sides = 2 * side_bytes(hparams, layer, type, n_ctx);
        if (sides > std::numeric_limits<std::uint64_t>::max() / 2 - total)
            return std::numeric_limits<std::uint64_t>::max() / 2;
        total += sides;
    }
    return total;
}

Result<KvCache> KvCache::create(const model::HParams& hparams, KvType type, std::int32_t n_ctx) {
    KvCache cache;
    // At least one page, where no layer has keys.
    cache.n_bytes_ = std::max<std::uint64_t>(bytes(hparams, type, n_ctx), 4096);
    void* memory = mmap(nullptr, cache.n_bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return Error{Errc::Memory,
                     fmt::format("no memory for the cache of a context of {} tokens: {} MiB", n_ctx,
                                 cache.n_bytes_ >> 20U)};
    cache.memory_ = {static_cast<std::byte*>(memory), Unmap{cache.n_bytes_}};
    std::byte* next = cache.memory_.get();
    for (const model::LayerParams& layer : hparams.layers) {
        const std::uint64_t n = side_bytes(hparams, layer, type, n_ctx);
        cache.keys_.push_back(next);
        cache.values_.push_back(next + n);
        next += 2 * n;
    }
    cache.view_ = {.keys = cache.keys_,
                   .values = cache.values_,
                   .row_bytes = kv_row_bytes(static_cast<std::uint8_t>(type),
                                             static_cast<std::size_t>(hparams.head_dim)),
                   .n_ctx = n_ctx,
                   .kv_type = static_cast<std::uint8_t>(type)};
    return cache;
}

void KvCache::Unmap::operator()(std::byte* memory) const noexcept {
    munmap(memory, n_bytes);
}

} // namespace alcove
