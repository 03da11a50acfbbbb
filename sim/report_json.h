#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  std::optional<bool> steady{};           ///< whether that is of a steady state; likewise
};

/// How fast the program itself was.
struct SimulationSpeed {
  double wall_s = 0;
  double events_per_s = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// A report of schema waferloom/simulate/1, without `speed` and `warnings`: the same bytes for the
/// same input. Samples are those of the workload, whatever the run calls one; a flow's bytes are of
/// what the run calls one.
Json simulation_json(const ThroughputReport& found, const SimulationSubject& subject);
/// Null where rates are exact.
Json rate_error_json(const std::optional<RateError>& error);
Json speed_json(const SimulationSpeed& speed);

/// The share of the run's whole time that each link was busy: 4 · (y · columns + x) + direction.
/// Without contention, where no link is ever short, against the busiest link.
std::vector<double> link_busy(const ThroughputReport& found, const Hardware& hardware);

/// A line a link that carried something: x, y, direction, bytes, busy share of the whole time,
/// which is empty without contention.
std::string links_csv(const ThroughputReport& found, const Hardware& hardware);

/// The part `plan` of a report of schema waferloom/simulate/1. `placed`: the stages lie where a
/// placement says.
Json plan_run_json(const PlanReport& found, const PlannedPipeline& planned,
                   const Workload& workload, bool placed);

/// A report of schema waferloom/messages/1.
Json messages_json(const MessageSet& set, const MessageRunOptions& options,
                   const MessageTimes& times);

/// A report of schema waferloom/collective/1.
Json collective_json(const CollectiveJob& job, const CollectiveResult& found);

}  // namespace waferloom::sim
