#pragma once

#include <cstdint>
#include <map>

#include "optimize/plan_trial.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// How fast plans would run if their tiles did nothing but compute. No plan is faster, besides the
/// rounding of times to picoseconds and interleaved ones, which fill their pipeline sooner.
class ComputeBound {
 public:
  /// Both have to live longer.
  ComputeBound(const PlanGround& ground, const planner::PlanSpace& space);

  /// In samples. The network is cut once for each depth of pipeline: O(operators · stages) then.
  double samples_per_s(const Plan& plan);

 private:
  struct Work {
    double fill = 0;        ///< operations of one sample, all stages
    double slowest = 0;     ///< of the slowest stage
    double flop_per_s = 0;  ///< of a tile
  };
  const Work& work(std::int64_t pipeline);

  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  std::map<std::int64_t, Work> work_;  // by pipeline depth
};

}  // namespace waferloom::optimize
