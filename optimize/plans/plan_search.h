#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimize/optimize.h"
#include "optimize/plan_trial.h"
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
  /// Sum over the stages and slowest stage, in operations of one sample, by pipeline depth.
  std::pair<double, double> work(std::int64_t pipeline);
  double compute_rate(const Plan& plan);
  void pass_over(const std::string& reason, const std::string& example, std::size_t count = 1);
  std::vector<Plan> best_degrees();
  void count_what_is_not_enumerated();
  void propose();
  using Dimensions = std::function<std::vector<planner::PlanChoices>(const Plan& degrees)>;
  std::vector<PlanTrial> estimated(const std::vector<Plan>& degrees, const Dimensions& dimensions);
  Plan with_degrees_of(const Plan& plan) const;
  void choose(std::vector<PlanTrial> estimated);
  bool is_repeated(const PlanTrial& one) const;
  void simulate(const std::vector<std::size_t>& chosen);
  std::vector<std::size_t> plans_to_place() const;
  void place_best();
  [[noreturn]] void fail_without_any() const;

  const PlanSearchOptions& job_;
  const RunControl& control_;
  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  std::vector<PlanTrial> trials_;                  // the first one is the baseline, if there is one
  std::map<std::string, PassedOver> passed_over_;  // by reason
  std::map<std::int64_t, std::pair<double, double>> work_;
  std::string ended_by_;
};

}  // namespace waferloom::optimize
