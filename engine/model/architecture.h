#pragma once

#include "engine/model/hparams.h"
#include "engine/model/weights.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

/// What the engine knows about each architecture. To add one: a file in arch/ and a line in
/// architecture.cpp (docs/tour.md walks through an example).
namespace alcove::model {

class Pass;

/// A dimension of a tensor, by its meaning.
enum class Dim : std::uint8_t {
    Embd,     ///< n_embd
    Vocab,    ///< n_vocab
    Heads,    ///< n_head * head_dim
    HeadsKv,  ///< n_head_kv * head_dim
    HeadDim,  ///< head_dim
    Ff,       ///< n_ff
    RopeHalf, ///< rope_dims / 2
};

enum class Need : std::uint8_t { Required, Optional };

/// A tensor of the model as a whole. Matrices are [cols, rows] in the file's order, vectors [cols].
struct ModelTensor {
    std::string_view name; ///< "output.weight"
    std::variant<Matrix Weights::*, Vector Weights::*> slot;
    Dim cols;
    Dim rows = Dim::Embd; ///< matrices only
    Need need = Need::Required;
};

/// A tensor of every layer: `blk.<layer>.<name>`.
struct LayerTensor {
    std::string_view name; ///< "attn_q.weight"
    std::variant<Matrix LayerWeights::*, Vector LayerWeights::*> slot;
    Dim cols;
    Dim rows = Dim::Embd;
    Need need = Need::Required;
};

struct Architecture {
    std::string_view name; ///< as in general.architecture; also the prefix of its keys
    bool rope_interleaved; ///< pairs (2i, 2i + 1), else (i, i + rope_dims / 2)
    std::span<const ModelTensor> tensors;
    std::span<const LayerTensor> layer_tensors;
    /// Reads the keys that only this architecture has. The common ones are in `hp` already.
    Status (*configure)(const KeyReader& keys, HParams& hp);
    /// The steps of layer `il`, from the shared blocks; every thread of the team calls it.
    void (*layer)(Pass& pass, std::int32_t il);
};

/// Every architecture that runs.
std::span<const Architecture* const> architectures() noexcept;

/// Errc::Unsupported, with the list of what is supported, for another name.
Result<const Architecture*> find_architecture(std::string_view name);

} // namespace alcove::model
