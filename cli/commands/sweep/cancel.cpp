#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/files/report_target.h"
#include "cluster/submission.h"

namespace waferloom::cli {
namespace {

int run_cancel(const SweepRunRequest& request) {
  const cluster::SweepFolder run = sweep_folder(request.run, request.common);
  const ReportTarget report(request.common);
  const cluster::CancelledRun cancelled = cluster::cancel(run);
  report.write(sweep_cancel_report(cancelled));
  if (!report.on_stdout()) {
    write_stdout(fmt::format(
        "{}: {} jobs of Slurm cancelled\n  here      {} processes told to stop\n  elsewhere {} "
        "processes, left alone\n",
        run.path(), cancelled.slurm_jobs.size(), cancelled.stopped, cancelled.elsewhere));
  }
  return 0;
}

}  // namespace

const Command& sweep_cancel_command() {
  static const Command command = command_of<SweepRunRequest>(
      {.name = "sweep cancel",
       .summary = "Stop what works on a sweep; results stay.",
       .usage = {"sweep cancel RUN [options]"},
       .description =
           "Cancels the run's jobs of Slurm, and sends SIGTERM to its engines and tasks on this "
           "machine: they drop the point at hand. Results stay, `sweep submit` goes on from there. "
           "Tasks on other machines are counted; cancel them there, or with their scheduler.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom sweep cancel run"}},
      {run_operand<SweepRunRequest>()}, {}, run_cancel);
  return command;
}

}  // namespace waferloom::cli
