#include "engine/session/memory_need.h"

#include "engine/cpu.h"
#include "engine/session/kv_cache.h"
#include "engine/session/recurrent_state.h"

#include <algorithm>
#include <fmt/format.h>

namespace alcove {

namespace {

constexpr std::int32_t kDefaultContext = 4096;
constexpr std::int32_t kMaxThreads = 512;

Error out_of_range(std::string_view what, std::int64_t found, std::int64_t min, std::int64_t max) {
    return Error{Errc::InvalidArgument,
                 fmt::format("{} is {}, expected {} to {}", what, found, min, max)};
}

std::uint64_t mebibytes(std::uint64_t bytes) {
    return (bytes + (1U << 20U) - 1) >> 20U;
}

} // namespace

Result<SessionOptions> resolve(const SessionOptions& options, const model::HParams& hparams) {
    SessionOptions resolved = options;
    const std::int32_t trained = hparams.n_ctx_train;
    if (options.n_ctx < 0)
        return out_of_range("the context", options.n_ctx, 0, INT32_MAX);
    if (options.n_batch < 1)
        return out_of_range("the batch", options.n_batch, 1, INT32_MAX);
    if (options.n_threads < 0 || options.n_threads > kMaxThreads)
        return out_of_range("the number of threads", options.n_threads, 0, kMaxThreads);
    if (options.n_ctx == 0)
        resolved.n_ctx = kDefaultContext;
    if (trained > 0)
        resolved.n_ctx = std::min(resolved.n_ctx, trained);
    resolved.n_batch = std::min(options.n_batch, resolved.n_ctx);
    if (options.n_threads == 0)
        resolved.n_threads = default_threads();
    constexpr std::int32_t kQ8Block = 32;
    if (options.kv_type == KvType::Q8_0 && hparams.head_dim % kQ8Block != 0)
        return Error{Errc::Unsupported,
                     fmt::format("a q8_0 cache needs heads of a multiple of {} values, this model "
                                 "has {}",
                                 kQ8Block, hparams.head_dim)};
    return resolved;
}

model::Workspace::Shape workspace_shape(const SessionOptions& resolved) {
    return {.n_batch = resolved.n_batch,
            .n_threads = resolved.n_threads,
            .n_ctx = resolved.n_ctx,
            .float_activations = resolved.activations == Activations::F32};
}

MemoryEstimate memory_need(const model::LoadedModel& model, const SessionOptions& resolved,
                           const KernelTable& kernels) {
    // What a vocabulary entry takes in the tokenizer's tables, as measured, rounded up.
    constexpr std::uint64_t kBytesPerToken = 200;
    MemoryEstimate need;
    for (const GgufTensor& tensor : model.file->tensors())
        need.weights_bytes += tensor.bytes;
    need.kv_bytes =
        KvCache::bytes(model.hparams, resolved.kv_type, resolved.n_ctx, resolved.n_batch) +
        RecurrentState::bytes(model.hparams);
    const auto n_vocab = static_cast<std::uint64_t>(model.hparams.n_vocab);
    need.work_bytes = model::Workspace::bytes(model.hparams, workspace_shape(resolved), kernels) +
                      n_vocab * (sizeof(float) + kBytesPerToken);
    return need;
}

Status check_memory(const model::LoadedModel& model, const SessionOptions& resolved,
                    const KernelTable& kernels, std::uint64_t available_bytes) {
    const MemoryEstimate need = memory_need(model, resolved, kernels);
    if (available_bytes == 0 || need.total_bytes() <= available_bytes)
        return ok();
    // The need grows with the context, so halving finds the longest one that fits.
    std::int32_t fits = 0;
    std::int32_t too_long = resolved.n_ctx;
    while (too_long - fits > 1) {
        SessionOptions shorter = resolved;
        shorter.n_ctx = fits + (too_long - fits) / 2;
        shorter.n_batch = std::min(shorter.n_batch, shorter.n_ctx);
        const bool small_enough =
            memory_need(model, shorter, kernels).total_bytes() <= available_bytes;
        (small_enough ? fits : too_long) = shorter.n_ctx;
    }
    const std::string advice = fits >= 1 ? fmt::format("a context of {} would fit", fits)
                                         : std::string("no context would fit");
    return Error{Errc::Memory,
                 fmt::format("a context of {} tokens needs {} MiB (weights {}, cache {}, scratch "
                             "{}), but {} MiB are available; {}",
                             resolved.n_ctx, mebibytes(need.total_bytes()),
                             mebibytes(need.weights_bytes), mebibytes(need.kv_bytes),
                             mebibytes(need.work_bytes), available_bytes >> 20U, advice)};
}

} // namespace alcove
