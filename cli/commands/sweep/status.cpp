#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/console/failure.h"
#include "cli/files/report_target.h"
#include "cluster/run_figures.h"
#include "cluster/run_folder.h"
#include "cluster/task.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

std::uint64_t tasks_of(const std::vector<cluster::RunningProcess>& running) {
  return static_cast<std::uint64_t>(
      std::count_if(running.begin(), running.end(),
                    [](const cluster::RunningProcess& process) { return process.what == "task"; }));
}

int run_status(const SweepRunRequest& request) {
  const cluster::SweepFolder run = sweep_folder(request.run, request.common);
  const ReportTarget report(request.common);
  const std::vector<cluster::RunningProcess> running = running_processes(run);
  const std::uint64_t tasks = tasks_of(running);
  const cluster::PointCounts counts = count_points(run);
  const std::optional<double> seconds = mean_seconds(run);
  std::optional<double> estimate;
  if (tasks > 0 && seconds) {
    estimate = static_cast<double>(counts.left()) * *seconds / static_cast<double>(tasks);
  }
  report.write(sweep_status_report(run.facts(), counts, RunningFigures{tasks, seconds, estimate}));
  if (!report.on_stdout()) {
    std::string text = fmt::format("{}: {}; {}{}", run.path(), counts_text(counts), tasks,
                                   tasks == 1 ? " task runs\n" : " tasks run\n");
    if (estimate) text += "about " + prefixed_text(*estimate, "s", 3) + " to go\n";
    text += failure_lines(run);
    write_stdout(text);
  }
  return running.empty() ? exit_code_of(counts) : 0;
}

}  // namespace

const Command& sweep_status_command() {
  static const Command command = command_of<SweepRunRequest>(
      {.name = "sweep status",
       .summary = "Tell how far a sweep is.",
       .usage = {"sweep status RUN [options]"},
       .description =
           "Counts the points that are done, infeasible, failed and left, the tasks that work on "
           "them now, estimates the time to go from the mean of a hundred results, and lists why "
           "points failed. Exits with 4 if nothing works on the run and some points failed or are "
           "left, with 1 if all failed, else with 0.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom sweep status run", "waferloom sweep status run --report -"}},
      {run_operand<SweepRunRequest>()}, {}, run_status);
  return command;
}

}  // namespace waferloom::cli
