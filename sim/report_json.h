#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/describe.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/report.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/message_run.h"
#include "sim/plan_run.h"
#include "sim/simulate.h"

namespace waferloom::sim {

// What simulations found, as JSON and CSV.

/// What was simulated, as reports and summaries tell it.
struct SimulationSubject {
  const Hardware& hardware;
  const SimulateOptions& options;
  bool training = false;
  std::string rate{};  ///< "5130.4 samples/s", for summaries
  /// Samples of the workload that a sample of the run stands for: those of a plan's micro-batch.
  std::int64_t samples_each = 1;
  std::optional<double> samples_per_s{};  ///< of the workload; without it, the run's
  std::optional<RateOf> rate_of{};        ///< what that is of; likewise
};

/// How fast the program itself was.
struct SimulationSpeed {
  double wall_s = 0;
  double events_per_s = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// The run of a plan, for its part of a report.
struct PlannedRun {
  const PlanReport* found;
  const PlannedPipeline* planned;
  const Workload* workload;
  bool is_placed = false;  ///< the stages lie where a placement says
};

/// What a report has beside the run of the pipeline.
struct SimulationExtras {
  std::optional<PlannedRun> plan{};
  std::optional<SimulationSpeed> speed{};  ///< differs from run to run
  std::vector<std::string> warnings{};
};

/// A report of schema waferloom/simulate/1: but for the speed the same bytes for the same input.
/// Samples are those of the workload, whatever the run calls one; a flow's bytes are of what the
/// run calls one.
Report simulation_report(const ThroughputReport& found, const SimulationSubject& subject,
                         const SimulationExtras& extras);
std::string simulate_schema();

/// The share of the run's whole time that each link was busy: 4 · (y · columns + x) + direction.
/// Without contention, where no link is ever short, against the busiest link.
std::vector<double> link_busy(const ThroughputReport& found, const Hardware& hardware);

/// A line a link that carried something: x, y, direction, bytes, busy share of the whole time,
/// which is empty without contention.
std::string links_csv(const ThroughputReport& found, const Hardware& hardware);

/// A report of schema waferloom/messages/1.
Report messages_report(const MessageSet& set, const MessageRunOptions& options,
                       const MessageTimes& times);
std::string messages_schema();

/// A report of schema waferloom/trace/1.
Report trace_report(const DeviceTrace& trace, const Hardware& hardware,
                    const TraceRunOptions& options, const TraceTimes& times);
std::string trace_schema();

/// A report of schema waferloom/collective/1.
Report collective_report(const CollectiveJob& job, const CollectiveResult& found);
std::string collective_schema();

}  // namespace waferloom::sim

namespace waferloom {

/// Of a row "rate_of".
inline constexpr std::string_view kRateOfMeaning =
    "what samples_per_s is of: a steady state that was reached, else, of a plan's inference, the "
    "full pipeline, behind the first samples and before the last; else the whole run with filling "
    "and draining";

template <>
const TypeRows& rows_of<sim::RateError>();
template <>
const TypeRows& rows_of<sim::SimulationSpeed>();
template <>
const TypeRows& rows_of<sim::TileUse>();
template <>
const TypeRows& rows_of<sim::PlannedRun>();

}  // namespace waferloom
