#include "engine/model/workspace.h"

#include <gtest/gtest.h>

namespace alcove::model {
namespace {

constexpr Workspace::Shape kShape{.n_batch = 64, .n_threads = 2, .n_ctx = 1024};

HParams two_layers() {
    HParams hp;
    hp.n_embd = 128;
    hp.head_dim = 32;
    hp.rope_dims = 32;
    hp.layers.resize(2);
    for (LayerParams& layer : hp.layers) {
        layer.n_head = 4;
        layer.n_head_kv = 2;
        layer.n_ff = 256;
    }
    return hp;
}

HParams two_mixtures() {
    HParams hp = two_layers();
    hp.experts = {.n = 8, .n_used = 2, .n_ff = 64};
    for (LayerParams& layer : hp.layers)
        layer.has_experts = true;
    return hp;
}

std::size_t bytes(const HParams& hp) {
    return Workspace::bytes(hp, kShape, kernel_table(Isa::Scalar));
}

TEST(Workspace, TheDenseWidthOfAMixtureTakesNoRoom) {
    HParams wide = two_mixtures();
    for (LayerParams& layer : wide.layers)
        layer.n_ff = 1 << 16;
    EXPECT_EQ(bytes(wide), bytes(two_mixtures()));
    wide.layers.front().has_experts = false; // one layer that is dense needs it
    EXPECT_GT(bytes(wide), bytes(two_mixtures()) + (std::size_t{64} << 16U));
}

TEST(Workspace, WideExpertsWidenTheirOwnRowsOnly) {
    HParams hp = two_mixtures();
    const std::size_t narrow = bytes(hp);
    constexpr std::size_t kMore = 4096;
    hp.experts.n_ff += kMore;
    // Two rows of floats and one of quantised values for each token and each expert it chose.
    const std::size_t per_slot =
        2 * kMore * sizeof(float) + act_row_bytes(ActType::Q15_32, kMore + 64);
    const std::size_t n_slots = 64 * 2;
    const KernelTable& kernels = kernel_table(Isa::Scalar);
    const std::size_t scratch = kernels.matmul_scratch_bytes(kMore + 64);
    const std::size_t per_thread = scratch + 2 * act_row_bytes(ActType::Q15_32, kMore + 64);
    EXPECT_LE(bytes(hp), narrow + n_slots * per_slot + 2 * per_thread);
}

TEST(Workspace, LayersWithoutAttentionHaveNoGroups) {
    HParams hp = two_layers();
    const std::size_t before = bytes(hp);
    hp.layers.front().mixer = Mixer::ShortConv;
    hp.layers.front().n_head_kv = 0;
    EXPECT_EQ(bytes(hp), before);
}

} // namespace
} // namespace alcove::model
