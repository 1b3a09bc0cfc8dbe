#pragma once

#include "engine/adapter/adapter.h"
#include "engine/adapter/adapter_file.h"
#include "engine/adapter/slot.h"

#include <memory>
#include <span>
#include <vector>

namespace alcove {

/// The Adapter that Adapter::load makes.
class EngineAdapter final : public Adapter {
public:
    EngineAdapter(AdapterInfo info, std::vector<adapter::Slot> slots,
                  std::shared_ptr<const GgufFile> base)
        : info_(std::move(info)), slots_(std::move(slots)), base_(std::move(base)) {}

    const AdapterInfo& info() const override { return info_; }
    std::span<const adapter::Slot> slots() const { return slots_; }
    /// The file whose weights the slots name: they fit no other, not even a copy.
    const GgufFile* base() const { return base_.get(); }

private:
    AdapterInfo info_;
    std::vector<adapter::Slot> slots_;
    std::shared_ptr<const GgufFile> base_;
};

namespace adapter {

/// A pair and the matrix of the base that it is for.
struct Match {
    const Pair* pair = nullptr;
    const GgufTensor* tensor = nullptr;
    std::int32_t layer = -1; ///< −1: embedding or head
};
/// Finds the matrices of `base` for the pairs of `file`, which outlives the result. Refuses what
/// does not fit ("target", "layer_range", "shape", "architecture", "empty"); adds warnings to
/// file.info.
Result<std::vector<Match>> match(AdapterFile& file, const model::LoadedModel& base,
                                 const Refusal& refuse);
/// The slots of an adapter of `kind`: copies of the factors, as forward passes read them.
std::vector<Slot> pack(AdapterKind kind, std::span<const Match> matches,
                       const model::LoadedModel& base);
/// Whether the rows of the pair's B change their places in `base`.
inline bool rows_move(const Pair& pair, const model::LoadedModel& base) {
    return pair.order == RowOrder::HalfSplit && base.architecture->rope_interleaved;
}

/// Reads and checks the file at `path`; `base` may be null.
Result<AdapterFile> read_adapter_file(const std::filesystem::path& path,
                                      const model::LoadedModel* base, const AdapterOptions& options,
                                      const std::stop_token& stop);

/// is_adapter_file(), except that it may throw.
bool says_adapter(const std::filesystem::path& path);

} // namespace adapter
} // namespace alcove
