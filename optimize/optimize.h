#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routes.h"
#include "optimize/placer_run.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"
#include "sim/simulate.h"

namespace waferloom::optimize {

/// Candidates that were passed over for one reason.
struct PassedOver {
  std::string reason;
  std::size_t count = 0;
  std::string example;
};

/// What `optimize` found.
struct OptimizeResult {
  std::string subject;                  ///< as its file calls it
  std::string source;                   ///< where it was read
  std::vector<Trial> trials;            ///< in the order in which they were proposed
  std::vector<PassedOver> passed_over;  ///< of those that are not among them
  std::size_t best = 0;
  std::optional<std::size_t> baseline;
  std::size_t rounds = 1;
  /// Of a case: the rate that no placement exceeds. Some kernel takes at least the placer's bound
  /// on time.
  std::optional<double> roof_per_s{};
  std::string ended_by;  ///< "effort", "no gain", "roof", "time_limit", "interrupted"
  std::optional<IslandNote> islands{};  ///< there if islands searched (optimize/case_islands.h)
};

/// How the placement of a case is searched.
struct CaseSearchOptions {
  std::string source;  ///< where the case was read, for progress
  std::string strategy = "auto";
  std::size_t top = 4;  ///< candidates to simulate a round
  bool training = false;
  std::size_t rounds = 4;  ///< of other weights, at most
  /// A placement to begin with in place of what `place` gives. What is missing in it, or illegal,
  /// is made whole first.
  std::optional<PartialPlacement> start{};
};

struct OptimizedCase {
  OptimizeResult result;
  Placement placement;           ///< the winner's
  Routes routes;                 ///< its own where routes are planned
  sim::ThroughputReport report;  ///< of its simulation
};

/// Places a case as `place` does, and simulates it. Then places it again under other weights, in
/// rounds, and simulates what promises most. Ends when a round gains nothing or the best is within
/// 0.2 % of the roof. Keeps the placement that runs fastest in simulation. Throws SearchEnded if
/// there is no placement or the first simulation was cut, RequestError where the hardware cannot
/// hold the case.
OptimizedCase optimize_case(const Problem& problem, const Hardware& hardware,
                            const CaseSearchOptions& options,
                            const sim::SimulateOptions& simulation, const SearchControl& control);

/// Plans of a network that are simulated, unless another number is given.
inline constexpr std::size_t kSimulatedPlans = 16;

/// How the plan of a network is searched.
struct PlanSearchOptions {
  std::string source;  ///< where the network was read
  std::string strategy = "auto";
  std::optional<std::size_t> top{};  ///< plans to simulate; nothing: kSimulatedPlans
  std::optional<Plan> baseline{};    ///< the plan to beat
  std::string baseline_source{};     ///< where it was read
};

struct OptimizedPlan {
  OptimizeResult result;
  PlanTrial winner;
};

/// The search of plan_network, and then, with more work: simulates what that left out, varies the
/// best, and places the stages of the fastest. So what it finds is no slower.
/// Throws SearchEnded if no plan was simulated, InputError for a plan to beat that cannot be laid
/// out, RequestError where the hardware cannot run the network.
OptimizedPlan optimize_plan(const PlanGround& ground, const planner::PlanSpace& space,
                            const PlanSearchOptions& options, const SearchControl& control);

/// What `optimize` is asked for.
struct OptimizeRequest {
  std::optional<std::size_t> top;  ///< candidates to simulate; none: CaseSearchOptions{}.top or
                                   ///< kSimulatedPlans
  sim::RunRequest run;
  std::int64_t batch = planner::kPlannedBatch;
  bool inference = false;
  sim::MemoryModel memory_model = sim::MemoryModel::simulated;
  std::string strategy = placer::PlaceOptions{}.strategy;
};
Options<OptimizeRequest> optimize_options();

}  // namespace waferloom::optimize
