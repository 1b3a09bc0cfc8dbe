#pragma once

#include "engine/model/pass.h"

namespace alcove::model {

/// Runs `batch` on `n_threads` threads (at most the workspace's) and returns true, or false if a
/// stop request cut it short: then logits and the cache rows of the batch are worthless, everything
/// before them is untouched. Allocates nothing. Results do not depend on n_threads.
/// `n_usable`: processors that this process may use; with more threads than that nobody spins.
bool forward(const LoadedModel& model, const KernelTable& kernels, Workspace& workspace,
             const KvView& kv, const Batch& batch, std::int32_t n_threads, std::int32_t n_usable);

} // namespace alcove::model
