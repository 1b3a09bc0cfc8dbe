#pragma once

#include <cstddef>

/// The arithmetic of rank-one adapters: every stage rounded on its own, nothing fused, nothing
/// reordered, so that the result has the same bits everywhere (the engine is built without
/// contraction). For one token, with y = W x finished:
///     r = p[0] + p[1] + …, p[i] = a[i] · x[i] rounded to float; summed in double, in this order,
///         beginning with p[0] itself; rounded to float once
///     y[j] = y[j] + ((b[j] · r) · f), f = scale · alpha rounded
namespace alcove::adapter {

float rank_one_dot(std::size_t n, const float* a, const float* x) noexcept;

/// False, with y untouched, if r, a correction or a new y is not finite.
bool rank_one_add(std::size_t n, const float* b, float r, float factor, float* y) noexcept;

} // namespace alcove::adapter
