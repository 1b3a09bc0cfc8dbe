#pragma once

#include "engine/adapter/adapter.h"
#include "engine/log.h"
#include "engine/result.h"
#include "engine/session/sampling.h"
#include "engine/text/chat_template.h"
#include "engine/text/tokenizer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

/// The public face of the engine: load a model, make a session on it, generate.
/// No function here throws; failures are values with one sentence. Nothing here needs Qt, a display
/// or a network.
namespace alcove {

class Grammar; // engine/text/grammar.h

enum class KvType : std::uint8_t { F32, F16, Q8_0 };
enum class Activations : std::uint8_t {
    Auto, ///< planes of int8 against quantised weights, float against F32/F16/BF16
    Int8,
    F32 ///< weights decoded, exact float arithmetic: for checks
};

/// Facts of a model file that are known from its header alone.
struct ModelInfo {
    std::filesystem::path path;
    std::string name;         ///< general.name, else the file's stem
    std::string architecture; ///< "llama"
    std::string quantization; ///< the type most weights have: "Q4_1"
    std::uint64_t file_bytes = 0;
    std::uint64_t n_params = 0;
    std::uint64_t weight_bytes = 0;
    std::int32_t n_layer = 0, n_embd = 0, n_head = 0, n_head_kv = 0, n_vocab = 0, n_ctx_train = 0;
    bool runnable = false;
    std::string reason; ///< why not, one sentence; empty if runnable
    bool has_chat_template = false;
    std::vector<std::string> warnings;
};

/// What running the model takes, from the header alone.
struct MemoryEstimate {
    std::uint64_t weights_bytes = 0; ///< mapped file pages, shared and droppable
    std::uint64_t kv_bytes = 0;
    std::uint64_t work_bytes = 0; ///< scratch of a forward pass, tokenizer
    std::uint64_t total_bytes() const { return weights_bytes + kv_bytes + work_bytes; }
};

struct SessionOptions {
    std::int32_t n_ctx = 0;     ///< 0: min(trained, 4096)
    std::int32_t n_batch = 512; ///< prefill chunk, tokens
    std::int32_t n_threads = 0; ///< 0: physical cores − 1, all of them with two cores or fewer
    KvType kv_type = KvType::F16;
    Activations activations = Activations::Auto;
    std::string isa = "auto"; ///< auto scalar avx2 avxvnni avx512 avx512vnni amx
};

/// The header of `path`, read and checked without loading. Fails only if the container itself is
/// malformed.
Result<ModelInfo> read_model_info(const std::filesystem::path& path);
/// Memory for `path` at `options`; Errc::Model or Unsupported where the file cannot run.
Result<MemoryEstimate> estimate_memory(const std::filesystem::path& path,
                                       const SessionOptions& options);

struct ChatOptions {
    nlohmann::ordered_json* extra =
        nullptr; ///< further variables of the template (enable_thinking, …); may be null
    bool add_generation_prompt = true;
};

/// A rendered conversation, ready to be read by the model.
struct ChatPrompt {
    TextSegments segments;
    std::vector<TokenId> tokens;
    std::vector<std::string>
        warnings; ///< for example: "the template failed (line 3: …); using chatml instead"
};

/// A loaded model: mapped weights, tokenizer, chat template. Immutable; sessions share it.
class Model {
public:
    struct LoadOptions {
        /// The session that is wanted: whether its memory can be had is checked before the weights
        /// are read, and Errc::Memory says as Session::create would. Nothing: not checked.
        std::optional<SessionOptions> for_session;
        bool use_mmap = true;
        std::function<void(float fraction)>
            on_progress; ///< 0…1, at most 50 times; on the calling thread
        LogSink log;
    };
    /// Loads and checks everything before it returns; stops within 300 ms of a stop request
    /// (Errc::Cancelled).
    static Result<std::shared_ptr<const Model>>
    load(const std::filesystem::path& path, const LoadOptions& options, std::stop_token stop);
    virtual ~Model() = default;

    virtual const ModelInfo& info() const = 0;
    virtual const Tokenizer& tokenizer() const = 0;
    virtual std::shared_ptr<const Tokenizer> shared_tokenizer() const = 0;
    virtual double load_seconds() const = 0;

    /// `messages`: [{"role":"user","content":"…"},…]. Uses the file's template, or a named fallback
    /// with a warning.
    virtual Result<ChatPrompt> render_chat(const nlohmann::ordered_json& messages,
                                           const ChatOptions& options) const = 0;
};

enum class FinishReason : std::uint8_t { Stop, Length, Context, Grammar, Cancel, Error };
const char* finish_reason_name(
    FinishReason reason) noexcept; ///< "stop", "length", "context", "grammar", "cancel", "error"

struct GenerateRequest {
    std::vector<TokenId>
        prompt; ///< the whole prompt; what the session has already read of it is not read again
    std::int32_t n_predict = -1; ///< −1: until the context is full
    SamplingSettings sampling;
    std::vector<std::string> stop; ///< the text before a match is given, the match is not
    /// Only texts that it allows are written; null: any. The end of the answer comes only where the
    /// grammar is complete; FinishReason::Grammar says that nothing but the end could follow. Masks
    /// come before the sampler, so every setting of it works as ever on what is left.
    std::shared_ptr<const Grammar> grammar;
    bool ignore_end = false; ///< bench only: do not stop at end-of-generation tokens
};

/// Measured while it happens; the final one is in the result.
struct GenerateStats {
    std::int32_t prompt_tokens = 0;    ///< length of the prompt
    std::int32_t cached_tokens = 0;    ///< of those, kept from before
    std::int32_t prefilled_tokens = 0; ///< read in this call so far
    std::int32_t generated_tokens = 0;
    std::int32_t n_ctx = 0, n_ctx_used = 0;
    double prefill_seconds = 0, decode_seconds = 0,
           first_token_seconds = 0; ///< first token: from the call's begin
    double prefill_tokens_per_second() const {
        return prefill_seconds > 0 ? prefilled_tokens / prefill_seconds : 0;
    }
    double decode_tokens_per_second() const {
        return decode_seconds > 0 && generated_tokens > 1 ? (generated_tokens - 1) / decode_seconds
                                                          : 0;
    }
};

struct GenerateResult {
    std::string text;
    std::vector<TokenId> ids; ///< without the end token
    FinishReason finish = FinishReason::Stop;
    std::string finish_detail; ///< which stop string, or the numbers of a full context
    GenerateStats stats;
};

/// Called on the thread that generates. `on_text` gets whole characters only; `on_progress` is
/// called after each prefill step (several times per chunk on big models) and after each token.
struct GenerateCallbacks {
    std::function<void(std::string_view text, TokenId id)> on_text;
    std::function<void(const GenerateStats& stats)> on_progress;
};

/// The state of one conversation on one model: the tokens read so far and their caches. Used by one
/// thread at a time.
class Session {
public:
    static Result<std::unique_ptr<Session>> create(std::shared_ptr<const Model> model,
                                                   const SessionOptions& options);
    virtual ~Session() = default;

    /// Keeps the longest common prefix of what was read, reads the rest in chunks, generates. A
    /// stop request is heard within 50 ms while reading or writing; the result then has
    /// FinishReason::Cancel and everything so far. Errc::ContextFull if the prompt alone does not
    /// fit; the session stays usable after any failure.
    virtual Result<GenerateResult> generate(const GenerateRequest& request,
                                            const GenerateCallbacks& callbacks,
                                            std::stop_token stop) = 0;

    struct EvaluateOptions {
        bool all_logits = true;       ///< else the last position only
        bool per_token = false;       ///< no batching, for equality checks
        bool keep_nodes = false;      ///< named intermediate tensors
        bool keep_hidden = false;     ///< the final norm of every position
        std::int32_t logits_from = 0; ///< with all_logits: only the positions from this one on
    };
    struct Node {
        std::string name;
        std::int32_t n_rows = 0, n_cols = 0;
        std::vector<float> values;
    };
    struct Evaluation {
        std::vector<float> logits;      ///< [rows, n_vocab]
        std::vector<float> hidden_last; ///< [n_embd], after the final norm, last position
        std::vector<float> hidden;      ///< [n tokens, n_embd] with keep_hidden
        std::int32_t rows = 0, n_vocab = 0;
        std::vector<Node> nodes;
    };
    /// Forward pass over `tokens` from an empty context (no prefix reuse), for logits, perplexity
    /// and checks.
    virtual Result<Evaluation> evaluate(std::span<const TokenId> tokens,
                                        const EvaluateOptions& options, std::stop_token stop) = 0;

    /// From now on exactly these adapters, each with its strength; all or, after a failure, the
    /// ones before. Nothing is loaded or copied: it may be called between any two answers. What was
    /// read with another set is forgotten, and read again with the next answer. Errc::Adapter for
    /// an adapter of another model, a strength out of range, or two of rank one.
    virtual Status set_adapters(std::span<const AdapterUse> uses) = 0;

    virtual std::span<const TokenId> tokens() const = 0; ///< read so far
    virtual void clear() = 0;
    virtual std::int32_t n_ctx() const = 0;
    virtual MemoryEstimate memory() const = 0; ///< as allocated
    virtual Status set_n_threads(std::int32_t n_threads) = 0;
};

/// What the processor offers and what was chosen, for `alcove-cli cpu` and diagnostics.
struct CpuInfo {
    std::string model_name;
    std::int32_t n_physical_cores = 0, n_logical_cores = 0,
                 n_usable = 0;         ///< usable: affinity mask and cgroup quota
    std::vector<std::string> features; ///< "avx2", "avx512vnni", …
    std::vector<std::string> isas;     ///< runnable kernel sets, best first
    std::uint64_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0; ///< per core, per core, shared
};
CpuInfo cpu_info();

} // namespace alcove
