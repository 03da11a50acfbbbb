#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "optimize/plans/kept_shares.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/plans/search_budget.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Why a plan was not simulated that does not promise enough.
inline constexpr const char* kExpectedSlower = "it is expected to run slower than the best";

/// What a search over plans is asked for.
struct PlanSearchJob {
  PlanSearchBudget budget;
  std::string strategy = "auto";   ///< of the placer
  std::optional<Plan> baseline{};  ///< the plan to beat
  std::string baseline_source{};   ///< where it was read
};

/// The search for the plan of a network that runs best in simulation.
class PlanSearch {
 public:
  /// All but the job have to live longer.
  PlanSearch(const PlanGround& ground, const planner::PlanSpace& space, PlanEstimates& estimates,
             PlanSearchJob job, PassedOverCounts& passed_over, const SearchControl& control);

  /// Proposes, routes, simulates, places. Throws SearchEnded if no plan was simulated.
  void run();
  /// All that were laid out, the plan to beat first, then in the order of their simulation.
  const std::vector<PlanTrial>& trials() const { return trials_; }
  /// The best of them, the first of equals; nothing before a plan has run.
  std::optional<std::size_t> best() const;
  /// "effort", "time_limit" or "interrupted".
  const std::string& ended_by() const { return ended_by_; }

 private:
  void add_baseline();
  void estimate_infeasible(PlanTrial& candidate) const;
  void propose();
  void choose_in_rounds(const SearchControl& phase);
  void simulate_rounds();
  std::vector<std::size_t> by_expected() const;
  std::vector<std::size_t> best_waiting(std::size_t count) const;
  bool rehearse(const std::vector<PlanTrial*>& trials, const SearchControl& phase);
  bool rehearse_waiting(const std::vector<std::size_t>& waiting, const SearchControl& phase);
  bool route(const std::vector<std::size_t>& waiting, const SearchControl& phase);
  std::size_t take_best(std::size_t count, const SearchControl& phase);
  void take_shallow();
  void take_parts(const SearchControl& phase);
  bool take(PlanTrial& candidate);
  void learn();
  void choose_variants_of_best();
  bool left_something_out() const;
  void pass_over_waiting();
  PlanEstimates::Tried try_first(const PlanTrial& first);
  bool is_repeated(const PlanTrial& candidate) const;
  void simulate(const std::vector<std::size_t>& chosen, const SearchControl& control);
  std::vector<std::size_t> not_run() const;
  std::vector<std::size_t> by_hope(std::vector<std::size_t> some) const;
  void simulate_within(const std::vector<std::size_t>& chosen,
                       const std::function<TrialRun(const PlanTrial&)>& run_of, std::uint64_t most,
                       const SearchControl& control);
  /// Of a round of simulations.
  struct RoundOfWork {
    std::uint64_t most = 0;    ///< of all rounds up to this one
    std::uint64_t of_one = 0;  ///< of one simulation, at most
    std::uint64_t light = 0;   ///< what takes no more runs exactly
  };
  void simulate_those_within(const RoundOfWork& round, const SearchControl& control);
  void simulate_one_at_least(std::uint64_t light, std::uint64_t most, const SearchControl& control);
  void simulate_best_exactly(std::uint64_t most, const SearchControl& control);
  bool may_win(const PlanTrial& trial, std::uint64_t light) const;
  void say_why_left_out(std::uint64_t light, const SearchControl& control);
  std::uint64_t most_work(std::uint64_t work) const;
  std::vector<std::size_t> plans_to_place() const;
  void place_best();
  void place_by_prices();
  void run_branches();
  [[noreturn]] void fail_without_any() const;

  const PlanGround& ground_;
  const planner::PlanSpace& space_;
  PlanEstimates& estimates_;
  const PlanSearchJob job_;
  PassedOverCounts& passed_over_;
  const SearchControl& control_;
  std::vector<PlanTrial> trials_;
  std::vector<PlanTrial> waiting_;  // estimated; those that were chosen have no tiles any more
  std::vector<PlanTrial> parts_;    // the best plan of each part of the mesh
  std::size_t most_routed_ = 0;     // of these, to be chosen by routes of their own
  std::size_t rehearsed_ = 0;       // rehearsals so far
  std::set<std::size_t> routed_;    // of these, for which routes were sought
  std::set<std::string> taken_;     // kinds of those that were chosen
  KeptShares kept_;
  KeptShares kept_in_rehearsal_;  // of what estimates promise
  KeptShares kept_on_routes_;     // of what rehearsals leave of that
  bool was_cut_ = false;          // something was left out for want of time
  std::uint64_t work_ = 0;        // of simulations that were held to most_work()
  std::uint64_t first_work_ = kFirstWork;
  std::size_t given_ = 0;  // trials before those that were proposed
  std::string ended_by_;
};

}  // namespace waferloom::optimize
