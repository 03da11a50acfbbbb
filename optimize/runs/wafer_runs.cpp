#include "optimize/wafer_runs.h"

#include <algorithm>
#include <string>

#include "model/errors.h"
#include "planner/tile_operators.h"
#include "planner/wafer_serving.h"
#include "sim/wafer_runs.h"

namespace waferloom::optimize {
namespace {

InsideCheck check_inside(const ResidentPlan& plan, const Workload& workload,
                         const Hardware& hardware, const RunControl& control) {
  constexpr std::int64_t kSide = 32;
  const auto [hidden, wide] = planner::widest_product(workload);
  const auto block = [](std::int64_t extent, std::int64_t tiles) {
    return (extent + tiles - 1) / tiles;
  };
  TileJob job;
  job.kind = TileOperatorKind::gemv;
  job.tiles = {std::min(kSide, plan.region_rows), std::min(kSide, plan.region_columns)};
  job.extents.m = block(hidden, plan.region_rows) * job.tiles.rows;
  job.extents.n = block(wide, plan.region_columns) * job.tiles.columns;
  job.algorithm = "two-way chain";
  const TileFabric bare = planner::tile_fabric(hardware, plan.data_type).without_program();
  const auto moved = sim::inside_cycles(job, *job.algorithm, bare, control);
  if (!moved) throw RunCut(control.cut_reason());
  return {tile_choices(job, bare).front().cost.parts.total(), *moved};
}

}  // namespace

ResidentRun simulate_resident_plan(const ResidentPlan& plan, const Workload& workload,
                                   const Hardware& hardware, const WaferRunOptions& options,
                                   const RunControl& control) {
  ResidentRun run;
  run.pass = planner::resident_pass(plan, workload, hardware);
  control.tell({"simulating a pass", workload.name});
  run.times = sim::run_resident_pass(run.pass, options.network, control);
  if (run.times.stopped) throw RunCut(control.cut_reason());
  run.bottleneck =
      sim::resident_bottleneck(run.pass, run.times, static_cast<double>(hardware.clock_hz));
  if (options.inside) run.inside = check_inside(plan, workload, hardware, control);
  run.trust = planner::resident_trust(plan, workload, hardware);
  return run;
}

StreamingRun simulate_streaming_plan(const StreamingPlan& plan, const Workload& workload,
                                     const Hardware& hardware, const WaferRunOptions& options,
                                     const RunControl& control) {
  if (workload.name != plan.workload) {
    throw RequestError("the plan is for " + plan.workload + ", not for " + workload.name);
  }
  StreamingRun run;
  run.step = planner::streaming_step(plan, hardware);
  control.tell({"simulating a step", workload.name});
  run.times = sim::run_streaming_step(run.step, options.network, control);
  if (run.times.stopped) throw RunCut(control.cut_reason());
  run.bottleneck = streaming_bottleneck(run.step, static_cast<double>(hardware.clock_hz));
  run.trust = planner::streaming_trust(hardware, plan.data_type, plan.trains);
  return run;
}

StreamedStep simulated_step(const planner::WaferStreamingJob& job,
                            const planner::WaferStreaming& found, const RunControl& control) {
  control.tell({"simulating the streamed step", job.workload.name});
  const StreamingPlan plan = planner::streaming_plan(job, found.best);
  StreamedStep step{found, sim::run_streaming_step(planner::streaming_step(plan, job.hardware),
                                                   sim::NetworkKind::fair, control)};
  if (step.times.stopped) throw RunCut(control.cut_reason());
  return step;
}

}  // namespace waferloom::optimize
