#pragma once

#include "engine/model/pass.h"

namespace alcove::model {

/// x = rms_norm(h, norm), or x = h where `norm` is empty.
void norm_rows(const Pass& pass, const Vector& norm);

/// h += branch * residual_scale; with a `post_norm` the branch is normalised first.
void add_branch(Pass& pass, const Vector& post_norm);

} // namespace alcove::model
