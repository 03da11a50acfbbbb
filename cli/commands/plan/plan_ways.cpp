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

// `plan` where no way to use a machine is asked for: all of them, side by side.
namespace waferloom::cli {
namespace {

std::string written_text(const optimize::PlannedWay& way, const optimize::PlannedWay& best,
                         const std::string& path) {
  std::string text = path + ", by " + way.way;
  if (&way != &best) text += ", " + significant_text(way.samples_per_s) + " samples/s";
  if (way.is_priced) text += ", priced";
  if (way.way == "pipeline") text += "; place and simulate take it with --plan";
  return text;
}

}  // namespace

std::optional<int> plan_all_ways(const optimize::WaysJob& job, bool unless_cut,
                                 const CommonOptions& common, const OutputFile* output,
                                 const ReportTarget& target) {
  Progress progress(common, true);
  const optimize::Ways all = blaming(job.workload.name, [&] {
    return optimize::plan_all_ways(job, run_control(common, progress));
  });
  progress.finish();
  const optimize::PlannedWay& best = all.best();
  if (unless_cut && (!best.is_possible() || best.way == "cut")) return std::nullopt;
  if (!best.is_possible()) {
    if (all.cut_by) throw RunCut(*all.cut_by);
    throw InfeasibleError(optimize::no_way_text(job, all));
  }
  std::string written;
  if (output != nullptr) {
    const auto plan = optimize::best_whole_plan(job, all);
    if (!plan && unless_cut) return std::nullopt;
    if (!plan) {
      const std::string cut = "; plan that with --way cut -o " + output->path();
      throw Failure(FailureKind::usage, "-o: no plan can be written of the way " + best.way +
                                            ", the best of " + job.workload.name + " on " +
                                            job.machine.name + (best.way == "cut" ? cut : ""));
    }
    output->write(plan->text);
    written = written_text(*plan->way, best, output->path());
  }
  target.write(optimize::ways_report(job, all));
  if (!target.on_stdout()) write_stdout(ways_summary(job, all, written));
  return exit_code_with_best(progress);
}

}  // namespace waferloom::cli
