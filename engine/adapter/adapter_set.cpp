#include "engine/adapter/adapter_set.h"

#include "engine/adapter/engine_adapter.h"
#include "engine/adapter/rank_one.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>

namespace alcove::adapter {

namespace {

Status check(std::span<const AdapterUse> uses, const GgufFile* base) {
    int n_rank_one = 0;
    for (const AdapterUse& use : uses) {
        const auto* made = dynamic_cast<const EngineAdapter*>(use.adapter.get());
        if (made == nullptr)
            return Error{Errc::InvalidArgument, "an adapter is missing, expected a loaded one"};
        const AdapterInfo& info = made->info();
        if (made->base() != base)
            return Error{Errc::Adapter,
                         fmt::format("{}: the adapter was loaded for another model", info.name)};
        const Status range = check_adapter_scale(info.kind, use.scale);
        if (!range)
            return Error{Errc::Adapter, fmt::format("{}: {}", info.name, range.error().message)};
        n_rank_one += info.kind == AdapterKind::RankOne && use.scale != 0.0F ? 1 : 0;
    }
    if (n_rank_one > 1)
        return Error{Errc::Adapter, fmt::format("{} rank-one adapters are chosen, expected at most "
                                                "one at a time",
                                                n_rank_one)};
    return ok();
}

} // namespace

Result<std::unique_ptr<AdapterSet>> AdapterSet::create(std::span<const AdapterUse> uses,
                                                       const GgufFile* base, std::int32_t n_batch,
                                                       bool exact) {
    ALCOVE_RETURN_IF_ERROR(check(uses, base));
    std::unique_ptr<AdapterSet> set(new AdapterSet);
    for (const AdapterUse& use : uses) {
        if (use.scale != 0.0F)
            set->uses_.push_back(use);
    }
    if (set->uses_.empty())
        return std::unique_ptr<AdapterSet>();
    std::stable_partition(set->uses_.begin(), set->uses_.end(), [](const AdapterUse& use) {
        return use.adapter->info().kind != AdapterKind::RankOne;
    });
    // The products of one input all belong to one layer.
    std::map<std::int32_t, std::size_t> widths;
    for (const AdapterUse& use : set->uses_) {
        for (const Slot& slot : static_cast<const EngineAdapter&>(*use.adapter).slots()) {
            const bool halves = !exact && !slot.a_half.empty();
            const float scale = use.scale * slot.scale;
            const Delta delta{&slot, halves ? scale * slot.half_scale : scale, halves};
            if (slot.embedding) {
                set->embedding_.push_back(delta);
                continue;
            }
            set->products_[slot.base].push_back(delta);
            widths[slot.layer] += static_cast<std::size_t>(slot.rank);
        }
    }
    for (const auto& [layer, width] : widths)
        set->u_width_ = std::max(set->u_width_, width);
    set->u_ = std::make_unique<float[]>(set->u_width_ * static_cast<std::size_t>(n_batch));
    return set;
}

std::string AdapterSet::identity(std::span<const AdapterUse> uses) {
    std::vector<std::string> parts;
    for (const AdapterUse& use : uses) {
        if (use.adapter != nullptr && use.scale != 0.0F)
            parts.push_back(fmt::format("{}:{:08x}", use.adapter->info().sha256,
                                        std::bit_cast<std::uint32_t>(use.scale)));
    }
    std::sort(parts.begin(), parts.end());
    return fmt::format("{}", fmt::join(parts, "+"));
}

std::span<const Delta> AdapterSet::find(const std::byte* weights) const {
    const auto found = products_.find(weights);
    return found != products_.end() ? std::span<const Delta>(found->second)
                                    : std::span<const Delta>();
}

void AdapterSet::embed(const KernelTable& kernels, std::int32_t token, bool after_scale, float* h) {
    for (const Delta& delta : embedding_) {
        const Slot& slot = *delta.slot;
        if (slot.after_embedding_scale != after_scale)
            continue;
        const float* row = reinterpret_cast<const float*>(
            slot.a.data() + static_cast<std::size_t>(token) * slot.a_row_bytes());
        const auto n_out = static_cast<std::size_t>(slot.n_out);
        const auto rank = static_cast<std::size_t>(slot.rank);
        if (!slot.rank_one)
            kernels.low_rank_add(QuantType::F32, rank, slot.b_values(), 0, slot.n_out, row, rank, 1,
                                 delta.scale, h, n_out);
        else if (!rank_one_add(n_out, slot.b_values(), *row, delta.scale, h))
            fail();
    }
}

} // namespace alcove::adapter
