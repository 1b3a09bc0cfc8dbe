#pragma once

#include "engine/model/pass.h"

namespace alcove::model {

/// Logits of the rows that the batch wants them for: W_out rms_norm(h), divided by logit_divisor,
/// soft-capped. Rows without logits cost nothing.
void head(Pass& pass);

} // namespace alcove::model
