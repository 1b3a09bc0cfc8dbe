#pragma once

#include "engine/model/pass.h"

namespace alcove::model {

/// h = token_embd[token] * embedding_scale, and the angles of every position.
void embed(Pass& pass);

} // namespace alcove::model
