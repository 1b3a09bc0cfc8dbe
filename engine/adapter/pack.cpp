#include "engine/adapter/engine_adapter.h"
#include "engine/kernels/kernel_table.h"
#include "engine/quant/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>

/// Laying out matched pairs as the forward passes read them.
namespace alcove::adapter {

namespace {

/// Row `row` of the base for row `row` of a matrix whose heads have rotation pairs (i, i + n/2),
/// where the base has (2i, 2i + 1): conversion to GGUF has interleaved the halves of each head.
std::int64_t interleaved_row(std::int64_t row, std::int64_t head_dim) {
    const std::int64_t head = row / head_dim;
    const std::int64_t within = row % head_dim;
    const std::int64_t half = head_dim / 2;
    return head * head_dim + 2 * (within % half) + within / half;
}

/// The power of two that brings the largest of `values` to [1, 2); 1 for zeros.
float to_unit(std::span<const float> values) {
    float largest = 0;
    for (const float value : values)
        largest = std::max(largest, std::abs(value));
    return largest > 0 && std::isnormal(largest) ? std::ldexp(1.0F, -std::ilogb(largest)) : 1.0F;
}

std::vector<std::uint16_t> to_halves(std::span<const float> values, float factor) {
    std::vector<std::uint16_t> halves(values.size());
    std::transform(values.begin(), values.end(), halves.begin(),
                   [factor](float value) { return f32_to_f16(value * factor); });
    return halves;
}

class Packer {
public:
    Packer(AdapterKind kind, const model::LoadedModel& base) : kind_(kind), base_(base) {}

    Slot pack(const Match& match) {
        const Pair& pair = *match.pair;
        Slot slot;
        slot.base = match.tensor->data;
        slot.layer = match.layer;
        slot.rank = static_cast<std::int32_t>(pair.b.n_cols);
        slot.n_in = static_cast<std::int32_t>(pair.a_by_token ? pair.a.n_rows : pair.a.n_cols);
        slot.n_out = static_cast<std::int32_t>(pair.b.n_rows);
        slot.scale = pair.scale;
        slot.embedding = pair.target == "token_embd.weight";
        slot.after_embedding_scale = pair.after_embedding_scale;
        slot.rank_one = kind_ == AdapterKind::RankOne;
        pack_a(pair, slot);
        pack_b(pair, slot);
        const bool quantised = act_type(match.tensor->type, false) != ActType::F32;
        if (quantised && !slot.rank_one && !slot.embedding)
            pack_halves(pair, slot);
        return slot;
    }

private:
    static void pack_a(const Pair& pair, Slot& slot) {
        const std::int64_t n = pair.a.n_rows * pair.a.n_cols;
        if (!slot.embedding) {
            slot.a_type = pair.a.type;
            const auto n_bytes = static_cast<std::size_t>(n) * pair.a.value_bytes();
            slot.a.assign(pair.a.data, pair.a.data + n_bytes);
            return;
        }
        slot.a.resize(static_cast<std::size_t>(n) * sizeof(float));
        for (std::int64_t token = 0; token < slot.n_in; ++token) {
            for (std::int64_t k = 0; k < slot.rank; ++k) {
                const std::int64_t at =
                    pair.a_by_token ? token * slot.rank + k : k * slot.n_in + token;
                const float value = pair.a.value(at);
                std::memcpy(slot.a.data() + (token * slot.rank + k) * 4, &value, 4);
            }
        }
    }

    static void pack_halves(const Pair& pair, Slot& slot) {
        std::vector<float> a(static_cast<std::size_t>(pair.a.n_rows * pair.a.n_cols));
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = pair.a.value(static_cast<std::int64_t>(i));
        const float a_factor = to_unit(a);
        const float b_factor = to_unit(*slot.b);
        // What halves cannot bring back stays as it is.
        slot.half_scale = 1.0F / a_factor / b_factor;
        if (!std::isnormal(slot.half_scale))
            return;
        slot.a_half = to_halves(a, a_factor);
        slot.b_half = to_halves(*slot.b, b_factor);
    }

    void pack_b(const Pair& pair, Slot& slot) {
        const std::int64_t rank = pair.b.n_cols;
        const std::int64_t n_out = pair.b.n_rows;
        constexpr auto kPanel = static_cast<std::int64_t>(kLowRankPanel);
        const std::int64_t n_panels = (n_out + kPanel - 1) / kPanel;
        std::vector<float> b(static_cast<std::size_t>(n_panels * kPanel * rank));
        for (std::int64_t row = 0; row < n_out; ++row) {
            const std::int64_t to =
                rows_move(pair, base_) ? interleaved_row(row, base_.hparams.head_dim) : row;
            for (std::int64_t k = 0; k < rank; ++k)
                b[static_cast<std::size_t>((to / kPanel * rank + k) * kPanel + to % kPanel)] =
                    pair.b.value(row * rank + k);
        }
        slot.b = share(std::move(b));
    }

    /// Files of rank one often hold the same vector for every target.
    std::shared_ptr<const std::vector<float>> share(std::vector<float> b) {
        constexpr std::size_t kMaxFloats = std::size_t{16} * 1024;
        constexpr std::size_t kMaxKept = 64;
        if (kind_ != AdapterKind::RankOne || b.size() > kMaxFloats)
            return std::make_shared<const std::vector<float>>(std::move(b));
        for (const auto& kept : shared_) {
            // Bytes, not values: −0 is not 0.
            if (kept->size() == b.size() &&
                std::memcmp(kept->data(), b.data(), b.size() * sizeof(float)) == 0)
                return kept;
        }
        auto made = std::make_shared<const std::vector<float>>(std::move(b));
        if (shared_.size() < kMaxKept)
            shared_.push_back(made);
        return made;
    }

    AdapterKind kind_;
    const model::LoadedModel& base_;
    std::vector<std::shared_ptr<const std::vector<float>>> shared_;
};

} // namespace

std::vector<Slot> pack(AdapterKind kind, std::span<const Match> matches,
                       const model::LoadedModel& base) {
    Packer packer(kind, base);
    std::vector<Slot> slots;
    slots.reserve(matches.size());
    for (const Match& match : matches)
        slots.push_back(packer.pack(match));
    return slots;
}

} // namespace alcove::adapter
