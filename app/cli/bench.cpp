#include "app/cli/adapter_options.h"
#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "engine/session/sampler_random.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/resource.h>

#include <algorithm>
#include <numeric>

namespace alcove::cli {
namespace {

struct BenchOptions {
    ModelOptions model;
    std::int32_t n_prompt = 512, n_gen = 64, depth = 0, repetitions = 3;
    bool json = false;
};

struct BenchResult {
    std::string test;
    std::vector<double> tokens_per_second;
};

std::string test_name(const char* kind, std::int32_t n, std::int32_t depth) {
    return depth > 0 ? fmt::format("{}{}@d{}", kind, n, depth) : fmt::format("{}{}", kind, n);
}

/// Tokens that mean nothing: speed does not depend on them. The same in every run.
std::vector<TokenId> random_tokens(const Model& model, std::int32_t n, std::uint64_t seed) {
    SamplerRandom random(seed);
    std::vector<TokenId> tokens(static_cast<std::size_t>(n));
    for (TokenId& id : tokens)
        id = static_cast<TokenId>(random.next() % static_cast<std::uint64_t>(model.info().n_vocab));
    return tokens;
}

class Bench {
public:
    Bench(Console& console, std::shared_ptr<const Model> model, std::unique_ptr<Session> session,
          const BenchOptions& options)
        : console_(console), model_(std::move(model)), session_(std::move(session)),
          options_(options), depth_tokens_(random_tokens(*model_, options.depth, 1)) {}

    /// Reads `n_prompt` new tokens behind `depth` tokens that are kept from before.
    Result<BenchResult> read() {
        return measure(test_name("pp", options_.n_prompt, options_.depth),
                       [this](int round) -> Result<double> {
                           ALCOVE_RETURN_IF_ERROR(prepare_depth());
                           GenerateRequest request = request_behind_depth(
                               options_.n_prompt, static_cast<std::uint64_t>(round));
                           request.n_predict = 0;
                           ALCOVE_ASSIGN_OR_RETURN(const auto result, generate(request));
                           return result.stats.prefill_tokens_per_second();
                       });
    }

    /// Writes `n_gen` tokens behind `depth` tokens (one, if there is no depth).
    Result<BenchResult> write() {
        return measure(
            test_name("tg", options_.n_gen, options_.depth), [this](int round) -> Result<double> {
                ALCOVE_RETURN_IF_ERROR(prepare_depth());
                GenerateRequest request =
                    request_behind_depth(1, static_cast<std::uint64_t>(round));
                request.n_predict =
                    options_.n_gen + 1; // the first one comes from reading and is not counted
                ALCOVE_ASSIGN_OR_RETURN(const auto result, generate(request));
                return result.stats.decode_tokens_per_second();
            });
    }

private:
    template <typename Once> Result<BenchResult> measure(std::string name, Once once) {
        BenchResult result{std::move(name), {}};
        for (int round = 0; round <= options_.repetitions; ++round) { // the first warms up
            console_.progress(
                fmt::format("{}: {} of {}", result.test, round, options_.repetitions));
            ALCOVE_ASSIGN_OR_RETURN(const double speed, once(round + 2));
            if (round > 0)
                result.tokens_per_second.push_back(speed);
        }
        console_.progress({});
        return result;
    }

    Result<GenerateResult> generate(const GenerateRequest& request) {
        auto result = session_->generate(request, {}, console_.stop_token());
        if (result && result->finish == FinishReason::Cancel)
            return Error{Errc::Cancelled, "interrupted"};
        if (result && result->finish == FinishReason::Error)
            return Error{Errc::Numeric, result->finish_detail};
        return result;
    }

    Status prepare_depth() {
        if (depth_tokens_.empty()) {
            session_->clear();
            return ok();
        }
        GenerateRequest request;
        request.prompt = depth_tokens_;
        request.n_predict = 0;
        ALCOVE_RETURN_IF_ERROR(generate(request));
        return ok();
    }

    GenerateRequest request_behind_depth(std::int32_t n, std::uint64_t seed) const {
        GenerateRequest request;
        request.prompt = depth_tokens_;
        const std::vector<TokenId> more = random_tokens(*model_, n, seed);
        request.prompt.insert(request.prompt.end(), more.begin(), more.end());
        request.sampling.temperature = 0;
        request.ignore_end = true;
        return request;
    }

    Console& console_;
    std::shared_ptr<const Model> model_;
    std::unique_ptr<Session> session_;
    const BenchOptions& options_;
    std::vector<TokenId> depth_tokens_;
};

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

Result<int> bench(Invocation& invocation, BenchOptions options) {
    Console& console = invocation.console;
    ALCOVE_ASSIGN_OR_RETURN(const auto model, load_model(invocation, options.model));
    const std::int32_t needed = options.depth + std::max(options.n_prompt, options.n_gen + 2);
    if (options.model.ctx == 0)
        options.model.ctx = needed;
    ALCOVE_ASSIGN_OR_RETURN(auto session, create_session(invocation, model, options.model));
    if (session->n_ctx() < needed)
        return Error{Errc::ContextFull,
                     fmt::format("the tests need a context of {} tokens, but it holds {}", needed,
                                 session->n_ctx())};
    Bench runner(console, model, std::move(session), options);
    std::vector<BenchResult> results;
    if (options.n_prompt > 0) {
        ALCOVE_ASSIGN_OR_RETURN(BenchResult result, runner.read());
        results.push_back(std::move(result));
    }
    if (options.n_gen > 0) {
        ALCOVE_ASSIGN_OR_RETURN(BenchResult result, runner.write());
        results.push_back(std::move(result));
    }

    const CpuInfo cpu = cpu_info();
    const std::string isa = options.model.isa != "auto" ? options.model.isa
                            : cpu.isas.empty()          ? std::string("scalar")
                                                        : cpu.isas.front();
    Json document = Json::array();
    for (const BenchResult& result : results) {
        document.push_back({{"model", model->info().path.string()},
                            {"threads", effective_threads(options.model)},
                            {"isa", isa},
                            {"test", result.test},
                            {"tok_per_s", result.tokens_per_second},
                            {"load_s", model->load_seconds()},
                            {"peak_rss_bytes", peak_rss_bytes()}});
        if (!options.json)
            console.out(fmt::format("{:<16} {:>10.2f} tok/s   ({:.2f})\n", result.test,
                                    std::accumulate(result.tokens_per_second.begin(),
                                                    result.tokens_per_second.end(), 0.0) /
                                        static_cast<double>(result.tokens_per_second.size()),
                                    fmt::join(result.tokens_per_second, ", ")));
    }
    if (options.json)
        console.out(to_document(document));
    return kDone;
}

} // namespace

CommandBody add_bench(CLI::App& command) {
    auto options = std::make_shared<BenchOptions>();
    add_model_options(command, options->model);
    constexpr std::int32_t kMost = 1 << 20;
    command.add_option("-p,--n-prompt", options->n_prompt, "Tokens to read (0: no such test)")
        ->check(CLI::Range(0, kMost))
        ->capture_default_str();
    command.add_option("-n,--n-gen", options->n_gen, "Tokens to write (0: no such test)")
        ->check(CLI::Range(0, kMost))
        ->capture_default_str();
    command.add_option("-d,--depth", options->depth, "Tokens that stand in the context before")
        ->check(CLI::Range(0, kMost))
        ->capture_default_str();
    command
        .add_option("-r,--repetitions", options->repetitions,
                    "Measured runs, after one that warms up")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command.add_flag("--json", options->json, "Print one JSON document");
    return [options](Invocation& invocation) { return bench(invocation, *options); };
}

} // namespace alcove::cli
