#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
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

  /// In samples. O(operators); the network is cut once for each depth of pipeline and degree of
  /// tensor parallelism, in O(operators · stages), and shared once for each tensor, data and
  /// micro-batch, in O(operators · degrees).
  double samples_per_s(const Plan& plan);
  /// Shares the network among the degrees of many plans at once, which samples_per_s knows then.
  /// Throws RunCut.
  void prepare(const std::vector<const Plan*>& plans, int threads, const RunControl& control);

 private:
  struct Cut {
    std::vector<std::vector<std::size_t>> stages;  ///< operators of each
    double flop_per_s = 0;                         ///< of a tile
    ElementCost element_cost{};
  };
  const Cut& cut(const Plan& whole);
  /// Work of a sample by operator (PaidWork), as if all tiles had as much as the fullest, with the
  /// degrees of it that compute fastest.
  const std::vector<double>& flop(const Plan& plan);
  using Pair = std::pair<std::int64_t, std::int64_t>;
  double paid_of(std::size_t place, const Plan& plan, const ElementCost& cost,
                 std::int64_t parts) const;
  double work_of(std::size_t place, const Plan& plan, const ElementCost& cost,
                 const Degrees& degrees) const;
  /// With the degrees that compute fastest.
  double least_work(std::size_t place, const Plan& plan);
  using LeastKey = std::tuple<std::size_t, std::int64_t, std::int64_t>;
  LeastKey least_key(std::size_t place, const Plan& plan) const {
    return {kinds_[place], plan.samples(), plan.tiles()};
  }
  /// The same where it is not known yet, of a plan whose cut is known: from any thread.
  double found_least(std::size_t place, const Plan& plan) const;

  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  std::vector<OperatorCount> counted_;  // of each operator
  std::vector<std::size_t> kinds_;      // of each: equal for those that are alike
  std::map<Pair, Cut> cuts_;            // by tensor, pipeline
  // By kind, samples, tiles.
  std::map<LeastKey, double> least_;
  // By tensor, data, samples.
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<double>> flop_;
};

}  // namespace waferloom::optimize
