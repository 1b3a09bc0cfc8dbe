#pragma once

#include "engine/adapter/adapter.h"
#include "engine/format/gguf_parser.h"
#include "engine/format/memory_map.h"
#include "engine/model/loaded_model.h"
#include "engine/quant/half.h"
#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// What the readers of the four kinds of adapter file share.
namespace alcove::adapter {

inline constexpr std::int64_t kMaxRank = 1024;

/// Makes refusals: the sentence begins with the file's name, the stable name goes to whoever asked.
class Refusal {
public:
    Refusal(std::string file, std::string* fault) : file_(std::move(file)), fault_(fault) {}

    const std::string& file() const { return file_; }
    /// `fault`: "shape" for adapter.shape.
    Error operator()(std::string_view fault, std::string_view sentence) const;
    /// A failure of a container reader, whose sentence names the file already.
    Error pass_on(std::string_view fault, const Error& error) const;

private:
    std::string file_;
    std::string* fault_;
};

/// A row-major matrix of floats, halves or bfloats in the file's memory; any alignment.
struct Factor {
    QuantType type = QuantType::F32;
    const std::byte* data = nullptr;
    std::int64_t n_rows = 0, n_cols = 0;
    std::int64_t n_experts = 1; ///< matrices one after another

    std::size_t value_bytes() const { return type == QuantType::F32 ? 4 : 2; }
    /// One of size() values, in the file's order.
    float value(std::int64_t i) const {
        if (type == QuantType::F32) {
            float value = 0;
            std::memcpy(&value, data + 4 * i, 4);
            return value;
        }
        std::uint16_t half = 0;
        std::memcpy(&half, data + 2 * i, 2);
        return type == QuantType::F16 ? f16_to_f32(half) : bf16_to_f32(half);
    }
    std::int64_t size() const { return n_rows * n_cols * n_experts; }
};

/// How the rows of B lie.
enum class RowOrder : std::uint8_t {
    Base,      ///< as the base's rows
    HalfSplit, ///< heads with rotation pairs (i, i + n/2), as before conversion to GGUF
};

/// Both factors of one target.
struct Pair {
    std::string target;       ///< the base's tensor: "blk.3.attn_q.weight", "output.weight"
    std::string shown;        ///< the name in the file, for messages
    std::int32_t expert = -1; ///< one expert of a stacked tensor; −1: all of it
    Factor a;                 ///< [rank, in]; of the embedding [vocab, rank] or [rank, vocab]
    Factor b;                 ///< [out, rank]
    float scale = 1;          ///< alpha / rank, or what the file has in its place
    RowOrder order = RowOrder::Base;
    bool a_by_token = false;            ///< embedding: a row of A per token, else per rank
    bool after_embedding_scale = false; ///< embedding: not multiplied by the model's own scale
};

/// A file that was read whole.
struct AdapterFile {
    AdapterInfo info;
    std::string shown; ///< the last part of its path, for messages
    std::vector<Pair> pairs;
    std::vector<MemoryMap> memory; ///< what the factors point into
};

/// The name of a target without layer and suffix: "blk.3.attn_q.weight" is "attn_q".
std::string target_name(std::string_view tensor);

/// Fills rank, parameter count and targets of `file.info` from its pairs.
void summarize(AdapterFile& file);

/// Refuses ("alpha_value") a strength that is no finite float.
Status check_scales(const Refusal& refuse, const AdapterFile& file);
/// Refuses ("factor") where a value is not finite.
Status check_finite(const Refusal& refuse, const Factor& factor, std::string_view shown);
/// Refuses ("rank") a rank that is not in 1…kMaxRank.
Status check_rank(const Refusal& refuse, std::int64_t rank, std::string_view shown);

/// The readers. `base` may be null: then only what needs no base is checked. `bytes` of a GGUF file
/// outlive the result's factors.
Status read_gguf_lora(const GgufContents& gguf, const model::LoadedModel* base,
                      const Refusal& refuse, AdapterFile& file);
/// In the order of its rules, the base's among them.
Status read_rank_one(const GgufContents& gguf, const model::LoadedModel* base,
                     const Refusal& refuse, AdapterFile& file);
Status read_peft(std::string_view config, std::span<const std::byte> weights, const Refusal& refuse,
                 AdapterFile& file);
Status read_gemma(std::span<const std::byte> bytes, const Refusal& refuse, AdapterFile& file);

} // namespace alcove::adapter
