#pragma once

#include "engine/engine.h"
#include "engine/model/pass.h"
#include "engine/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace alcove {

/// Keys and values of the layers with attention in a context of n_ctx positions, as KvView
/// describes. Memory is reserved as a whole and taken from the system page by page as positions are
/// written, so a long context costs what was used of it. Movable, used by one session.
///
/// A layer without a window keeps all positions. One with a window keeps those that the next token
/// sees, as many again up to 1,024 for going back (a regenerated answer), and room for the batch.
/// Its rows lie in order without a break: when the room is used up, those that are still wanted
/// move to the front.
class KvCache {
public:
    /// Errc::Memory if the address space or the system's limits do not allow it.
    static Result<KvCache> create(const model::HParams& hparams, KvType type, std::int32_t n_ctx,
                                  std::int32_t n_batch);
    /// Bytes when full.
    static std::uint64_t bytes(const model::HParams& hparams, KvType type, std::int32_t n_ctx,
                               std::int32_t n_batch);

    /// Before a batch of at most n_batch tokens at `first_pos`, which holds() was true for: makes
    /// room for its rows.
    void make_room(std::int32_t first_pos, std::int32_t n_tokens);
    /// Whether everything is still there that a token at `position` sees. Always for position 0;
    /// false where windows have moved past what it needs: then the context is read again from its
    /// begin.
    [[nodiscard]] bool holds(std::int32_t position) const;

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
    struct Layer {
        std::int32_t n_heads = 0, window = 0, go_back = 0;
    };
    std::vector<std::byte*> keys_, values_;
    std::vector<model::KvRows> rows_;
    std::vector<Layer> layers_;
    model::KvView view_;
};

} // namespace alcove
