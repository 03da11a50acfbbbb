#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/options/search_control.h"
#include "cli/summaries/ways_summary.h"
#include "model/errors.h"
#include "model/text.h"
#include "planner/wafer_ways.h"

// `plan` of a wafer of small tiles where no way to use it is asked for: all of them, side by side.
namespace waferloom::cli {
namespace {

std::string written_text(const planner::WaferWay& way, const planner::WaferWay& best,
                         const std::string& path) {
  std::string text = path + ", by " + way.way;
  if (&way != &best) text += ", " + significant_text(way.samples_per_s) + " samples/s";
  if (way.way == "pipeline") text += "; place and simulate take it with --plan";
  return text;
}

}  // namespace

std::optional<int> plan_all_ways(optimize::AllWaysJob job, bool unless_cut,
                                 const CommonOptions& common, const OutputFile* output,
                                 const ReportTarget& target) {
  const planner::WaferWaysJob& ways = job.ways;
  if (!planner::is_wafer_of_tiles(ways.hardware)) {
    throw Failure(
        FailureKind::usage,
        "--way all: " + ways.hardware.name +
            " is no mesh of tiles with sram_bytes_per_tile and no DRAM of their own; it has "
            "--way cut alone");
  }
  Progress progress(common, true);
  const optimize::AllWays all = blaming(ways.workload.name, [&] {
    return optimize::plan_all_ways(job, run_control(common, progress));
  });
  progress.finish();
  const planner::WaferWay& best = all.best();
  if (unless_cut && (!best.is_possible() || best.way == "cut")) return std::nullopt;
  if (!best.is_possible()) {
    if (all.found.cut_by) throw RunCut(*all.found.cut_by);
    throw InfeasibleError(optimize::no_way_text(job, all));
  }
  std::string written;
  if (output != nullptr) {
    const auto plan = optimize::best_whole_plan(job, all);
    if (!plan && unless_cut) return std::nullopt;
    if (!plan) {
      throw Failure(FailureKind::usage, "-o: " + ways.workload.name + " is only cut over " +
                                            ways.hardware.name + "; plan that with --way cut -o " +
                                            output->path());
    }
    output->write(plan->text);
    written = written_text(*plan->way, best, output->path());
  }
  target.write(planner::wafer_ways_report(ways, all.found));
  if (!target.on_stdout()) write_stdout(wafer_ways_summary(ways, all.found, written));
  return exit_code_with_best(progress);
}

}  // namespace waferloom::cli
