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

/// The pairs of `file` as slots of `base`. Refuses what does not fit ("target", "layer_range",
/// "expert_range", "shape", "architecture"); adds warnings to file.info.
Result<std::vector<Slot>> bind(AdapterFile& file, const model::LoadedModel& base,
                               const Refusal& refuse);

/// Reads and checks the file at `path`; `base` may be null.
Result<AdapterFile> read_adapter_file(const std::filesystem::path& path,
                                      const model::LoadedModel* base, const AdapterOptions& options,
                                      const std::stop_token& stop);

/// is_adapter_file(), except that it may throw.
bool says_adapter(const std::filesystem::path& path);

} // namespace adapter
} // namespace alcove
