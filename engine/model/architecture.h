#pragma once

#include "engine/model/hparams.h"
#include "engine/model/weights.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

/// What the engine knows about each architecture. To add one: a file in arch/ and a line in
/// architecture.cpp (docs/adding-an-architecture.md walks through an example).
namespace alcove::model {

/// A dimension of a tensor, by its meaning.
enum class Dim : std::uint8_t {
    Embd,     ///< n_embd
    Vocab,    ///< n_vocab
    Heads,    ///< n_head * head_dim
    HeadsKv,  ///< n_head_kv * head_dim
    Qkv,      ///< Heads + 2 * HeadsKv: q, k and v in one tensor
    HeadDim,  ///< head_dim
    Ff,       ///< n_ff
    FfTwice,  ///< 2 * n_ff: gate and up in one tensor
    RopeHalf, ///< rope_dims / 2
    Experts,  ///< experts.n
    ExpertFf, ///< experts.n_ff
    ConvIn,   ///< 3 * n_embd
    ConvTaps, ///< n_conv_taps
};

/// Of the feed-forward parts.
enum class Activation : std::uint8_t { Silu, GeluTanh };

enum class Need : std::uint8_t { Required, Optional };

/// A tensor that an architecture has. By the kind of its slot: matrices and tables are
/// [cols, rows] in the file's order, vectors [cols], experts [cols, rows, experts.n].
template <typename Target> struct TensorRow {
    std::string_view name; ///< of the model: "output.weight"; of a layer, after `blk.<layer>.`
    std::variant<Matrix Target::*, Vector Target::*, Table Target::*, Experts Target::*> slot;
    Dim cols;
    Dim rows = Dim::Embd;
    Need need = Need::Required;
    /// Only layers for which this is true have the tensor; null: all. In the others it has no
    /// place.
    bool (*where)(const LayerParams& layer) = nullptr;
};

using ModelTensor = TensorRow<Weights>;
using LayerTensor = TensorRow<LayerWeights>;

struct Architecture {
    std::string_view name; ///< as in general.architecture; also the prefix of its keys
    bool rope_interleaved; ///< pairs (2i, 2i + 1), else (i, i + rope_dims / 2)
    std::span<const ModelTensor> tensors;
    std::span<const LayerTensor> layer_tensors;
    /// Reads the keys that only this architecture has. The common ones are in `hp` already. Null:
    /// there are none.
    Status (*configure)(const KeyReader& keys, HParams& hp) = nullptr;
    /// Takes tensors apart that hold several matrices, once they are bound. Null: there are none.
    void (*arrange)(const HParams& hp, const LayerParams& layer, LayerWeights& weights) = nullptr;
    Activation activation = Activation::Silu;
    /// Layers may be mixtures of experts; otherwise a file with experts is refused.
    bool has_experts = false;
    /// attention.head_count_kv may hold 0 for layers that mix without attention.
    bool has_recurrent_layers = false;
};

/// Every architecture that runs.
std::span<const Architecture* const> architectures() noexcept;

/// Errc::Unsupported, with the list of what is supported, for another name.
Result<const Architecture*> find_architecture(std::string_view name);

} // namespace alcove::model
