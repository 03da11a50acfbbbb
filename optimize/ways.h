#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "optimize/run_control.h"
#include "optimize/wafer_runs.h"
#include "planner/plan_space.h"
#include "planner/system_plan.h"
#include "planner/wafer_pipeline.h"
#include "planner/wafer_serving.h"
#include "planner/wafer_streaming.h"
#include "sim/simulate.h"

// The verb `plan` where no way to use a machine is asked for: all of them, side by side, for one
// network, one machine and one purpose (docs/wafer_plans.md).

namespace waferloom::optimize {

/// What a network is planned for.
enum class Purpose : std::uint8_t {
  train,  ///< batches
  infer,  ///< samples, or prompts, forward alone
  serve,  ///< requests: prompts, and the tokens that follow each
};
inline constexpr std::array<std::string_view, 3> kPurposeNames{"train", "infer", "serve"};
constexpr std::span<const std::string_view> words_of(Purpose /*of*/) { return kPurposeNames; }

/// The ways, in the order in which they are planned (ways/ways.cpp).
inline constexpr std::array<std::string_view, 5> kWayNames{"pipeline", "resident", "streaming",
                                                           "cut", "chips"};

/// What is planned to be a pipeline, and placed.
struct PipelineToPlace {
  const Workload& workload;
  const Hardware& hardware;
  planner::PipelineOptions options;
  planner::WaferPipeline pipeline;  ///< of these options
};
struct PlacedPipeline {
  planner::PipelineOptions options;  ///< with the share of the tiles that the placer found room on
  planner::WaferPipeline pipeline;
  Hardware hardware;                     ///< what stages keep off is dead
  std::optional<Problem> problem{};      ///< its stages; there always
  std::optional<Placement> placement{};  ///< nothing: none was found of any share
};
/// The pipeline, or the first on a smaller share of the tiles (4 % less each, down to half) for
/// which the placer finds room; of inference on meshes that are not large, where no number of
/// replicas was asked for, one of other replicas on the share before, as long as it promises more.
/// As it was where the placer finds none. The control's effort is that of placing; none is given up
/// below kPlacingEffort. Throws RequestError, RunCut. Deterministic.
PlacedPipeline place_wafer_pipeline(planner::PipelinePlanner& planner,
                                    const PipelineToPlace& wanted, const SearchControl& control);
/// The effort of placing such stages, where nothing else is asked for. ResNet-50 on wse2 and BERT
/// base on palm_wafer get the totals of the default effort in less than half of its time.
inline constexpr int kPlacingEffort = 3;

struct WaysJob {
  Workload workload;
  Machine machine;
  Purpose purpose = Purpose::train;
  std::string data_type = "fp16";
  std::int64_t batch = planner::kPlannedBatch;  ///< samples; the batch of streaming is its own
  /// Of machines with a fabric: the degrees of `cut`, and the optimizer of all that trains there.
  planner::PlanSpace cut{};
  sim::SimulateOptions options{};      ///< of what is simulated
  planner::WaferServingJob serving{};  ///< to serve: prompt, output, requests and caches
  int threads = 1;                     ///< never change the result

  bool trains() const { return purpose == Purpose::train; }
  /// Tokens of a sample: of a request those that it gets.
  std::int64_t tokens() const;
  /// Why rates of ways over tiles are upper bounds; empty: they are none.
  std::string upper_bound() const;
};

/// A way, and how fast samples go through it.
struct PlannedWay {
  std::string way;           ///< one of kWayNames
  std::string how{};         ///< replicas, stages, regions, degrees or batch, in words
  std::string lacks{};       ///< why the machine cannot be used so; empty: it can
  std::string note{};        ///< where its figures are from
  bool is_priced = false;    ///< by a model alone: neither planned whole nor simulated
  double samples_per_s = 0;  ///< of the whole machine; to serve: requests
  /// Of a sample, from its first word in to its last one out; to serve: to the first token.
  double latency_s = 0;
  std::int64_t tiles = 0;  ///< or chips
  /// Bytes that it keeps on all of its tiles or chips together, where these are alike as many on
  /// each as on the fullest; of a pipeline without its programs. Nothing: not known.
  std::optional<double> memory_bytes{};
  std::optional<Bottleneck> bottleneck{};
  bool has_all_logits = false;  ///< every token goes through the head, not a prompt's last alone
  double share_of_peak = 0;     ///< its multiply-adds over those that all tiles could do
  /// Of a sample, where the whole machine takes its power all the time; nothing: not known.
  std::optional<double> joules{};
  /// Dollars of the whole machine for each sample a second; nothing: its price is not known.
  std::optional<double> usd_s{};
  bool is_possible() const { return lacks.empty(); }
};

/// What came of a job.
struct Ways {
  /// Most samples a second first; those that are priced alone behind the others, those that cannot
  /// be last.
  std::vector<PlannedWay> ways;
  std::optional<planner::WaferPipeline> pipeline{};
  double fill = planner::PipelineOptions{}.fill;  ///< of the pipeline
  std::optional<planner::WaferServing> serving{};
  std::optional<StreamedStep> step{};  ///< simulated
  std::optional<Plan> cut{};           ///< simulated
  std::optional<planner::SystemPlans> chips{};
  double roof_samples_per_s = 0;    ///< if all did nothing but multiply and add; 0: not known
  std::vector<NamedBound> ports{};  ///< what they take for a sample, which no way is faster than
  /// Why some way was left out, or was not simulated; nothing: all there is was tried.
  std::optional<CutReason> cut_by{};

  const PlannedWay& best() const { return ways.front(); }
  /// If only the ports took time, for inputs and outputs of samples; nothing: no limit.
  std::optional<double> port_samples_per_s() const;
};

/// Plans the network in every way of the machine, and simulates what promises most of the ways that
/// are cut or streamed. A way that is for another purpose, or does not fit, says so, and so do
/// those for which the control leaves no time; what is known by then stays, and `cut_by` says so.
/// Tells each way that is planned next. Throws RequestError where the machine has no peak rate of
/// the data type. Deterministic.
Ways plan_all_ways(const WaysJob& job, const RunControl& control = {});

/// The plan of the first of some plans of chips, in this type of numbers: what `simulate` runs, of
/// inference a stream as long as that of a cut. It says what it was made for where the machine has
/// a fabric of its chips.
Plan chips_plan(const Workload& workload, const Machine& machine, const planner::SystemPlans& found,
                const std::string& data_type);

/// Adds a way in its place, and sets its energy, its cost, and its share of the peak where it has
/// none.
void add_way(Ways& ways, const WaysJob& job, PlannedWay way);
/// A way that was left out because the run was cut.
PlannedWay left_out(std::string_view way, const RunControl& control);

/// A plan's file, and the way that it goes.
struct WayPlan {
  std::string text;
  const PlannedWay* way = nullptr;
};
/// The plan of the best way that has one: a cut where it was simulated, chips but to serve. Nothing
/// if there is none. Throws RunCut where that is a streamed step that was not simulated.
std::optional<WayPlan> best_whole_plan(const WaysJob& job, const Ways& all);

/// Why a machine cannot be used in any way.
std::string no_way_text(const WaysJob& job, const Ways& all);

/// A report of schema waferloom/wafer_ways/1.
Report ways_report(const WaysJob& job, const Ways& found);
std::string ways_schema();
/// A row for each way that is possible.
TextTable ways_table(const WaysJob& job, const Ways& found);

}  // namespace waferloom::optimize
