#pragma once

#include "engine/engine.h"
#include "engine/model/pass.h"
#include "engine/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace alcove {

/// Keys and values of every layer for n_ctx positions, as KvView describes. Memory is reserved as a
/// whole and taken from the system page by page as positions are written, so a long context costs
/// what was used of it. Movable, used by one session.
class KvCache {
public:
    /// Errc::Memory if the address space or the system's limits do not allow it.
    static Result<KvCache> create(const model::HParams& hparams, KvType type, std::int32_t n_ctx);
    /// Bytes when full.
    static std::uint64_t bytes(const model::HParams& hparams, KvType type, std::int32_t n_ctx);

    const model::KvView& view() const { return view_; }
    std::uint64_t reserved_bytes() const { return n_bytes_; }

    KvCache(KvCache&&) noexcept = default;
    KvCache& operator=(KvCache&&) noexcept = default;

private:
    KvCache() = default;

    struct Unmap {
        std::size_t n_bytes;
        void operator()(std::byte* memory) const noexcept;
    };
    std::unique_ptr<std::byte, Unmap> memory_{nullptr, Unmap{0}};
    std::uint64_t n_bytes_ = 0;
    std::vector<std::byte*> keys_, values_;
    model::KvView view_;
};

} // namespace alcove
