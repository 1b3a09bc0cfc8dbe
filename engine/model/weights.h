#pragma once

#include "engine/quant/quant_type.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// The weights of a model as views into its file: nothing is copied.
namespace alcove::model {

/// A row-major matrix of n_rows rows with n_cols values each, in blocks of `type`.
struct Matrix {
    std::string_view name;
    QuantType type = QuantType::F32;
    const std::byte* data = nullptr;
    std::size_t row_bytes = 0;
    std::int32_t n_cols = 0, n_rows = 0;

    explicit operator bool() const { return data != nullptr; }
    const std::byte* row(std::int64_t r) const {
        return data + static_cast<std::size_t>(r) * row_bytes;
    }
    std::size_t bytes() const { return row_bytes * static_cast<std::size_t>(n_rows); }
};

/// A row of floats: a norm, a bias, a table of factors.
struct Vector {
    const float* data = nullptr;
    std::int32_t size = 0;

    explicit operator bool() const { return data != nullptr; }
};

/// One layer. What an architecture does not have stays empty.
struct LayerWeights {
    Vector attn_norm, attn_post_norm, attn_q_norm, attn_k_norm;
    Matrix attn_q, attn_k, attn_v, attn_output;
    Vector attn_q_bias, attn_k_bias, attn_v_bias, attn_output_bias;
    Vector ffn_norm, ffn_post_norm;
    Matrix ffn_gate, ffn_up, ffn_down;
    Vector ffn_gate_bias, ffn_up_bias, ffn_down_bias;
};

struct Weights {
    Matrix token_embd;
    Vector output_norm;
    Matrix output; ///< token_embd where the file has no own head
    Vector rope_freqs;
    std::vector<LayerWeights> layers;
};

} // namespace alcove::model
