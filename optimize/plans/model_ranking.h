#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "optimize/plan.h"
#include "optimize/plans/plan_ranking.h"
#include "planner/plan_models.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Ranks plans by published models: degrees, memory (Centimani), partitions and sharding (DFModel),
/// time (DFModel, AMPeD), and the best few hundred laid out and estimated (PALM).
class ModelRanking : public PlanRanking {
 public:
  /// All have to live longer.
  ModelRanking(const PlanJob& job, const PlanGround& ground, const planner::PlanSpace& space);

  /// Gives `try_first` plans only under a time limit. Empty where no plan fits, or where the time
  /// was over before one had run.
  std::vector<PlanTrial> proposed(const SearchControl& control, const TryFirst& try_first) override;
  double promised(const PlanTrial& trial) const override;
  double measured(const PlanTrial& trial) const override;
  /// The tensor, data and pipeline degrees.
  std::string kind_of(const Plan& plan) const override;
  bool was_cut() const override { return was_cut_; }
  std::string why_none() const override { return counts_.why_infeasible; }

  const PlanCounts& counts() const { return counts_; }
  /// What the models said, the best first.
  const std::vector<PlanCandidate>& candidates() const { return candidates_; }
  /// The models, with all that they have mapped.
  planner::PlanTimer& timer() { return timer_; }

 private:
  void rank_degrees(const SearchControl& control);
  void enumerate(const SearchControl& control);
  void price(std::size_t begin, const SearchControl& control, const TryFirst& try_first);
  void sort_candidates();
  double ranked_value(const PlanCandidate& plan_candidate) const;
  double objective_of(const Plan& plan, double samples_per_s, double latency_s) const;
  std::vector<PlanTrial> laid_out(const PlanCandidate& candidate, const SearchControl& control,
                                  std::string& complaint);
  void try_early(std::size_t begin, std::size_t end, const SearchControl& control,
                 const TryFirst& try_first);
  void try_best(const SearchControl& control, const TryFirst& try_first);
  std::vector<const PlanCandidate*> promising_candidates(std::size_t most) const;
  std::vector<PlanTrial> estimated(const SearchControl& control);

  const PlanJob& job_;
  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  planner::PlanFitter fitter_;
  planner::PlanTimer timer_;
  std::vector<std::pair<double, Plan>> degrees_;  // with samples a second if nothing but computes
  std::size_t next_degrees_ = 0;                  // among them, to be enumerated
  double nearest_lack_ = std::numeric_limits<double>::infinity();  // needed over there
  PlanCounts counts_;
  std::vector<PlanCandidate> candidates_;
  bool has_run_ = false;               // some plan that was tried early
  std::atomic<bool> was_cut_ = false;  // something was left out for want of time
};

}  // namespace waferloom::optimize
