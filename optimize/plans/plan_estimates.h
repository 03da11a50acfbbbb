#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "optimize/plan.h"
#include "optimize/plans/compute_bound.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "planner/plan_models.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Inference is a stream: enough of it is run to see how fast it flows. Training has its batch.
void set_stream(Plan& plan);

/// What plans are ranked by.
struct RankedBy {
  RankingModel model = RankingModel::palm;
  planner::Objective objective = planner::Objective::throughput;
};

/// Finds the plans that promise most, by branch and bound: degrees are estimated in the order of
/// how fast their tiles compute if nothing else takes time, until no other can be among the best.
class PlanEstimates {
 public:
  /// Simulates a plan with little work, and answers what came of it.
  enum class Tried : std::uint8_t { none, refused, too_long, ran };
  using TryFirst = std::function<Tried(const PlanTrial&)>;

  /// All have to live longer.
  PlanEstimates(const PlanGround& ground, const planner::PlanSpace& space,
                PassedOverCounts& passed_over, RankedBy ranked_by = {});
  PlanEstimates(const PlanEstimates&) = delete;
  PlanEstimates& operator=(const PlanEstimates&) = delete;
  ~PlanEstimates() = default;

  /// Samples a second that are there already, in some other way. On a large mesh nothing more is
  /// estimated once a plan promises less than a hundredth of them, and of all but the best plan
  /// it is known only that they promise no more than that.
  void set_rival(double samples_per_s) { rival_per_s_ = samples_per_s; }
  /// Plans that can run, laid out and estimated, those that promise most first: variants of the
  /// degrees that promise most, or a few where there is no time for all. What cannot be laid out or
  /// does not fit is passed over. `try_first`, if there is one, gets the first of the plans that
  /// can run, a few at a time, until one ran. Takes less than half of a time limit, unless
  /// nothing was found by then, and begins no estimate that may take longer than that.
  std::vector<PlanTrial> proposed(const SearchControl& control, const TryFirst& try_first);
  /// The best of the first few plans that can run, in the order of how fast tiles compute: what can
  /// be told soon. Nothing where of the first degrees none can. Not of large meshes.
  std::optional<PlanTrial> first(const SearchControl& control);
  /// The best plan of each part of the mesh (parts_of_mesh) that can run, laid out and estimated,
  /// of the first few degrees of those proposed that have room there. None of large meshes, and of
  /// switched hardware, which has no parts, nor where time is short.
  std::vector<PlanTrial> of_parts(const SearchControl& control);
  /// What an estimated plan, and a measured one, are worth: the less the better. Of what the
  /// estimate promises a share is expected to be kept.
  double promised(const PlanTrial& trial, double kept_share = 1) const;
  double measured(const PlanTrial& trial) const;
  /// The share of what a plan promised that is left of it: of its rate, or of its latency where
  /// that is what counts.
  double kept_share(const Plan& plan, const PlanSpeed& promised, const PlanSpeed& left) const;
  /// Plans of equal degrees and micro-batches differ little, so few of them are simulated.
  static std::string kind_of(const Plan& plan);
  /// Whether a time limit or a signal left plans out.
  bool was_cut() const { return was_cut_; }
  /// An example of what was wrong with plans; empty if none is known.
  std::string why_none() const;
  const PlanCounts& counts() const { return counts_; }
  /// The best of each kind that was estimated and fits, by the model that ranks; of the first few
  /// what the other models say, as far as there is time.
  std::vector<PlanCandidate> candidates(const SearchControl& control);
  planner::PlanTimer& timer() { return timer_; }

 private:
  struct RankedDegrees {
    Plan plan;
    double bound;  ///< samples a second, communication left out
  };
  using Dimensions = std::function<std::vector<planner::PlanChoices>(const Plan& degrees)>;

  std::vector<RankedDegrees> ranked_degrees(const SearchControl& control);
  void count_what_is_not_enumerated();
  std::vector<PlanTrial> coarse_estimates(const SearchControl& control, const TryFirst& try_first);
  std::size_t add_shallow(const std::vector<RankedDegrees>& ranked, std::size_t begin,
                          const SearchControl& phase, std::vector<PlanTrial>& estimates);
  std::vector<PlanTrial> few_estimates(const SearchControl& control, const TryFirst& try_first);
  std::span<const PlanTrial> add_candidates(const std::vector<PlanTrial>& estimated);
  void count_kinds();
  void rank_by_model(const SearchControl& control);
  std::vector<Plan> best_variants(const std::vector<PlanTrial>& coarse);
  std::vector<planner::PlanChoices> and_cuts(std::vector<planner::PlanChoices> dimensions,
                                             const Plan& plan) const;
  std::vector<PlanTrial> estimated(const std::vector<Plan>& degrees, const Dimensions& dimensions,
                                   const SearchControl& part, bool is_found);
  bool wants_best_alone() const;
  void settle_best(std::vector<PlanTrial>& bounded, const SearchControl& part);
  bool is_over(const SearchControl& part, bool is_found) const;
  void try_some(const TryFirst& try_first, const std::vector<PlanTrial>& estimated);
  bool bounds_objective() const;
  double objective_of(const Plan& plan, double samples_per_s, double latency_s) const;

  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  PassedOverCounts& passed_over_;
  const RankedBy ranked_by_;
  ComputeBound bound_;
  planner::PlanTimer timer_;
  const Dimensions coarse_;  ///< of a small mesh
  const Dimensions states_;  ///< of a large one
  PlanCounts counts_;
  std::vector<PlanTrial> kinds_;          // the best of each, by what ranks
  std::set<std::string> without_memory_;  // kinds of which some variant does not fit
  Tried tried_ = Tried::none;             // the best that came of try_first
  double rival_per_s_ = 0;
  bool was_cut_ = false;
};

}  // namespace waferloom::optimize
