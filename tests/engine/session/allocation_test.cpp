#include "engine/adapter/adapter_set.h"
#include "engine/adapter/engine_adapter.h"
#include "engine/model/forward.h"
#include "engine/session/kv_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>

namespace {

std::atomic<long> g_allocations{0};

void* counted(std::size_t n) {
    g_allocations.fetch_add(1);
    void* memory = std::malloc(n == 0 ? 1 : n);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

// Every allocation of this program is counted.
void* operator new(std::size_t n) {
    return counted(n);
}
void* operator new[](std::size_t n) {
    return counted(n);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace alcove {
namespace {

TEST(ForwardPass, AllocatesNothing) {
    const std::filesystem::path path =
        std::filesystem::path(ALCOVE_TEST_DATA) / "models/llama/model.gguf";
    auto file = GgufFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    auto model = model::load_model(*file);
    ASSERT_TRUE(model) << model.error().message;
    auto adapter_file = adapter::read_adapter_file(
        path.parent_path().parent_path() / "lora_llama/adapter_a.gguf", &*model, {}, {});
    ASSERT_TRUE(adapter_file) << adapter_file.error().message;
    auto matches = adapter::match(*adapter_file, *model, adapter::Refusal("adapter", nullptr));
    ASSERT_TRUE(matches) << matches.error().message;
    const auto slots = adapter::pack(adapter_file->info.kind, *matches, *model);
    const AdapterUse use{std::make_shared<EngineAdapter>(adapter_file->info, slots, *file), 0.5F};
    auto set = adapter::AdapterSet::create(std::span(&use, 1), file->get(), 64, false);
    ASSERT_TRUE(set) << set.error().message;
    auto cache = KvCache::create(model->hparams, KvType::F16, 512, 64);
    ASSERT_TRUE(cache);
    for (const Isa isa : runnable_isas()) {
        const KernelTable& kernels = kernel_table(isa);
        model::Workspace workspace(*model, {.n_batch = 64, .n_threads = 3, .n_ctx = 512}, kernels);
        std::vector<TokenId> tokens(64, 300);
        std::vector<float> logits(static_cast<std::size_t>(model->hparams.n_vocab));
        for (const std::size_t n : {std::size_t{64}, std::size_t{1}}) {
            model::Batch batch;
            batch.tokens = std::span(tokens).first(n);
            batch.first_pos = n == 1 ? 400 : 0;
            batch.logits_from = static_cast<std::int32_t>(n) - 1;
            batch.logits = logits.data();
            batch.adapters = set->get();
            // The first pass starts the threads.
            for (int pass = 0; pass < 2; ++pass) {
                const long before = g_allocations.load();
                ASSERT_TRUE(model::forward(*model, kernels, workspace, cache->view(), batch, 3, 2));
                const long after = g_allocations.load();
                if (pass == 1) {
                    EXPECT_EQ(after - before, 0) << isa_name(isa) << ", " << n << " tokens";
                }
            }
        }
    }
    EXPECT_GT(g_allocations.load(), 0);
}

} // namespace
} // namespace alcove
