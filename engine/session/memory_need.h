#pragma once

#include "engine/engine.h"
#include "engine/kernels/kernel_table.h"
#include "engine/model/loaded_model.h"
#include "engine/model/workspace.h"

namespace alcove {

/// `options` with every 0 replaced by what it stands for, checked: InvalidArgument with the value
/// and the range, Unsupported for what this model cannot have. The context is at most the trained
/// one.
Result<SessionOptions> resolve(const SessionOptions& options, const model::HParams& hparams);

/// The workspace of a session with resolved options.
model::Workspace::Shape workspace_shape(const SessionOptions& resolved);

/// Memory of a session with resolved options.
MemoryEstimate memory_need(const model::LoadedModel& model, const SessionOptions& resolved,
                           const KernelTable& kernels);

/// Errc::Memory when `need` exceeds `available_bytes` (0: unknown, nothing is refused): both sizes,
/// and the longest context that would fit.
Status check_memory(const model::LoadedModel& model, const SessionOptions& resolved,
                    const KernelTable& kernels, std::uint64_t available_bytes);

} // namespace alcove
