#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/option_spec.h"
#include "optimize/optimize.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "placer/place.h"
#include "planner/plan_models.h"
#include "planner/plan_space.h"
#include "planner/system_plan.h"

namespace waferloom::optimize {

/// By which model plans are ranked before they are simulated: by PALM's formulas with the wafer's
/// links, ports and memory (plan_trial.h), or by another of the published ones.
enum class RankingModel : std::uint8_t { palm, dfmodel, amped };
inline constexpr std::array<std::string_view, 3> kRankingModelNames{"palm", "dfmodel", "amped"};
constexpr std::span<const std::string_view> words_of(RankingModel /*of*/) {
  return kRankingModelNames;
}

/// What `plan` was asked for, besides what it reads.
struct PlanJob {
  RankingModel model = RankingModel::palm;
  planner::Objective objective = planner::Objective::throughput;
  std::size_t top = kSimulatedPlans;
  bool places = false;  ///< GigaPlacer lays out the stages of the best ones
  std::string strategy = placer::PlaceOptions{}.strategy;
};

/// Some degrees that fit, in the variant that promises most, and what the models say of it.
struct PlanCandidate {
  Plan plan;
  double palm_per_s = 0;  ///< samples
  /// Nothing where time was short, or the model does not know the plan.
  std::optional<planner::PlanTime> dfmodel{};
  std::optional<planner::PlanTime> amped{};
};

/// What of the degrees became candidates.
struct PlanCounts {
  std::size_t degrees = 0;       ///< tensor, data and pipeline
  std::size_t plans = 0;         ///< with a micro-batch each
  std::size_t infeasible = 0;    ///< of those that were estimated: no memory
  std::size_t candidates = 0;    ///< that were estimated and fit
  std::string why_infeasible{};  ///< an example
};

/// One of the best, laid out and simulated.
struct PlannedTrial {
  PlanTrial trial;
  double objective = 0;  ///< by simulation, the less the better
  /// Of the plan that was simulated; nothing where time was short, or the model does not know it.
  std::optional<planner::PlanTime> dfmodel{};
  std::optional<planner::PlanTime> amped{};
};

/// The parts of the winner's batch by each model and by simulation. Of inference: of all
/// micro-batches with the filling of the pipeline, which rates leave out; what was not simulated is
/// extrapolated.
struct PartComparison {
  planner::PlanTime dfmodel;
  std::optional<planner::PlanTime> amped;
  planner::BatchTimes simulated;
  sim::PlanReport report;
};

/// What `plan` found.
struct PlanFindings {
  /// Trials whose simulation ended.
  std::size_t simulated() const;
  PlanCounts counts;
  std::vector<PlanCandidate> candidates;  ///< the best by the model that ranks, the best first
  std::vector<PlannedTrial> trials;       ///< tried, the best first; cut ones and failures last
  Plan plan;                              ///< the winner's, with the mapping of a layer
  /// How the winner maps a transformer's layer; nothing for a network without one.
  std::optional<planner::OperatorMapping> layer{};
  PartComparison comparison;
  std::string ended_by;
  const PlannedTrial& winner() const { return trials.front(); }
};

/// What a job asks for that its network or its machine does not have.
struct PlanLack {
  std::string option;   ///< that asks for it: "objective", "data-type", "model"
  std::string message;  ///< "wse2 does not say its price_usd"
};
/// The first thing that a job lacks: a price or a power for its objective, a peak rate of its data
/// type, or, of AMPeD, training of a transformer. Nothing: plan_network may run.
std::optional<PlanLack> plan_lack(const PlanJob& job, const planner::PlanSpace& space,
                                  const Hardware& hardware);

/// Enumerates degrees and estimates those that may be among the best, simulates the best few, and
/// ranks them again: the search of optimize_plan, which goes on. Throws SearchEnded, with the
/// memory that is short, where no plan fits or time ends before any simulation, and RequestError
/// where the hardware cannot run the network.
PlanFindings plan_network(const PlanJob& job, const PlanGround& ground,
                          const planner::PlanSpace& space, const SearchControl& control);

/// What is asked of a plan that cuts a network.
struct CutRequest {
  std::int64_t batch = planner::kPlannedBatch;
  RankingModel model = PlanJob{}.model;
  planner::Objective objective = PlanJob{}.objective;
  std::optional<std::size_t> top;  ///< plans to simulate
  std::string strategy = PlanJob{}.strategy;
  bool inference = false;
  Optimizer optimizer = Plan{}.optimizer;
  std::string data_type = Plan{}.data_type;
  Reuse reuse = Reuse::blocks;
  sim::RunRequest run;
  sim::MemoryModel memory_model = sim::MemoryModel::simulated;
};
Options<CutRequest> plan_options();

/// For `plan` and `optimize`.
OptionSpec batch_option();

}  // namespace waferloom::optimize
