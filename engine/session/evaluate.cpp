#include "engine/session/engine_session.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace alcove {

namespace {

/// The nodes of one evaluation, whole, and the sink for one chunk of rows.
class NodeCollector {
public:
    NodeCollector(const model::HParams& hp, std::size_t n_tokens)
        : n_embd_(static_cast<std::size_t>(hp.n_embd)) {
        add("embd", n_tokens);
        for (std::int32_t il = 0; il < hp.n_layer; ++il)
            add(fmt::format("l_out-{}", il), n_tokens);
        add("result_norm", n_tokens);
        l_out_.resize(static_cast<std::size_t>(hp.n_layer));
    }

    /// Rows from `first` on go to the sink.
    const model::NodeSink* at(std::size_t first) {
        const auto rows = [&](std::size_t node) {
            return nodes_[node].values.data() + first * n_embd_;
        };
        for (std::size_t il = 0; il < l_out_.size(); ++il)
            l_out_[il] = rows(il + 1);
        sink_ = {.embd = rows(0), .l_out = l_out_, .result_norm = rows(nodes_.size() - 1)};
        return &sink_;
    }

    std::vector<Session::Node> take() { return std::move(nodes_); }

private:
    void add(std::string name, std::size_t n_tokens) {
        nodes_.push_back({.name = std::move(name),
                          .n_rows = static_cast<std::int32_t>(n_tokens),
                          .n_cols = static_cast<std::int32_t>(n_embd_),
                          .values = std::vector<float>(n_tokens * n_embd_)});
    }

    std::size_t n_embd_;
    std::vector<Session::Node> nodes_;
    std::vector<float*> l_out_;
    model::NodeSink sink_;
};

} // namespace

Result<Session::Evaluation> EngineSession::evaluate_or_throw(std::span<const TokenId> tokens,
                                                             const EvaluateOptions& options,
                                                             const std::stop_token& stop) {
    const model::HParams& hp = loaded().hparams;
    const auto n_vocab = static_cast<std::size_t>(hp.n_vocab);
    const std::size_t n = tokens.size();
    if (options.logits_from < 0 || static_cast<std::size_t>(options.logits_from) >= n)
        return Error{Errc::InvalidArgument, fmt::format("logits are wanted from position {}, "
                                                        "expected 0 to {}",
                                                        options.logits_from, n - 1)};
    const std::size_t from =
        options.all_logits ? static_cast<std::size_t>(options.logits_from) : n - 1;
    Evaluation result;
    result.rows = static_cast<std::int32_t>(n - from);
    result.n_vocab = hp.n_vocab;
    result.logits.resize((n - from) * n_vocab);
    result.hidden_last.resize(static_cast<std::size_t>(hp.n_embd));
    std::optional<NodeCollector> nodes;
    if (options.keep_nodes)
        nodes.emplace(hp, n);
    if (options.keep_hidden)
        result.hidden.resize(n * static_cast<std::size_t>(hp.n_embd));
    model::NodeSink hidden;

    clear();
    const std::size_t n_batch = options.per_token ? 1 : static_cast<std::size_t>(options_.n_batch);
    for (std::size_t at = 0; at < n; at += n_batch) {
        const std::size_t n_chunk = std::min(n - at, n_batch);
        const std::size_t skipped = std::min(from > at ? from - at : 0, n_chunk);
        model::Batch batch;
        batch.tokens = tokens.subspan(at, n_chunk);
        batch.logits_from = static_cast<std::int32_t>(skipped);
        float* logits = result.logits.data() + (std::max(at, from) - from) * n_vocab;
        batch.logits = logits;
        batch.hidden_last = at + n_chunk == n ? result.hidden_last.data() : nullptr;
        batch.nodes = nodes ? nodes->at(at) : nullptr;
        if (options.keep_hidden && !nodes) {
            hidden.result_norm = result.hidden.data() + at * static_cast<std::size_t>(hp.n_embd);
            batch.nodes = &hidden;
        }
        batch.stop = stop;
        if (!read(batch))
            return Error{Errc::Cancelled, "stopped on request"};
        const std::span<const float> rows(logits, (n_chunk - skipped) * n_vocab);
        if (!std::all_of(rows.begin(), rows.end(), [](float v) { return std::isfinite(v); }))
            return not_a_number(static_cast<std::int32_t>(n_chunk));
    }
    if (nodes)
        result.nodes = nodes->take();
    if (options.keep_hidden && nodes)
        result.hidden = result.nodes.back().values; // result_norm
    return result;
}

} // namespace alcove
