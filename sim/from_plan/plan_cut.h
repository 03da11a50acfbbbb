#pragma once

#include <cstdint>

#include "kernels/int128.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"

namespace waferloom::sim {

/// What backward computes again of an operator. Nothing of an embedding: it keeps only its tokens.
/// Nothing of a head: its backward follows its forward at once.
Recompute recompute_of(const Plan& plan, const OperatorKind& kind);

/// The bytes of `elements`. Throws RequestError beyond 10^15.
std::int64_t tensor_bytes(const Hardware& hardware, Int128 elements);

/// Whether all of an operator's input has to be on every tile of a tensor group, and it does not
/// gather it itself: of layers, heads and patches. `own` is the plan of its stage.
bool takes_whole(const Plan& own, const Operator& op);
/// Whether all of an operator's output is on every tile of a tensor group, which adds it up, and
/// all of its gradient has to be: of layers and embeddings.
bool makes_whole(const Plan& own, const Operator& op);

}  // namespace waferloom::sim
