#include "engine/model/forward.h"

#include "engine/model/blocks/embedding.h"
#include "engine/model/blocks/head.h"
#include "engine/model/blocks/layer.h"

#include <cstring>

namespace alcove::model {

namespace {

void keep_rows(const Pass& pass, float* node) {
    if (node == nullptr)
        return;
    const auto n_embd = static_cast<std::size_t>(pass.hp().n_embd);
    if (pass.single() && pass.thread() != 0)
        return;
    pass.for_rows([&](std::int32_t row) {
        std::memcpy(node + static_cast<std::size_t>(row) * n_embd, pass.h(row),
                    n_embd * sizeof(float));
    });
}

/// The whole pass as one thread sees it.
void run(Pass& pass) {
    const Batch& batch = pass.batch();
    embed(pass);
    if (batch.nodes != nullptr)
        keep_rows(pass, batch.nodes->embd);
    for (std::int32_t il = 0; il < pass.hp().n_layer; ++il) {
        layer(pass, il);
        if (batch.nodes != nullptr && !batch.nodes->l_out.empty())
            keep_rows(pass, batch.nodes->l_out[static_cast<std::size_t>(il)]);
        if (batch.observer != nullptr && pass.thread() == 0)
            batch.observer->layer_done(il);
    }
    head(pass);
}

} // namespace

bool forward(const LoadedModel& model, const KernelTable& kernels, Workspace& workspace,
             const KvView& kv, const Batch& batch, std::int32_t n_threads, std::int32_t n_usable) {
    PassShared shared{model, kernels, workspace, kv, batch};
    const std::int32_t n = workspace.workers.prepare(n_threads, n_usable);
    workspace.team.begin(n, n_usable);
    workspace.workers.run(n, [&](std::int32_t thread) {
        Pass pass(shared, thread);
        run(pass);
    });
    return !shared.stopped.load(std::memory_order_relaxed);
}

} // namespace alcove::model
