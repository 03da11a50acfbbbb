#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "optimize/cases/case_pipeline.h"
#include "optimize/cases/case_proposals.h"
#include "optimize/optimize.h"
#include "router/route.h"
#include "sim/pipeline_spec.h"
#include "sim/simulate.h"

namespace waferloom::optimize {

/// A placement of a case and what became of it.
struct CaseTrial {
  Trial trial;
  std::optional<Placement> placement;
  std::optional<CasePipeline> pipeline{};  ///< of what has a promise, planned: of what is routed
  Reweighing weights{};                    ///< under which it was placed
  std::vector<double> lanes_ps{};          ///< planned: by connection, as CasePromise has them
  sim::ThroughputReport found{};
};

/// The search for the placement of a case that runs fastest.
class CaseSearch {
 public:
  /// All have to live longer.
  CaseSearch(const Problem& problem, const Hardware& hardware, const CaseSearchOptions& job,
             const sim::SimulateOptions& options, const SearchControl& control);

  /// Places as `place` does, then in rounds under other weights, as long as that brings something.
  /// Throws SearchEnded if there is no placement, or the first one's simulation was cut, and
  /// RequestError where the hardware cannot hold the case.
  void run();
  OptimizeResult result() const;
  const CaseTrial& winner() const { return trials_[best()]; }

  /// Times faster: less is not worth a round.
  static constexpr double kWorthARound = 1.002;

 private:
  double rate(std::size_t at) const { return trials_[at].trial.measured->metrics.samples_per_s; }
  std::size_t best() const;
  void begin();
  CaseTrial placed_baseline();
  /// What place gives, from a start if there is one.
  Placement placed_from(const std::optional<PartialPlacement>& first);
  CaseTrial given_start();
  /// Whether no other placement is worth a round.
  bool is_at_roof() const { return kWorthARound * rate(best()) > roof_per_s_; }
  bool promise(CaseTrial& case_trial) const;
  bool promise_routed(CaseTrial& case_trial) const;
  bool route(CaseTrial& case_trial, router::RouteOptions options,
             const SearchControl& control) const;
  void tell_least_period(CaseTrial& case_trial) const;
  std::vector<std::size_t> routed(const std::vector<std::size_t>& chosen, double to_beat);
  void route_fully(std::size_t at);
  double contest_cost(const Placement& placement) const;
  void propose(std::size_t round);
  std::vector<CaseProposal> proposals_of(std::size_t from, std::size_t round) const;
  EdgeLoads loads(const CaseTrial& of) const;
  /// A proposal placed, the first of `left` that are to come in this round.
  CaseTrial placed(const CaseProposal& proposal, const Placement& start, std::size_t left,
                   const std::string& label);
  Problem with_room(Decimal6 samples) const;
  BufferState buffer_state(std::size_t at) const;
  void turn(CaseTrial& case_trial) const;
  bool tries_images() const { return !is_planned(); }
  bool is_planned() const { return options_.routing == Routing::planned; }
  std::vector<std::size_t> promising(std::size_t first, std::size_t from);
  std::optional<std::size_t> repeated(std::size_t at) const;
  void simulate_all(const std::vector<std::size_t>& chosen);
  void simulate_one(CaseTrial& case_trial, const sim::SimulateOptions& options) const;
  void confirm();
  std::optional<std::size_t> next_to_confirm() const;
  double rate_when_full(std::size_t at) const;
  bool needs_more(std::size_t at) const;
  void simulate_fully(std::size_t at);

  const CaseSearchOptions& job_;
  const SearchControl& control_;
  const SearchControl rounds_control_;  // that of placements tried
  const Problem& problem_;
  const Hardware& hardware_;
  const sim::SimulateOptions& options_;
  std::vector<CaseTrial> trials_;  // the first one is what place gives
  std::size_t rounds_ = 0;
  std::int64_t least_time_ = 0;  // the placer's bound, in units of 1/time_denominator
  double roof_per_s_ = 0;
  std::string ended_by_;
};

}  // namespace waferloom::optimize
