#include "engine/session/kv_cache.h"

#include "engine/kernels/kernel_table.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <sys/mman.h>

namespace alcove {

namespace {

/// Positions before the window that stay, to go back to.
std::int32_t go_back_of(const model::LayerParams& layer) {
    constexpr std::int32_t kMost = 1024;
    return std::min(layer.window, kMost);
}

std::int32_t rows_of(const model::LayerParams& layer, std::int32_t n_ctx, std::int32_t n_batch) {
    if (layer.window <= 0)
        return n_ctx;
    // Moving rows to the front every `kMost` positions costs less than a row per token.
    constexpr std::int32_t kMost = 512;
    const std::int64_t rows =
        std::int64_t{layer.window} + go_back_of(layer) + std::min(layer.window, kMost) + n_batch;
    return static_cast<std::int32_t>(std::min<std::int64_t>(rows, n_ctx));
}

std::uint64_t side_bytes(const model::HParams& hparams, const model::LayerParams& layer,
                         KvType type, std::int32_t n_rows) {
    const std::uint64_t row =
        kv_row_bytes(static_cast<std::uint8_t>(type), static_cast<std::size_t>(hparams.head_dim));
    // Factors are below 2^17, 2^16 and 2^31: the product stays within 64 bits.
    const std::uint64_t n =
        row * static_cast<std::uint64_t>(layer.n_head_kv) * static_cast<std::uint64_t>(n_rows);
    return (n + 63) / 64 * 64;
}

} // namespace

std::uint64_t KvCache::bytes(const model::HParams& hparams, KvType type, std::int32_t n_ctx,
                             std::int32_t n_batch) {
    std::uint64_t total = 0;
    for (const model::LayerParams& layer : hparams.layers) {
        const std::uint64_t sides =
            2 * side_bytes(hparams, layer, type, rows_of(layer, n_ctx, n_batch));
        if (sides > std::numeric_limits<std::uint64_t>::max() / 2 - total)
            return std::numeric_limits<std::uint64_t>::max() / 2;
        total += sides;
    }
    return total;
}

Result<KvCache> KvCache::create(const model::HParams& hparams, KvType type, std::int32_t n_ctx,
                                std::int32_t n_batch) {
    KvCache cache;
    // At least one page, where no layer has keys.
    cache.n_bytes_ = std::max<std::uint64_t>(bytes(hparams, type, n_ctx, n_batch), 4096);
    void* memory = mmap(nullptr, cache.n_bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return Error{Errc::Memory,
                     fmt::format("no memory for the cache of a context of {} tokens: {} MiB", n_ctx,
                                 cache.n_bytes_ >> 20U)};
    cache.memory_ = {static_cast<std::byte*>(memory), Unmap{cache.n_bytes_}};
    std::byte* next = cache.memory_.get();
    for (const model::LayerParams& layer : hparams.layers) {
        const std::int32_t n_rows = rows_of(layer, n_ctx, n_batch);
        const std::uint64_t n = side_bytes(hparams, layer, type, n_rows);
        cache.rows_.push_back({.first = 0, .n_rows = n_rows});
        cache.layers_.push_back({layer.n_head_kv, layer.window, go_back_of(layer)});
        cache.keys_.push_back(next);
        cache.values_.push_back(next + n);
        next += 2 * n;
    }
    cache.view_ = {.keys = cache.keys_,
                   .values = cache.values_,
                   .rows = cache.rows_,
                   .row_bytes = kv_row_bytes(static_cast<std::uint8_t>(type),
                                             static_cast<std::size_t>(hparams.head_dim)),
                   .kv_type = static_cast<std::uint8_t>(type)};
    return cache;
}

bool KvCache::holds(std::int32_t position) const {
    for (std::size_t il = 0; il < rows_.size(); ++il) {
        const std::int32_t first_seen = position - layers_[il].window + 1;
        if (rows_[il].first > 0 && position > 0 && first_seen < rows_[il].first)
            return false;
    }
    return true;
}

void KvCache::make_room(std::int32_t first_pos, std::int32_t n_tokens) {
    for (std::size_t il = 0; il < rows_.size(); ++il) {
        model::KvRows& rows = rows_[il];
        if (first_pos == 0)
            rows.first = 0;
        if (first_pos + n_tokens <= rows.first + rows.n_rows)
            continue;
        const Layer& layer = layers_[il];
        const std::int32_t first =
            std::max(rows.first, first_pos - layer.window + 1 - layer.go_back);
        const std::size_t head_bytes = static_cast<std::size_t>(rows.n_rows) * view_.row_bytes;
        const std::size_t from = static_cast<std::size_t>(first - rows.first) * view_.row_bytes;
        const std::size_t count = static_cast<std::size_t>(first_pos - first) * view_.row_bytes;
        for (std::byte* side : {keys_[il], values_[il]})
            for (std::int32_t head = 0; head < layer.n_heads; ++head, side += head_bytes)
                std::memmove(side, side + from, count);
        rows.first = first;
    }
}

void KvCache::Unmap::operator()(std::byte* memory) const noexcept {
    munmap(memory, n_bytes);
}

} // namespace alcove
