#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/commands/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/options/search_control.h"
#include "cli/summaries/ways_summary.h"
#include "model/errors.h"
#include "model/number_text.h"
#include "optimize/cut_price.h"
#include "planner/wafer_ways.h"

// `plan` of a wafer of small tiles where no way to use it is asked for: all of them, side by side.
namespace waferloom::cli {
namespace {

/// The way that is priced by the models of other planners.
planner::WaferWay priced_cut(const AllWaysJob& job, const RunControl& control) {
  const planner::WaferWaysJob& ways = job.ways;
  try {
    control.end_if_cut();
    control.tell("planning the way cut", ways.workload.name);
    const optimize::PlanGround ground{ways.workload, ways.hardware, job.options};
    return optimize::price_cut(ground, job.cut, ways.threads, control);
  } catch (const RunCut&) {
    return planner::left_out("cut", control);
  }
}

/// The streamed step in simulation in place of the planned one; where the run was cut before that,
/// the planned one stays.
void simulate_streaming(planner::WaferWays& found, const planner::WaferWaysJob& job,
                        std::optional<StreamedStep>& step,
                        const planner::WaferStreamingJob& streaming, const RunControl& control) {
  if (!found.streaming) return;
  try {
    control.end_if_cut();
    step = simulated_step(streaming, *found.streaming, control);
  } catch (const RunCut&) {
    found.cut_by = control.cut_reason();
    return;
  }
  const auto row = std::find_if(found.ways.begin(), found.ways.end(),
                                [](const auto& way) { return way.way == "streaming"; });
  planner::WaferWay way = std::move(*row);
  found.ways.erase(row);
  way.latency_s = step->seconds(job.hardware);
  way.samples_per_s = static_cast<double>(found.streaming->best.batch) / way.latency_s;
  way.note = "planned, and simulated on the fair network";
  planner::add_way(found, job, std::move(way));
}

/// The file of the best way that is planned whole; nothing if there is none. Throws RunCut where
/// that is a streamed step that was not simulated.
std::optional<std::string> plan_file(const planner::WaferWays& found,
                                     const planner::WaferWaysJob& job,
                                     const planner::WaferStreamingJob& streaming,
                                     const std::optional<StreamedStep>& step,
                                     const planner::WaferWay*& way) {
  for (const planner::WaferWay& row : found.ways) {
    if (!row.is_possible()) break;
    way = &row;
    if (row.way == "streaming") {
      if (!step) throw RunCut(found.cut_by.value());
      return json_text(streamed_json(streaming, *step));
    }
    if (row.way != "pipeline") continue;
    return json_text(planner::pipeline_json(job.workload, job.hardware,
                                            planner::pipeline_options(job), *found.pipeline));
  }
  return std::nullopt;
}

/// Why a wafer cannot be used in any way.
[[noreturn]] void throw_no_way(const planner::WaferWaysJob& job, const planner::WaferWays& found) {
  std::string text = job.workload.name + " cannot use " + job.hardware.name + " in any way";
  for (const planner::WaferWay& way : found.ways) text += "; " + way.way + ": " + way.lacks;
  throw InfeasibleError(text);
}

}  // namespace

std::optional<int> plan_all_ways(AllWaysJob job, const CommonOptions& common,
                                 const OutputFile* output, const ReportTarget& target) {
  planner::WaferWaysJob& ways = job.ways;
  if (!planner::is_wafer_of_tiles(ways.hardware)) {
    throw Failure(
        FailureKind::usage,
        "--way all: " + ways.hardware.name +
            " is no mesh of tiles with sram_bytes_per_tile and no DRAM of their own; it has "
            "--way cut alone");
  }
  Progress progress(common, true);
  const RunControl control = run_control(common, progress);
  const planner::WaferStreamingJob streaming = planner::streaming_job(ways);
  planner::WaferWays found;
  std::optional<StreamedStep> step;
  blaming(ways.workload.name, [&] {
    found = planner::plan_wafer_ways(ways, control);
    planner::add_way(found, ways, priced_cut(job, control));
    if (control.is_cut()) found.cut_by = control.cut_reason();
    simulate_streaming(found, ways, step, streaming, control);
  });
  progress.finish();
  const planner::WaferWay& best = found.ways.front();
  if (job.unless_cut && (!best.is_possible() || best.way == "cut")) return std::nullopt;
  if (!best.is_possible()) {
    if (found.cut_by) throw RunCut(*found.cut_by);
    throw_no_way(ways, found);
  }
  const planner::WaferWay* way = nullptr;
  std::string written;
  if (output != nullptr) {
    const auto text = plan_file(found, ways, streaming, step, way);
    if (!text && job.unless_cut) return std::nullopt;
    if (!text) {
      throw Failure(FailureKind::usage, "-o: " + ways.workload.name + " is only cut over " +
                                            ways.hardware.name + "; plan that with --way cut -o " +
                                            output->path());
    }
    output->write(*text);
    written = output->path() + ", by " + way->way;
    if (way != &best) written += ", " + significant_text(way->samples_per_s) + " samples/s";
    if (way->way == "pipeline") written += "; --way pipeline --case writes its stages for place";
  }
  target.write(planner::wafer_ways_json(ways, found));
  if (!target.on_stdout()) write_stdout(wafer_ways_summary(ways, found, written));
  return exit_code_with_best(progress);
}

}  // namespace waferloom::cli
