#include <algorithm>
#include <utility>

#include "optimize/plans/cut_price.h"
#include "optimize/wafer_runs.h"

namespace waferloom::optimize {
namespace {

/// The way that is priced by the models of other planners.
planner::WaferWay priced_cut(const AllWaysJob& job, const RunControl& control) {
  const planner::WaferWaysJob& ways = job.ways;
  try {
    control.end_if_cut();
    control.tell({"planning the way cut", ways.workload.name});
    const PlanGround ground{ways.workload, ways.hardware, job.options};
    return price_cut(ground, job.cut, ways.threads, control);
  } catch (const RunCut&) {
    return planner::left_out("cut", control);
  }
}

/// The streamed step in simulation in place of the planned one; where the run was cut before that,
/// the planned one stays.
void simulate_streaming(AllWays& all, const AllWaysJob& job, const RunControl& control) {
  if (!all.found.streaming) return;
  try {
    control.end_if_cut();
    all.step = simulated_step(planner::streaming_job(job.ways), *all.found.streaming, control);
  } catch (const RunCut&) {
    all.found.cut_by = control.cut_reason();
    return;
  }
  auto& ways = all.found.ways;
  const auto row = std::find_if(ways.begin(), ways.end(),
                                [](const auto& way) { return way.way == "streaming"; });
  planner::WaferWay way = std::move(*row);
  ways.erase(row);
  way.latency_s = all.step->seconds(job.ways.hardware);
  way.samples_per_s = static_cast<double>(all.found.streaming->best.batch) / way.latency_s;
  way.note = "planned, and simulated on the fair network";
  planner::add_way(all.found, job.ways, std::move(way));
}

}  // namespace

AllWays plan_all_ways(const AllWaysJob& job, const RunControl& control) {
  AllWays all;
  all.found = planner::plan_wafer_ways(job.ways, control);
  planner::add_way(all.found, job.ways, priced_cut(job, control));
  if (control.is_cut()) all.found.cut_by = control.cut_reason();
  simulate_streaming(all, job, control);
  return all;
}

std::optional<WayPlan> best_whole_plan(const AllWaysJob& job, const AllWays& all) {
  const planner::WaferWaysJob& ways = job.ways;
  for (const planner::WaferWay& row : all.found.ways) {
    if (!row.is_possible()) break;
    if (row.way == "streaming") {
      if (!all.step) throw RunCut(all.found.cut_by.value());
      return WayPlan{report_text(streamed_report(planner::streaming_job(ways), *all.step)), &row};
    }
    if (row.way != "pipeline") continue;
    return WayPlan{
        report_text(planner::pipeline_report(ways.workload, ways.hardware,
                                             planner::pipeline_options(ways), *all.found.pipeline)),
        &row};
  }
  return std::nullopt;
}

std::string no_way_text(const AllWaysJob& job, const AllWays& all) {
  std::string text =
      job.ways.workload.name + " cannot use " + job.ways.hardware.name + " in any way";
  for (const planner::WaferWay& way : all.found.ways) text += "; " + way.way + ": " + way.lacks;
  return text;
}

}  // namespace waferloom::optimize
