#pragma once

#include <cstddef>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/rectangle.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/mesh.h"
#include "sim/plan_cut.h"
#include "sim/time.h"

namespace waferloom {

/// The all-reduces of a stage's tiles: of every replica, and of the same part in all replicas.
struct StageRings {
  Collective tensor;
  Collective data;
};
StageRings stage_rings(const Plan& plan, const Hardware& hardware, const Mesh& mesh,
                       const Rectangle& tiles, Meeting meeting);

/// How long a stage on some tiles works on a micro-batch: at the achievable part of its tiles' peak
/// rate, and with the exchanges that cutting makes necessary (PALM, Table III) around the rings of
/// its tiles.
struct StageService {
  Picoseconds forward = 0;   ///< exchange included
  Picoseconds backward = 0;  ///< exchange and what is computed again included
  Picoseconds forward_exchange = 0;
  Picoseconds backward_exchange = 0;
  Picoseconds tensor_exchange = 0;  ///< of both: among the parts of an operator
  /// Of both: among replicas, for gradients and parameters that they divide (ZeRO 2 and 3).
  Picoseconds data_exchange = 0;
  Picoseconds recompute = 0;  ///< of backward: what forward computes again, exchange included
  Picoseconds update = 0;     ///< exchange of a batch's gradients and parameters among replicas
  /// What of it is left when the last micro-batch has gone backward: all of it unless it overlaps.
  Picoseconds update_left = 0;
};

/// With `recompute` definite, not if_needed. ZeRO (Rajbhandari et al., SC'20): up to stage 1
/// gradients are all-reduced once a batch; with 2 they are reduce-scattered in every micro-batch,
/// and parameters gathered once a batch; with 3 parameters are gathered for every forward and
/// backward instead. Throws std::invalid_argument for times beyond 10^17 ps.
StageService stage_service(const Workload& workload, const Plan& plan, const Hardware& hardware,
                           const PlanCut& cut, std::size_t stage, const StageRings& rings);

}  // namespace waferloom
