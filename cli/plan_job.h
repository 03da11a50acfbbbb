#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/optimize_report.h"
#include "cli/plan_trial.h"
#include "cli/progress.h"
#include "planner/plan_fit.h"
#include "planner/plan_space.h"
#include "planner/plan_time.h"
#include "planner/system_plan.h"

namespace waferloom {

/// By which model plans are ranked first.
enum class RankingModel : std::uint8_t { dfmodel, amped };
inline constexpr std::array<std::string_view, 2> kRankingModelNames{"dfmodel", "amped"};

/// What `plan` was asked for, besides what it reads.
struct PlanJob {
  RankingModel model = RankingModel::dfmodel;
  Objective objective = Objective::throughput;
  std::size_t top = 16;  ///< plans to simulate
  bool places = false;   ///< GigaPlacer lays out the stages of the best ones
  std::string strategy = "auto";
};

/// Some degrees that fit, and what the models say of them.
struct PlanCandidate {
  Plan plan;
  bool by_centimani = false;  ///< its micro-batch is the one that Centimani takes
  PlanTime dfmodel;
  std::optional<PlanTime> amped;
};

/// What of the degrees became candidates.
struct PlanCounts {
  std::size_t degrees = 0;     ///< tensor, data and pipeline
  std::size_t plans = 0;       ///< with a micro-batch each
  std::size_t misfits = 0;     ///< of the plans: no memory
  std::size_t candidates = 0;  ///< priced by the models
  std::string misfit{};        ///< an example
};

/// One of the best, laid out and simulated.
struct PlannedTrial {
  PlanTrial trial;
  PlanCandidate candidate;
  double objective = 0;  ///< by simulation, the less the better
};

/// The winner's parts of a batch as each model and the simulation have them.
struct PartComparison {
  BatchTimes dfmodel;
  std::optional<BatchTimes> amped;
  BatchTimes simulated;
  PlanReport report;
};

/// The chain of `plan`: degrees, memory (Centimani), partitions and sharding (DFModel), time
/// (AMPeD, PALM), and the best few laid out, simulated and ranked again.
class PlanChain {
 public:
  /// All have to live longer.
  PlanChain(const PlanJob& job, const PlanGround& ground, const PlanSpace& space,
            const CommonOptions& common, Progress& progress);

  /// Throws Failure::infeasible, with the memory that is short, where no plan fits.
  void run();
  const PlanCounts& counts() const { return counts_; }
  /// The best by the first ranking, the best first.
  const std::vector<PlanCandidate>& candidates() const { return candidates_; }
  /// Those simulated, the best first; those that cannot run last.
  const std::vector<PlannedTrial>& trials() const { return trials_; }
  const PlannedTrial& winner() const { return trials_.front(); }
  const PartComparison& comparison() const { return comparison_; }
  /// The winner's plan with the mapping of a layer.
  Plan plan() const;
  /// How the winner maps a transformer's layer; nothing for a network without one.
  const std::optional<OperatorMapping>& layer() const { return layer_; }
  const std::string& ended_by() const { return ended_by_; }

 private:
  void enumerate();
  void price();
  double ranked_value(const PlanCandidate& one) const;
  double objective_of(const Plan& plan, double samples_per_s, double latency_s) const;
  double estimated_value(const PlannedTrial& one) const;
  double simulated_value(const PlannedTrial& one) const;
  std::vector<PlannedTrial> estimated();
  void simulate_best();
  void place_best();
  void rank();
  void compare();
  [[noreturn]] void fail() const;

  const PlanJob& job_;
  const PlanGround& ground_;
  const PlanSpace& space_;
  const CommonOptions& common_;
  Progress& progress_;
  PlanTimer timer_;
  PlanCounts counts_;
  std::vector<PlanCandidate> candidates_;
  std::vector<PlannedTrial> trials_;
  std::optional<OperatorMapping> layer_;
  PartComparison comparison_;
  std::string ended_by_;
};

/// Seconds of a batch on the stage that computes longest, by what the simulation saw.
BatchTimes simulated_parts(const PlannedPipeline& planned, const PlanReport& report);

}  // namespace waferloom
