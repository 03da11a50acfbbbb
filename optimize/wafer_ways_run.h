#pragma once

#include <optional>
#include <string>

#include "model/run_control.h"
#include "optimize/wafer_runs.h"
#include "planner/plan_space.h"
#include "planner/wafer_ways.h"
#include "sim/simulate.h"

// The verb `plan` of a wafer of small tiles where no way to use it is asked for: all of them, side
// by side.
namespace waferloom::optimize {

/// Where all ways to use a wafer are planned.
struct AllWaysJob {
  planner::WaferWaysJob ways;
  planner::PlanSpace cut;  ///< the degrees of the way `cut`
  sim::SimulateOptions options{};
};

/// What came of it.
struct AllWays {
  planner::WaferWays found;            ///< the fastest first
  std::optional<StreamedStep> step{};  ///< of the way `streaming`, simulated; if not cut
  const planner::WaferWay& best() const { return found.ways.front(); }
};

/// Plans the network in every way: the planner's, and `cut` as over a rack of chips; simulates the
/// streamed step. Where `control` cuts the run, what is known by then stays, and `found.cut_by`
/// says so. Throws RequestError as planner::plan_wafer_ways.
AllWays plan_all_ways(const AllWaysJob& job, const RunControl& control);

/// A plan's file, and the way that it goes.
struct WayPlan {
  std::string text;
  const planner::WaferWay* way = nullptr;
};
/// The plan of the best way that is planned whole; nothing if there is none. Throws RunCut where
/// that is a streamed step that was not simulated.
std::optional<WayPlan> best_whole_plan(const AllWaysJob& job, const AllWays& all);

/// Why a wafer cannot be used in any way.
std::string no_way_text(const AllWaysJob& job, const AllWays& all);

}  // namespace waferloom::optimize
