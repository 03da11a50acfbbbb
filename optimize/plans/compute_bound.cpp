#include "optimize/plans/compute_bound.h"

#include <algorithm>

namespace waferloom::optimize {

ComputeBound::ComputeBound(const PlanGround& ground, const planner::PlanSpace& space)
    : ground_(ground), space_(space) {}

const ComputeBound::Work& ComputeBound::work(std::int64_t pipeline) {
  const auto [at, is_new] = work_.try_emplace(pipeline);
  if (!is_new) return at->second;
  Plan plan = space_.base;
  plan.tensor = plan.data = plan.micro_batch = 1;
  plan.pipeline = pipeline;
  for (const sim::StageWork& stage :
       sim::cut_plan(ground_.workload, plan, ground_.hardware).stages) {
    const auto flop = static_cast<double>(stage.forward_flop + stage.backward_flop);
    at->second.fill += flop;
    at->second.slowest = std::max(at->second.slowest, flop);
    at->second.flop_per_s = std::max(at->second.flop_per_s, stage.flop_per_s);
  }
  return at->second;
}

double ComputeBound::samples_per_s(const Plan& plan) {
  const Work& all = work(plan.pipeline);
  const double flop_per_s = static_cast<double>(plan.tiles()) * all.flop_per_s;
  if (!plan.trains()) return flop_per_s / all.slowest;
  return flop_per_s * static_cast<double>(space_.batch) /
         (static_cast<double>(plan.samples()) *
          planner::pipeline_time(all.fill, all.slowest, plan.micro_batches));
}

}  // namespace waferloom::optimize
