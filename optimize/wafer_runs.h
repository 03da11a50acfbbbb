#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/tile_operators.h"
#include "planner/wafer_streaming.h"
#include "sim/network_kind.h"
#include "sim/wafer_runs.h"

// The verb `simulate` of plans that take a whole wafer: what the planner says of a plan, run on a
// network.

namespace waferloom::optimize {

struct WaferRunOptions {
  sim::NetworkKind network = sim::NetworkKind::fair;
  bool inside = false;  ///< of a resident plan: InsideCheck
};

/// The widest product of a layer, on at most 32×32 tiles with as large blocks: its closed form and
/// its words moved one by one, in cycles, both if programs cost nothing.
struct InsideCheck {
  double closed_form = 0;
  std::int64_t moved = 0;
};

/// A plan whose weights stay on the tiles, run.
struct ResidentRun {
  ResidentPass pass;
  sim::ResidentTimes times;
  std::optional<Bottleneck> bottleneck;
  std::optional<InsideCheck> inside{};  ///< if asked for
  std::vector<planner::TrustRow> trust;
};

/// Throws RequestError for a plan of another workload or machine, InfeasibleError where dead tiles
/// cut the regions off, RunCut.
ResidentRun simulate_resident_plan(const ResidentPlan& plan, const Workload& workload,
                                   const Hardware& hardware, const WaferRunOptions& options,
                                   const RunControl& control);
/// A report of schema waferloom/wafer_run/1.
Report resident_run_report(const ResidentPlan& plan, const Hardware& hardware,
                           const WaferRunOptions& options, const ResidentRun& run);

/// A plan whose weights come through the host ports, run.
struct StreamingRun {
  StreamingStep step;
  sim::StreamingTimes times;
  std::optional<Bottleneck> bottleneck;
  std::vector<planner::TrustRow> trust;
};

/// Throws as simulate_resident_plan.
StreamingRun simulate_streaming_plan(const StreamingPlan& plan, const Workload& workload,
                                     const Hardware& hardware, const WaferRunOptions& options,
                                     const RunControl& control);
/// A report of schema waferloom/wafer_run/1.
Report streaming_run_report(const StreamingPlan& plan, const Hardware& hardware,
                            const WaferRunOptions& options, const StreamingRun& run);

/// Of both.
std::string wafer_run_schema();

/// A streamed step, planned and simulated on the fair network.
struct StreamedStep {
  planner::WaferStreaming found;
  sim::StreamingTimes times;
  double seconds(const Hardware& hardware) const {
    return times.step_cycles / static_cast<double>(hardware.clock_hz);
  }
};

/// Simulates what was planned. Throws RequestError, RunCut.
StreamedStep simulated_step(const planner::WaferStreamingJob& job,
                            const planner::WaferStreaming& found, const RunControl& control);
/// Its report, which is its plan's file too.
Report streamed_report(const planner::WaferStreamingJob& job, const StreamedStep& step);

}  // namespace waferloom::optimize
