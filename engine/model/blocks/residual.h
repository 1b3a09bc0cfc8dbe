#pragma once

#include "engine/model/pass.h"

namespace alcove::model {

/// h += branch * residual_scale; with a `post_norm` the branch is normalised first.
void add_branch(Pass& pass, const Vector& post_norm);

} // namespace alcove::model
