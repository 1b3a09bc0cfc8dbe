#pragma once

#include "app/cli/files.h"
#include "engine/engine.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace alcove::cli {

/// Options of the commands that write: run and chat.
struct SamplingOptions {
    SamplingSettings settings;
    std::string seed; ///< empty: a new one each time
    std::int32_t n_predict = 256;
    std::vector<std::string> stop;
    std::string grammar_file, schema_file; ///< at most one; empty: any text
};

void add_sampling_options(CLI::App& command, SamplingOptions& options);

/// The request that the options describe, without a prompt; validated, with a seed chosen if none
/// was given.
Result<GenerateRequest> generate_request(const SamplingOptions& options);

/// What `run --json` and `chat --json` print.
Json answer_json(const GenerateResult& result, std::uint64_t seed);

} // namespace alcove::cli
