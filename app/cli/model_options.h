#pragma once

#include "app/cli/command.h"
#include "engine/engine.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alcove::cli {

/// The options that every command which loads a model takes.
struct ModelOptions {
    std::string model;
    std::int32_t threads = 0;
    std::int32_t ctx = 0;
    std::int32_t batch = 512;
    std::string kv = "f16";
    std::string isa = "auto";
    std::string activations = "auto";
    std::vector<std::string> adapters; ///< FILE|NAME[:SCALE]
    bool no_mmap = false;
    bool verbose = false;
};

void add_model_option(CLI::App& command, std::string& model, bool required = true);
void add_model_options(CLI::App& command, ModelOptions& options);

/// A path of an existing file, or a name in the library of the data folder.
Result<std::string> resolve_model_path(Invocation& invocation, const std::string& model);

SessionOptions session_options(const ModelOptions& options);

/// What will be done with a model: whether the sentences about its chat template matter.
enum class Use { Text, Chat };

/// Resolves and loads with progress on the terminal. What was guessed about the file goes to
/// standard error: about the tokenizer always, the rest for a chat.
Result<std::shared_ptr<const Model>> load_model(Invocation& invocation, const ModelOptions& options,
                                                Use use = Use::Text);

/// The threads that a session with these options uses.
std::int32_t effective_threads(const ModelOptions& options);

} // namespace alcove::cli
