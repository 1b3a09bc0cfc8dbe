#pragma once

#include "engine/model/pass.h"

#include <cstdint>

namespace alcove::model {

/// branch = W_o attention(q, k, v) with q, k, v = W x (+ bias), x = rms_norm(h, norm), or x = h
/// where `norm` is empty. Heads of q and k are normalised where the layer has norms for them (each
/// head, or all at once), then rotated; keys and values go to the cache. Query head j reads KV head
/// j / (n_head / n_head_kv).
void attention(Pass& pass, std::int32_t il, const Vector& norm);

} // namespace alcove::model
