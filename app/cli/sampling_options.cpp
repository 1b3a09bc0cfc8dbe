#include "app/cli/sampling_options.h"

#include "app/cli/model_options.h"
#include "engine/text/grammar.h"

#include <fmt/format.h>

#include <charconv>
#include <random>

namespace alcove::cli {
namespace {

/// 53 bits, so that every reader of JSON keeps them.
std::uint64_t new_seed() {
    std::random_device random;
    return ((std::uint64_t{random()} << 32U) | random()) >> 11U;
}

/// Null without a grammar. The sentence of a failure names the file.
Result<std::shared_ptr<const Grammar>> read_grammar(const SamplingOptions& options) {
    if (options.grammar_file.empty() && options.schema_file.empty())
        return std::shared_ptr<const Grammar>();
    const std::string& path =
        options.schema_file.empty() ? options.grammar_file : options.schema_file;
    const auto compile = [&]() -> Result<std::shared_ptr<const Grammar>> {
        if (!options.schema_file.empty()) {
            ALCOVE_ASSIGN_OR_RETURN(const Json schema, read_json(path));
            return Grammar::from_json_schema(schema);
        }
        ALCOVE_ASSIGN_OR_RETURN(const std::string text, read_text(path));
        return Grammar::from_gbnf(text);
    };
    Result<std::shared_ptr<const Grammar>> grammar = compile();
    if (!grammar && grammar.error().code == Errc::Grammar)
        return Error{Errc::Grammar, path + ": " + grammar.error().message};
    return grammar;
}

} // namespace

void add_sampling_options(CLI::App& command, SamplingOptions& options) {
    SamplingSettings& s = options.settings;
    command
        .add_option("-n,--n-predict", options.n_predict,
                    "Most tokens to write (-1: until the context is full)")
        ->check(CLI::Range(-1, 1 << 30))
        ->capture_default_str();
    command.add_option("--temp", s.temperature, "Temperature (0: always the most probable token)")
        ->capture_default_str();
    command.add_option("--top-k", s.top_k, "Only the K most probable tokens (0: off)")
        ->capture_default_str();
    command
        .add_option("--top-p", s.top_p, "Only the most probable tokens that sum up to P (1: off)")
        ->capture_default_str();
    command
        .add_option("--min-p", s.min_p,
                    "Only tokens with at least this share of the best one's probability (0: off)")
        ->capture_default_str();
    command
        .add_option("--repeat-penalty", s.repeat_penalty,
                    "Divides repeated tokens' logits (1: off)")
        ->capture_default_str();
    command
        .add_option("--repeat-last-n", s.repeat_last_n, "Tokens the penalties look at (-1: all)")
        ->capture_default_str();
    command.add_option("--frequency-penalty", s.frequency_penalty, "Per occurrence (0: off)")
        ->capture_default_str();
    command
        .add_option("--presence-penalty", s.presence_penalty,
                    "Once per token that occurred (0: off)")
        ->capture_default_str();
    command.add_option("--seed", options.seed,
                       "Seed of the random numbers (absent: a new one each time)");
    command
        .add_option("--stop", options.stop,
                    "Text that ends the answer; may be given more than once")
        ->allow_extra_args(false);
    CLI::Option* grammar = command.add_option("--grammar", options.grammar_file,
                                              "GBNF file: only texts that it allows are written");
    command
        .add_option("--json-schema", options.schema_file,
                    "JSON Schema file: only JSON that is valid under it is written")
        ->excludes(grammar);
}

Result<GenerateRequest> generate_request(const SamplingOptions& options) {
    GenerateRequest request;
    request.sampling = options.settings;
    if (options.seed.empty()) {
        request.sampling.seed = new_seed();
    } else {
        const char* end = options.seed.data() + options.seed.size();
        const auto parsed = std::from_chars(options.seed.data(), end, request.sampling.seed);
        if (parsed.ec != std::errc() || parsed.ptr != end)
            return Error{Errc::InvalidArgument,
                         fmt::format("--seed is \"{}\", expected a whole number from 0 to 2^64 - 1",
                                     options.seed)};
    }
    ALCOVE_RETURN_IF_ERROR(validate(request.sampling));
    for (const std::string& stop : options.stop) {
        if (stop.empty())
            return Error{Errc::InvalidArgument, "--stop is empty, expected a text"};
    }
    ALCOVE_ASSIGN_OR_RETURN(request.grammar, read_grammar(options));
    request.n_predict = options.n_predict;
    request.stop = options.stop;
    return request;
}

Json answer_json(const GenerateResult& result, std::uint64_t seed) {
    const GenerateStats& stats = result.stats;
    return {{"text", result.text},
            {"ids", result.ids},
            {"finish", finish_reason_name(result.finish)},
            {"prompt_tokens", stats.prompt_tokens},
            {"cached_tokens", stats.cached_tokens},
            {"prefill_tok_s", stats.prefill_tokens_per_second()},
            {"decode_tok_s", stats.decode_tokens_per_second()},
            {"ttft_ms", stats.first_token_seconds * 1000},
            {"spec", nullptr},
            {"seed", seed}};
}

} // namespace alcove::cli
