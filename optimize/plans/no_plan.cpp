#include "optimize/plans/no_plan.h"

namespace waferloom::optimize {

SearchEnded nothing_fits(const PlanGround& ground, const planner::PlanSpace& space,
                         const std::string& why) {
  return {EndReason::infeasible, "no plan for a batch of " + std::to_string(space.batch) +
                                     " fits " + ground.hardware.name +
                                     (why.empty() ? "" : "; " + why)};
}

SearchEnded no_plan(const PlanGround& ground, const planner::PlanSpace& space,
                    const SearchControl& control, const std::string& why) {
  if (control.interrupted()) {
    return {EndReason::interrupted, "interrupted before a plan was simulated"};
  }
  if (control.is_cut()) {
    return {EndReason::time_limit, "the time limit passed before a plan was simulated"};
  }
  return nothing_fits(ground, space, why);
}

}  // namespace waferloom::optimize
