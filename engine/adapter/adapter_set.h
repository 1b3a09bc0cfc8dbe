#pragma once

#include "engine/adapter/adapter.h"
#include "engine/adapter/slot.h"
#include "engine/format/gguf_file.h"
#include "engine/kernels/kernel_table.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace alcove::adapter {

/// A slot with the strength that it is applied with: the file's times the person's.
struct Delta {
    const Slot* slot = nullptr;
    float scale = 1;
    bool halves = false; ///< with the factors rounded to halves

    QuantType a_type() const { return halves ? QuantType::F16 : slot->a_type; }
    const void* a() const {
        return halves ? static_cast<const void*>(slot->a_half.data()) : slot->a.data();
    }
    std::size_t a_row_bytes() const {
        return halves ? static_cast<std::size_t>(slot->n_in) * 2 : slot->a_row_bytes();
    }
    QuantType b_type() const { return halves ? QuantType::F16 : QuantType::F32; }
    const void* b() const {
        return halves ? static_cast<const void*>(slot->b_half.data()) : slot->b_values();
    }
};

/// The adapters of one session as its forward passes use them, with the memory that they need: a
/// pass allocates nothing. Adapters of strength 0 are left out; those of rank one come last.
class AdapterSet {
public:
    /// Errc::Adapter for a strength out of range, an adapter of another model than `base`, or more
    /// than one of rank one. Null if nothing is to be applied. `exact`: factors are never rounded.
    static Result<std::unique_ptr<AdapterSet>> create(std::span<const AdapterUse> uses,
                                                      const GgufFile* base, std::int32_t n_batch,
                                                      bool exact);

    /// Names the set exactly: hashes and strengths, whatever the order they were given in. Empty
    /// for a set that applies nothing.
    static std::string identity(std::span<const AdapterUse> uses);

    /// What is added to products with the matrix that begins at `weights`.
    std::span<const Delta> find(const std::byte* weights) const;

    /// Adds the corrections of `token`'s embedding to h: those before the model's own scale, or
    /// those after it.
    void embed(const KernelTable& kernels, std::int32_t token, bool after_scale, float* h);

    /// [n_batch, u_width()] the inputs of a product in the space of the ranks.
    float* u() const { return u_.get(); }
    std::size_t u_width() const { return u_width_; }

    /// Set by any thread when a rank-one correction was no number: the pass is worthless.
    void fail() noexcept { failed_.store(true, std::memory_order_relaxed); }
    bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }
    void clear_failure() noexcept { failed_.store(false, std::memory_order_relaxed); }

private:
    AdapterSet() = default;

    std::vector<AdapterUse> uses_; // keeps the slots alive
    std::unordered_map<const std::byte*, std::vector<Delta>> products_;
    std::vector<Delta> embedding_;
    std::unique_ptr<float[]> u_;
    std::size_t u_width_ = 0;
    std::atomic<bool> failed_{false};
};

} // namespace alcove::adapter
