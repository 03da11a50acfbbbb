#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "optimize/plans/plan_trial.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// How fast plans would run if their tiles did nothing but compute, each operator as long as the
/// tile that has most of it. No plan is estimated faster, besides the rounding of times to
/// picoseconds and interleaved ones, which fill their pipeline sooner.
class ComputeBound {
 public:
  /// Both have to live longer.
  ComputeBound(const PlanGround& ground, const planner::PlanSpace& space);

  /// In samples. O(operators); the network is cut once for each depth of pipeline, in O(operators ·
  /// stages), and shared once for each pair of tensor and data.
  double samples_per_s(const Plan& plan);

 private:
  struct Cut {
    std::vector<std::vector<std::size_t>> stages;  ///< operators of each
    double flop_per_s = 0;                         ///< of a tile
  };
  const Cut& cut(std::int64_t pipeline);
  /// Operations of a sample by operator, as if all tiles had as many as the fullest.
  const std::vector<double>& flop(const Plan& plan);

  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  std::map<std::int64_t, Cut> cuts_;                                           // by pipeline depth
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> flop_;  // by tensor, data
};

}  // namespace waferloom::optimize
