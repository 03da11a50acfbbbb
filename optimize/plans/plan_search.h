#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimize/optimize.h"
#include "optimize/plan_trial.h"
#include "optimize/plans/passed_over.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// The search for the plan of a network that runs fastest.
class PlanSearch {
 public:
  /// All have to live longer.
  PlanSearch(const PlanGround& ground, const planner::PlanSpace& space,
             const PlanSearchOptions& job, const RunControl& control);

  /// Enumerates, estimates, simulates, places. Throws SearchEnded if no plan was simulated.
  void run();
  OptimizeResult result() const;
  const PlanTrial& winner() const { return trials_[*best()]; }

 private:
  std::optional<std::size_t> best() const;
  void add_baseline();
  void estimate_infeasible(PlanTrial& candidate) const;
  std::vector<std::size_t> proposed();
  void rank_on_routes(std::vector<PlanTrial>& estimated) const;
  void choose(std::vector<PlanTrial> estimated);
  std::vector<std::size_t> variants_of_fastest(std::size_t first);
  std::size_t most_simulated() const { return job_.top.value_or(kSimulatedPlans); }
  bool is_repeated(const PlanTrial& candidate) const;
  void simulate(const std::vector<std::size_t>& chosen, const RunControl& control);
  std::vector<std::size_t> plans_to_place() const;
  void place_best();
  void place_by_prices();
  [[noreturn]] void fail_without_any() const;

  const PlanSearchOptions& job_;
  const RunControl& control_;
  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  std::vector<PlanTrial> trials_;   // the first one is the baseline, or found first
  std::vector<PlanTrial> waiting_;  // estimated, neither chosen nor passed over yet
  PassedOverCounts passed_over_;
  bool was_cut_ = false;  // something was left out for want of time
  std::string ended_by_;
};

}  // namespace waferloom::optimize
