#include "app/cli/adapter_options.h"
#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "engine/format/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace alcove::cli {
namespace {

struct PerplexityOptions {
    ModelOptions model;
    std::string file;
    std::int32_t stride = 0;
    bool json = false;
};

/// A window of the text and the first position in it whose next token counts.
struct Window {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t first_counted = 0; // position within the window; it predicts the token after it
};

/// Without a stride: disjoint windows, the second half of each counts, an incomplete last one is
/// left out. With one: windows that advance by it, each prediction counted once, in the window that
/// gives it the most context.
std::vector<Window> plan_windows(std::size_t n_tokens, std::size_t n_ctx, std::size_t stride) {
    std::vector<Window> windows;
    if (stride == 0) {
        for (std::size_t begin = 0; begin + n_ctx <= n_tokens; begin += n_ctx)
            windows.push_back({begin, begin + n_ctx, n_ctx / 2});
        return windows;
    }
    std::size_t counted_to =
        1; // tokens before this place are predicted already; the first has no prediction
    for (std::size_t begin = 0; counted_to < n_tokens; begin += stride) {
        const std::size_t end = std::min(begin + n_ctx, n_tokens);
        if (end <= counted_to)
            break;
        windows.push_back({begin, end, counted_to - 1 - begin});
        counted_to = end;
    }
    return windows;
}

double negative_log_likelihood(std::span<const float> logits, TokenId target) {
    const float max = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits)
        sum += std::exp(static_cast<double>(logit - max));
    return std::log(sum) + static_cast<double>(max) -
           static_cast<double>(logits[static_cast<std::size_t>(target)]);
}

Result<int> perplexity(Invocation& invocation, PerplexityOptions options) {
    Console& console = invocation.console;
    ALCOVE_ASSIGN_OR_RETURN(const std::string text, read_text(options.file));
    ALCOVE_ASSIGN_OR_RETURN(const auto model, load_model(invocation, options.model));
    const std::int32_t trained = model->info().n_ctx_train;
    if (options.model.ctx == 0)
        options.model.ctx = trained > 0 ? std::min(512, trained) : 512;
    const auto n_ctx = static_cast<std::size_t>(options.model.ctx);
    if (n_ctx < 4)
        return Error{Errc::InvalidArgument, fmt::format("--ctx is {}, expected at least 4", n_ctx)};
    if (options.stride > options.model.ctx - 1)
        return Error{Errc::InvalidArgument,
                     fmt::format("--stride is {}, expected less than the context of {}",
                                 options.stride, n_ctx)};
    const std::vector<TokenId> tokens = model->tokenizer().encode(text);
    const std::vector<Window> windows =
        plan_windows(tokens.size(), n_ctx, static_cast<std::size_t>(options.stride));
    if (windows.empty())
        return Error{Errc::Format, fmt::format("{}: the text has {} tokens, expected at least {}",
                                               display_path(options.file), tokens.size(),
                                               options.stride > 0 ? 2 : n_ctx)};
    ALCOVE_ASSIGN_OR_RETURN(const auto session, create_session(invocation, model, options.model));
    if (session->n_ctx() < options.model.ctx)
        return Error{Errc::ContextFull, fmt::format("--ctx is {}, but this model's context is {}",
                                                    n_ctx, session->n_ctx())};

    double sum = 0;
    std::size_t n_counted = 0;
    for (std::size_t w = 0; w < windows.size(); ++w) {
        const Window& window = windows[w];
        std::vector<TokenId> chunk(tokens.begin() + static_cast<std::ptrdiff_t>(window.begin),
                                   tokens.begin() + static_cast<std::ptrdiff_t>(window.end));
        if (model->tokenizer().add_bos())
            chunk.front() = model->tokenizer().bos();
        Session::EvaluateOptions evaluate;
        evaluate.logits_from = static_cast<std::int32_t>(window.first_counted);
        ALCOVE_ASSIGN_OR_RETURN(const auto found,
                                session->evaluate(chunk, evaluate, console.stop_token()));
        const auto n_vocab = static_cast<std::size_t>(found.n_vocab);
        for (std::size_t i = window.first_counted; i + 1 < chunk.size(); ++i) {
            const std::span<const float> row(
                found.logits.data() + (i - window.first_counted) * n_vocab, n_vocab);
            sum += negative_log_likelihood(row, chunk[i + 1]);
            ++n_counted;
        }
        console.progress(fmt::format("Chunk {} of {}: perplexity {:.4f}", w + 1, windows.size(),
                                     std::exp(sum / static_cast<double>(n_counted))));
    }
    console.progress({});
    const double value = std::exp(sum / static_cast<double>(n_counted));
    if (!std::isfinite(value))
        return Error{Errc::Numeric, "the perplexity is not a number: the model's output is not"};
    if (options.json)
        console.out(to_line(Json{
            {"ppl", value}, {"tokens", n_counted}, {"chunks", windows.size()}, {"n_ctx", n_ctx}}));
    else
        console.out(fmt::format("Perplexity {:.4f} over {} predictions in {} chunks of {} tokens\n",
                                value, n_counted, windows.size(), n_ctx));
    return kDone;
}

} // namespace

CommandBody add_perplexity(CLI::App& command) {
    auto options = std::make_shared<PerplexityOptions>();
    add_model_options(command, options->model);
    command.get_option("--ctx")->description("Tokens per chunk (0: 512)");
    command.add_option("-f,--file", options->file, "The text (-: standard input)")->required();
    command
        .add_option("--stride", options->stride,
                    "Windows advance by N tokens instead of being disjoint")
        ->check(CLI::Range(1, 1 << 24));
    command.add_flag("--json", options->json, "Print one JSON document");
    return [options](Invocation& invocation) { return perplexity(invocation, *options); };
}

} // namespace alcove::cli
