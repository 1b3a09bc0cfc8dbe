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
    std::int32_t first_row = 0; ///< row of the tensor `name` that is row 0 here

    explicit operator bool() const { return data != nullptr; }
    const std::byte* row(std::int64_t r) const {
        return data + static_cast<std::size_t>(r) * row_bytes;
    }
    std::size_t bytes() const { return row_bytes * static_cast<std::size_t>(n_rows); }
    /// Where the tensor begins that this is a part of, or all.
    const std::byte* tensor_data() const {
        return data - static_cast<std::size_t>(first_row) * row_bytes;
    }
    /// The rows [begin, begin + count) as a matrix of their own.
    Matrix slice(std::int32_t begin, std::int32_t count) const {
        Matrix part = *this;
        part.data = row(begin);
        part.first_row = first_row + begin;
        part.n_rows = count;
        return part;
    }
};

/// A row of floats: a norm, a bias, a table of factors.
struct Vector {
    const float* data = nullptr;
    std::int32_t size = 0;

    explicit operator bool() const { return data != nullptr; }
};

/// Floats in rows, such as the kernels of a convolution. The slot says the shape.
struct Table {
    const float* data = nullptr;
};

/// Matrices of equal shape and type, one per expert, one after the other.
struct Experts {
    Matrix first; ///< of expert 0

    const std::byte* row(std::int32_t expert, std::int64_t r) const {
        return first.row(std::int64_t{expert} * first.n_rows + r);
    }
};

/// One layer. What an architecture does not have stays empty.
struct LayerWeights {
    Vector attn_norm, attn_post_norm, attn_q_norm, attn_k_norm;
    Matrix attn_q, attn_k, attn_v, attn_output;
    Vector attn_q_bias, attn_k_bias, attn_v_bias, attn_output_bias;
    Vector ffn_norm, ffn_post_norm;
    Matrix ffn_gate, ffn_up, ffn_down;
    Vector ffn_gate_bias, ffn_up_bias, ffn_down_bias;
    Matrix ffn_router;
    Vector ffn_router_bias; ///< added to the scores for choosing only
    Experts ffn_gate_experts, ffn_up_experts, ffn_down_experts;
    Matrix conv_in, conv_out;
    Table conv; ///< [n_embd] rows of n_conv_taps, the newest value's last
};

struct Weights {
    Matrix token_embd;
    Vector output_norm;
    Matrix output;                ///< token_embd where the file has no own head
    Vector rope_freqs;            ///< divide the frequencies, whatever the context
    Vector rope_long, rope_short; ///< the same by the length of the context: longrope
    std::vector<LayerWeights> layers;
};

} // namespace alcove::model
