#pragma once

#include <cstdint>

#include "model/plan.h"

namespace waferloom::sim {

/// PALM's baseline: TP 8, DP 2, 20 stages, a micro-batch of one sample a replica, layers alone.
inline Plan palm_plan(std::int64_t micro_batches,
                      Schedule schedule = Schedule::one_forward_one_backward) {
  Plan plan;
  plan.tensor = 8;
  plan.data = 2;
  plan.pipeline = 20;
  plan.micro_batches = micro_batches;
  plan.schedule = schedule;
  plan.leave_out = {"embedding", "head"};
  return plan;
}

}  // namespace waferloom::sim
