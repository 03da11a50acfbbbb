#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "optimize/plans/compute_bound.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_ranking.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Finds the plans that promise most, by branch and bound: degrees are estimated in the order of
/// how fast their tiles compute if nothing else takes time, until no other can be among the best.
/// Ranks plans by samples a second.
class PlanEstimates : public PlanRanking {
 public:
  /// All have to live longer.
  PlanEstimates(const PlanGround& ground, const planner::PlanSpace& space,
                PassedOverCounts& passed_over);

  /// All variants of the degrees that promise most, or a few where there is no time for all. What
  /// cannot be laid out or does not fit is passed over. Gives `try_first` the first plan that can
  /// run, with or without a time limit. Takes less than half of a time limit, unless nothing was
  /// found by then, and begins no estimate that may take longer than that.
  std::vector<PlanTrial> proposed(const SearchControl& control, const TryFirst& try_first) override;
  double promised(const PlanTrial& trial) const override { return -*trial.trial.promised_per_s; }
  double measured(const PlanTrial& trial) const override {
    return -trial.trial.measured->metrics.samples_per_s;
  }
  /// Degrees and micro-batches.
  std::string kind_of(const Plan& plan) const override;
  bool was_cut() const override { return was_cut_; }
  std::string why_none() const override;

 private:
  struct RankedDegrees {
    Plan plan;
    double bound;  ///< samples a second, communication left out
  };
  using Dimensions = std::function<std::vector<planner::PlanChoices>(const Plan& degrees)>;

  std::vector<RankedDegrees> ranked_degrees();
  void count_what_is_not_enumerated();
  std::vector<PlanTrial> coarse_estimates(const SearchControl& control, const TryFirst& try_first);
  std::vector<Plan> best_degrees(const std::vector<PlanTrial>& coarse);
  Plan with_degrees_of(const Plan& plan) const;
  std::vector<PlanTrial> estimated(const std::vector<Plan>& degrees, const Dimensions& dimensions,
                                   const SearchControl& part, bool is_found);
  bool is_over(const SearchControl& part, bool is_found) const;

  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  PassedOverCounts& passed_over_;
  ComputeBound bound_;
  bool was_cut_ = false;
};

}  // namespace waferloom::optimize
