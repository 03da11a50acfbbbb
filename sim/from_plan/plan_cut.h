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

}  // namespace waferloom::sim
