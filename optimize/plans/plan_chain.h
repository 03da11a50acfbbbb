#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimize/plan.h"
#include "planner/plan_fit.h"
#include "planner/plan_space.h"
#include "planner/plan_time.h"
#include "planner/system_plan.h"

namespace waferloom::optimize {

/// The chain of `plan`: degrees, memory (Centimani), partitions and sharding (DFModel), time
/// (AMPeD, PALM), and the best few laid out, simulated and ranked again.
class PlanChain {
 public:
  /// All have to live longer.
  PlanChain(const PlanJob& job, const PlanGround& ground, const planner::PlanSpace& space,
            const RunControl& control);

  /// Throws SearchEnded, with the memory that is short, where no plan fits.
  void run();
  /// What was found, once.
  PlanFindings findings() &&;

 private:
  const PlannedTrial& winner() const { return trials_.front(); }
  /// The winner's plan with the mapping of a layer.
  Plan plan() const;
  void rank_degrees();
  void enumerate();
  void price(std::size_t begin);
  void sort_candidates();
  double ranked_value(const PlanCandidate& plan_candidate) const;
  double objective_of(const Plan& plan, double samples_per_s, double latency_s) const;
  double estimated_value(const PlannedTrial& trial) const;
  double simulated_value(const PlannedTrial& trial) const;
  std::vector<PlanTrial> laid_out(const PlanCandidate& candidate, std::string& complaint);
  void simulate_early(std::size_t begin, std::size_t end);
  std::vector<PlannedTrial> estimated();
  void simulate_best();
  void place_best();
  void rank();
  void price_trials();
  void compare();
  [[noreturn]] void fail() const;

  const PlanJob& job_;
  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  const RunControl& control_;
  planner::PlanFitter fitter_;
  planner::PlanTimer timer_;
  std::vector<std::pair<double, Plan>> degrees_;  // with samples a second if nothing but computes
  std::size_t next_degrees_ = 0;                  // among them, to be enumerated
  double nearest_lack_ =
      std::numeric_limits<double>::infinity();  // needed over there, of infeasible
  PlanCounts counts_;
  std::vector<PlanCandidate> candidates_;
  std::vector<PlannedTrial> trials_;
  std::optional<planner::OperatorMapping> layer_;
  PartComparison comparison_;
  std::atomic<bool> was_cut_ = false;  // something was left out for want of time
  std::string ended_by_;
};

/// Seconds of a batch on the stage that computes longest, by what the simulation saw.
planner::BatchTimes simulated_parts(const sim::PlannedPipeline& planned,
                                    const sim::PlanReport& report);

}  // namespace waferloom::optimize
