#pragma once

#include "app/cli/console.h"
#include "engine/result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

/// A command of alcove-cli is one function in a file of its own: it adds its options to the
/// sub-command that it is given and returns what is to be done after parsing. main.cpp has the one
/// list of commands.
namespace alcove::cli {

/// What every command gets.
struct Invocation {
    Console& console;
    std::string data_option; ///< --data; empty if not given
};

/// The exit status, or a failure that main turns into a sentence and a status.
using CommandBody = std::function<Result<int>(Invocation&)>;

CommandBody add_run(CLI::App& command);
CommandBody add_chat(CLI::App& command);
CommandBody add_tokenize(CLI::App& command);
CommandBody add_detokenize(CLI::App& command);
CommandBody add_template(CLI::App& command);
CommandBody add_jinja(CLI::App& command);
CommandBody add_logits(CLI::App& command);
CommandBody add_embed(CLI::App& command);
CommandBody add_perplexity(CLI::App& command);
CommandBody add_grammar(CLI::App& command);
CommandBody add_sample(CLI::App& command);
CommandBody add_inspect(CLI::App& command);
CommandBody add_dequantize(CLI::App& command);
CommandBody add_bench(CLI::App& command);
CommandBody add_cpu(CLI::App& command);
CommandBody add_adapter(CLI::App& command);
CommandBody add_model(CLI::App& command);
CommandBody add_chats(CLI::App& command);

inline constexpr int kDone = 0;
inline constexpr int kBadInput = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kInterrupted = 130;

/// 130 for Cancelled, 2 for InvalidArgument (an option out of its range), else 1.
int exit_status(const Error& error);

/// The same failure as bad input (exit 1): where a value came from a file and not from an option.
Error as_bad_input(Error error);

} // namespace alcove::cli
