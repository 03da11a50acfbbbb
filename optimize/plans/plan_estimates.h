#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "optimize/plan_trial.h"
#include "optimize/plans/compute_bound.h"
#include "optimize/plans/passed_over.h"
#include "optimize/run_control.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Why plans whose memory is short are passed over.
inline constexpr const char* kMisfit = "does not fit the memory";

/// The degrees of a plan as text, without what variants of them differ in.
std::string degrees_name(const Plan& plan);

/// "TP8 DP1 PP39, …: 6.05 samples/s".
std::string promise_text(const PlanTrial& candidate);

/// Finds the plans that promise most, by branch and bound: degrees are estimated in the order of
/// how fast their tiles compute if nothing else takes time, until no other can be among the best.
class PlanEstimates {
 public:
  /// All have to live longer.
  PlanEstimates(const PlanGround& ground, const planner::PlanSpace& space,
                PassedOverCounts& passed_over);

  /// All variants of the degrees that promise most, the best first, laid out, or a few where there
  /// is no time for all; what cannot be laid out or does not fit is passed over. `on_first` is
  /// called once, with the first plan that can run. Takes less than half of a time limit, unless
  /// nothing was found by then, and begins no estimate that may take longer than that.
  std::vector<PlanTrial> best(const RunControl& control,
                              const std::function<void(const PlanTrial&)>& on_first);

  /// Whether a time limit or a signal kept anything from being estimated.
  bool was_cut() const { return was_cut_; }

 private:
  struct RankedDegrees {
    Plan plan;
    double bound;  ///< samples a second, communication left out
  };
  using Dimensions = std::function<std::vector<planner::PlanChoices>(const Plan& degrees)>;

  std::vector<RankedDegrees> ranked_degrees();
  void count_what_is_not_enumerated();
  std::vector<PlanTrial> coarse_estimates(const RunControl& control,
                                          const std::function<void(const PlanTrial&)>& on_first);
  std::vector<Plan> best_degrees(const std::vector<PlanTrial>& coarse);
  Plan with_degrees_of(const Plan& plan) const;
  std::vector<PlanTrial> estimated(const std::vector<Plan>& degrees, const Dimensions& dimensions,
                                   const RunControl& part, bool is_found);
  bool is_over(const RunControl& part, bool is_found) const;

  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  PassedOverCounts& passed_over_;
  ComputeBound bound_;
  bool was_cut_ = false;
};

}  // namespace waferloom::optimize
