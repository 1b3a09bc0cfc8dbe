#pragma once

#include "engine/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Adapters: files that add low-rank terms to matrices of a base model, y = W x + s · B (A x), and
/// leave the base as it is. Part of the engine's public face (engine/engine.h includes it).
namespace alcove {

class Model;

enum class AdapterKind : std::uint8_t {
    Gguf,    ///< LoRA in a GGUF file (`adapter.lora.alpha`)
    Peft,    ///< LoRA as PEFT writes it: adapter_config.json and adapter_model.safetensors
    Gemma,   ///< safetensors with `lora.blk.<layer>.<projection>.A` and `.B`, for gemma4
    RankOne, ///< rank-one GGUF for qwen35 (`adapter.lora_alpha`)
};
const char* adapter_kind_name(AdapterKind kind) noexcept; ///< "gguf", "peft", "gemma", "rank-one"
/// The kind whose adapter_kind_name() is `name`; nothing for any other text.
std::optional<AdapterKind> adapter_kind_from_name(std::string_view name) noexcept;

/// Strengths that an adapter of `kind` may have.
struct ScaleRange {
    float min = 0, max = 0;
};
ScaleRange adapter_scale_range(AdapterKind kind) noexcept; ///< −4…4; rank-one 0…2
/// Errc::Adapter unless `scale` is finite and in the range.
Status check_adapter_scale(AdapterKind kind, float scale);

struct AdapterTarget {
    std::string name;         ///< as in the base: "attn_q", "ffn_down_exps", "token_embd", "output"
    std::int32_t n_pairs = 0; ///< layers (times experts) that it is given for
};

/// Facts of an adapter file.
struct AdapterInfo {
    std::filesystem::path path; ///< the file, or the folder of a PEFT adapter
    AdapterKind kind = AdapterKind::Gguf;
    std::string name;         ///< general.name, else the file's stem or the folder's name
    std::string architecture; ///< that it says it is for; empty where the kind does not say
    std::string base_name;    ///< that it says it was trained on; may be empty
    std::string sha256;       ///< of the file; PEFT: of the config followed by the weights
    std::uint64_t bytes = 0;  ///< of the file; PEFT: both files
    std::int32_t rank_min = 0, rank_max = 0;
    std::optional<double> alpha;
    std::uint64_t n_params = 0; ///< numbers in all factors
    std::vector<AdapterTarget> targets;
    std::vector<std::string> warnings;
};

struct AdapterOptions {
    /// Size and hash that the file must have, where they are known; rank-one files of the built-in
    /// catalogue are held to theirs in any case.
    std::optional<std::uint64_t> expected_bytes;
    std::string expected_sha256;
    /// SHA-256 of the base's file where the caller knows it, and the one that the adapter is bound
    /// to. They must agree if both are given.
    std::string base_sha256, bound_base_sha256;
    /// Gets the stable name of a refusal ("adapter.shape"), if not null.
    std::string* fault = nullptr;
};

/// An adapter that was checked against one loaded model, whole, with its factors in memory: the
/// file may vanish afterwards. Immutable; sessions of that model share it.
class Adapter {
public:
    /// `path`: a file, or the folder of a PEFT adapter (or either of its two files). Every refusal
    /// is one sentence that names file, thing, found and expected, with Errc::Adapter (NotFound and
    /// Io where the file itself cannot be read); nothing is half loaded.
    static Result<std::shared_ptr<const Adapter>> load(const std::filesystem::path& path,
                                                       const std::shared_ptr<const Model>& base,
                                                       const AdapterOptions& options,
                                                       std::stop_token stop);
    virtual ~Adapter() = default;
    virtual const AdapterInfo& info() const = 0;
};

/// The same checks against the model file at `model_path`, of which the header alone is read.
Result<AdapterInfo> check_adapter(const std::filesystem::path& path,
                                  const std::filesystem::path& model_path,
                                  const AdapterOptions& options, std::stop_token stop);

/// What the file says about itself, checked as far as that goes without a base.
Result<AdapterInfo> read_adapter_info(const std::filesystem::path& path,
                                      const AdapterOptions& options, std::stop_token stop);

/// Whether what lies at `path` says of itself that it is an adapter: a folder with
/// adapter_config.json, that file, a safetensors file (by its ending) with low-rank factors in it,
/// a GGUF file whose general.type is "adapter". Reads headers alone, so it is quick for a file of
/// any size, and checks nothing else: the file may be refused all the same. False for what cannot
/// be read.
bool is_adapter_file(const std::filesystem::path& path);

/// An adapter in use.
struct AdapterUse {
    std::shared_ptr<const Adapter> adapter;
    float scale = 1; ///< 0: not applied at all
};

} // namespace alcove
