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
/// rate, and with the all-reduces that cutting makes necessary (PALM, Table III) around the rings
/// of its tiles.
struct StageService {
  Picoseconds forward = 0;  ///< exchange included
  Picoseconds backward = 0;
  Picoseconds forward_exchange = 0;
  Picoseconds backward_exchange = 0;
  Picoseconds update = 0;  ///< all-reduce of the gradients of its parameters, once a batch
};
StageService stage_service(const Workload& workload, const Plan& plan, const Hardware& hardware,
                           const PlanCut& cut, std::size_t stage, const StageRings& rings);

}  // namespace waferloom
