#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/report.h"
#include "model/routes.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/plan_space.h"
#include "sim/plan_pipeline.h"
#include "sim/plan_run.h"

namespace waferloom::optimize {

/// What a candidate is worth: samples a second, more is better; picoseconds until the first sample
/// (of training: micro-batch) is through, and bytes, less is better. Bytes that nobody knows count
/// as alike.
struct Metrics {
  double samples_per_s = 0;
  std::int64_t latency_ps = 0;
  std::optional<std::int64_t> memory_bytes{};
};

/// Whether `a` is nowhere worse than `b` and somewhere better.
bool dominates(const Metrics& a, const Metrics& b);

/// The indices of those that nothing dominates, ascending; of equals the first. O(n²).
std::vector<std::size_t> pareto_front(const std::vector<Metrics>& all);

/// What became of a candidate.
enum class Verdict : std::uint8_t {
  best,       ///< simulated, and nothing simulated faster
  slower,     ///< simulated
  outranked,  ///< not simulated, or not whole: others promised more, or it was too much work
  bounded,    ///< not simulated: cannot be faster than the best
  repeated,   ///< not simulated: the same as another one
  memory,     ///< does not fit the memory
  refused,    ///< cannot be laid out or run at all
  cut,        ///< its simulation was not over in time
};
inline constexpr std::array<std::string_view, 8> kVerdictNames{
    "best", "slower", "outranked", "bounded", "repeated", "memory", "refused", "cut"};
constexpr std::span<const std::string_view> words_of(Verdict /*of*/) { return kVerdictNames; }
const char* verdict_name(Verdict verdict);

/// What a simulation showed.
struct Measured {
  Metrics metrics;
  std::string bound;                             ///< "link"
  std::string bound_by;                          ///< "link east of tile (3, 4)"
  std::int64_t samples = 0;                      ///< of the workload, that were asked for
  sim::RateOf rate_of = sim::RateOf::whole_run;  ///< what the rate is of
  std::optional<sim::TileUse> use{};             ///< of a network's plan
  std::optional<Bottleneck> bottleneck{};  ///< the bound for a sample of the workload, and the next
};

/// A candidate and what became of it.
struct Trial {
  std::string name;
  std::string description;
  std::string promise{};  ///< what holds it up at least, or what it was estimated by
  std::optional<double> promised_per_s{};  ///< samples a second
  std::optional<double> contest_cost{};    ///< of a case's placement, under the case's own weights
  Decimal6 buffers{0};  ///< samples of an edge that a case's placement was given room for
  std::optional<Measured> measured{};
  Verdict verdict = Verdict::refused;
  std::string reason{};  ///< of the verdict, a sentence
};

/// The fastest of those measured that have no other verdict than best or slower, the first of
/// equals; nothing if there is none.
std::optional<std::size_t> fastest(const std::vector<Trial>& trials);

/// Sets verdict and reason of all that were measured, against trials[best].
void explain(std::vector<Trial>& trials, std::size_t best);

/// The Pareto front of those measured and not refused or without memory, as indices.
std::vector<std::size_t> front_of(const std::vector<Trial>& trials);

/// Likewise those that none beats in samples a second and contest cost at once, as indices, the
/// cheapest first; of equals the first. Those without a cost are left out.
std::vector<std::size_t> cost_front_of(const std::vector<Trial>& trials);

/// What a search over plans does without looking at its time limit meanwhile.
enum class Step : std::uint8_t {
  estimate,    ///< one plan is laid out and estimated
  simulation,  ///< what of simulating one plan goes on between two looks at the limit
  routing,     ///< the routes of one plan are planned
  shapes,      ///< the shapes are timed among which the stages of one plan are placed
};

/// How long the longest steps of a search took, so that it begins none which may end behind its
/// time limit. May be used by several threads at once.
class LongestSteps {
 public:
  void note(Step step, Clock::duration took);
  /// Nothing before the first.
  Clock::duration of(Step step) const;
  /// What placing the stages of a plan takes besides what the placer is given, and simulating it
  /// there. Before shapes were timed they are expected to take as long as an estimate, which times
  /// one for each stage.
  Clock::duration of_placing() const;

 private:
  static constexpr std::size_t kSteps = 4;
  std::array<std::atomic<Clock::rep>, kSteps> longest_{};
};

/// What all trials share: workload, hardware and options, the exchanges that were priced already,
/// and the longest time of each kind of step. Arguments have to live longer than it.
struct PlanGround {
  PlanGround(const Workload& network, const Hardware& wafer, const sim::SimulateOptions& simulation,
             sim::MemoryModel memory = sim::MemoryModel::simulated);

  const Workload& workload;
  const Hardware& hardware;
  const sim::SimulateOptions& options;
  sim::MemoryModel memory_model;
  mutable sim::ExchangeCache exchanges;
  mutable LongestSteps steps;
  planner::OperatorDegrees degrees;
};

/// How fast a plan runs, or may run.
struct PlanSpeed {
  double samples_per_s = 0;
  double latency_s = 0;  ///< of the first sample
};

/// A plan, the places of its stages, and the result of the trial.
struct PlanTrial {
  Trial trial;
  Plan plan;  ///< settled once it is laid out
  std::vector<Rectangle> tiles;
  double latency_s = 0;           ///< of a first sample, through all stages, nothing in its way
  std::int64_t memory_bytes = 0;  ///< of all stages together
  bool was_rehearsed = false;     ///< or cannot be
  /// On links that are never short: an upper bound but for rare orders of work, which knows how
  /// stages, buffers and ports wait for one another.
  std::optional<PlanSpeed> rehearsal{};
  std::string complaint{};          ///< why the stages do not fit the memory; empty: they fit
  Routes routes{};                  ///< the planned routes for its simulation, if any
  bool links_bind = false;          ///< whether on these routes a link needs more than any stage
  std::vector<double> link_busy{};  ///< as of sim/report_json.h
  bool is_rough = false;            ///< its last simulation was rough: rates settled in haste
  /// Its simulation that was stopped; none was, or it is over.
  std::shared_ptr<sim::PlanRun> stopped_run{};
  std::uint64_t run_work = 0;  ///< of its simulation so far (ThroughputReport::work)
  std::uint64_t work = 0;      ///< of that what was done since it was last stopped
  double needed_work = 0;      ///< of one that was stopped: of the whole, about; 0: not known
  /// The report of the simulation, without the bytes of links; nothing if it was not simulated.
  std::optional<sim::PlanReport> run{};
};

}  // namespace waferloom::optimize
