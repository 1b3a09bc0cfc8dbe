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

struct EmbedOptions {
    ModelOptions model;
    std::vector<std::string> texts;
    std::string file, tokens;
    std::string pooling = "mean";
    bool normalize = false;
    bool json = false;
};

using Vector = std::vector<float>;

/// One vector of `rows` [n, n_embd]: their mean, the last, or the first.
Vector pool(std::span<const float> rows, std::size_t n_embd, const std::string& pooling) {
    if (pooling == "cls")
        return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n_embd)};
    if (pooling == "last")
        return {rows.end() - static_cast<std::ptrdiff_t>(n_embd), rows.end()};
    std::vector<double> sum(n_embd);
    for (std::size_t i = 0; i < rows.size(); ++i)
        sum[i % n_embd] += static_cast<double>(rows[i]);
    const auto n = static_cast<double>(rows.size() / n_embd);
    Vector mean(n_embd);
    std::transform(sum.begin(), sum.end(), mean.begin(),
                   [n](double value) { return static_cast<float>(value / n); });
    return mean;
}

/// To length 1; zeros stay.
void normalise(Vector& vector) {
    double sum = 0;
    for (const float value : vector)
        sum += static_cast<double>(value) * static_cast<double>(value);
    if (sum <= 0)
        return;
    const double scale = 1.0 / std::sqrt(sum);
    for (float& value : vector)
        value = static_cast<float>(static_cast<double>(value) * scale);
}

Result<std::vector<std::string>> read_texts(const EmbedOptions& options) {
    if (options.file.empty())
        return options.texts;
    ALCOVE_ASSIGN_OR_RETURN(const std::string all, read_text(options.file));
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < all.size()) {
        const std::size_t end = std::min(all.find('\n', begin), all.size());
        lines.push_back(all.substr(begin, end - begin));
        if (!lines.back().empty() && lines.back().back() == '\r')
            lines.back().pop_back();
        begin = end + 1;
    }
    if (lines.empty())
        return Error{Errc::Format,
                     fmt::format("{}: there is no text, expected a line for each vector",
                                 display_path(options.file))};
    return lines;
}

/// The tokens of every text, at least one each.
Result<std::vector<std::vector<TokenId>>> read_inputs(const EmbedOptions& options,
                                                      const Model& model) {
    std::vector<std::vector<TokenId>> inputs;
    if (!options.tokens.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(inputs.emplace_back(), parse_ids(options.tokens, "--tokens"));
    } else {
        ALCOVE_ASSIGN_OR_RETURN(const std::vector<std::string> texts, read_texts(options));
        for (const std::string& text : texts)
            inputs.push_back(model.tokenizer().encode(text));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].empty())
            return Error{Errc::Format,
                         fmt::format("text {} is empty, expected at least one token", i + 1)};
    }
    return inputs;
}

Result<int> embed(Invocation& invocation, EmbedOptions options) {
    Console& console = invocation.console;
    ALCOVE_ASSIGN_OR_RETURN(const auto model, load_model(invocation, options.model));
    ALCOVE_ASSIGN_OR_RETURN(const auto inputs, read_inputs(options, *model));
    std::size_t longest = 0;
    for (const std::vector<TokenId>& tokens : inputs)
        longest = std::max(longest, tokens.size());
    if (options.model.ctx == 0) // just what is needed
        options.model.ctx = static_cast<std::int32_t>(longest);
    ALCOVE_ASSIGN_OR_RETURN(const auto session, create_session(invocation, model, options.model));
    const auto n_embd = static_cast<std::size_t>(model->info().n_embd);
    Json vectors = Json::array();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Session::EvaluateOptions evaluate;
        evaluate.all_logits = false;
        evaluate.keep_hidden = true;
        const auto evaluation = session->evaluate(inputs[i], evaluate, console.stop_token());
        if (!evaluation)
            return as_bad_input(evaluation.error());
        Vector vector = pool(evaluation->hidden, n_embd, options.pooling);
        if (options.normalize)
            normalise(vector);
        vectors.push_back(std::move(vector));
        console.progress(fmt::format("Embedding {} of {}", i + 1, inputs.size()));
    }
    console.progress({});
    console.out(to_line(vectors.size() == 1 && options.file.empty() ? vectors[0] : vectors));
    return kDone;
}

} // namespace

CommandBody add_embed(CLI::App& command) {
    auto options = std::make_shared<EmbedOptions>();
    add_model_options(command, options->model);
    auto* source = command.add_option_group("text");
    source->add_option("--text", options->texts, "The text; several times for several vectors");
    source->add_option("-f,--file", options->file,
                       "A file with a text per line (-: standard input)");
    source->add_option("--tokens", options->tokens, "Token ids: 1,2,3 (fed as they are)");
    source->require_option(1);
    command.add_option("--pooling", options->pooling, "mean, last or cls (the first token)")
        ->check(CLI::IsMember({"mean", "last", "cls"}))
        ->capture_default_str();
    command.add_flag("--normalize", options->normalize, "Scale each vector to length 1");
    command.add_flag("--json", options->json, "Print JSON (always so)");
    return [options](Invocation& invocation) { return embed(invocation, *options); };
}

} // namespace alcove::cli
