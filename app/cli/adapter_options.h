#pragma once

#include "app/cli/model_options.h"

#include <memory>
#include <string>
#include <vector>

namespace alcove::cli {

/// One --adapter: a file or folder, or the name of a registered adapter, with a strength.
struct AdapterSpec {
    std::string name;
    bool is_path = false;
    bool has_scale = false; ///< else a registered adapter's own, or 1
    float scale = 1;
};

/// An existing path is taken whole; else what follows the last ':' is the strength, infinite if it
/// is beyond all floats. Errc::InvalidArgument if that is no number.
Result<AdapterSpec> parse_adapter(const std::string& text);

/// Loads and checks the adapter for `model`. What its file warns of goes to standard error. A
/// registered one is held to its record: its size, its hash and, where the library knows the hash
/// of the model's file, the model that it is bound to.
Result<AdapterUse> load_adapter(Invocation& invocation, const AdapterSpec& spec,
                                const std::shared_ptr<const Model>& model);

/// All of the options, in their order.
Result<std::vector<AdapterUse>> load_adapters(Invocation& invocation, const ModelOptions& options,
                                              const std::shared_ptr<const Model>& model);

/// A session of `model` with the options' adapters.
Result<std::unique_ptr<Session>> create_session(Invocation& invocation,
                                                const std::shared_ptr<const Model>& model,
                                                const ModelOptions& options);

} // namespace alcove::cli
