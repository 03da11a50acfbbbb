#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/program.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/report_target.h"
#include "cluster/run_folder.h"
#include "cluster/sweep_folder.h"
#include "cluster/task.h"

namespace waferloom::cli {
namespace {

constexpr std::int64_t kMegabyte = 1'000'000;

struct ExecRequest {
  CommonOptions common;
  std::string run;
  std::string task;
  std::optional<std::int64_t> megabytes;
};

int run_exec(const ExecRequest& request) {
  const CommonOptions& common = request.common;
  const cluster::SweepFolder run = sweep_folder(request.run, common);
  const cluster::TaskPart part = task_part(request.task);
  cluster::PointLimits limits;
  if (request.megabytes) limits = {*request.megabytes * kMegabyte};
  const ReportTarget report(common);
  const auto program = [](const std::vector<std::string>& words, int descriptor) {
    return run_program({Clock::now(), words, descriptor});
  };
  cluster::PointCounts counts;
  {
    const cluster::RunningFile running(run, "task");
    counts = cluster::run_task(run, part, limits, program, until_a_signal(run_control(common)));
  }
  report.write(sweep_status_report(run.facts(), counts));
  if (!report.on_stdout()) {
    write_stdout(fmt::format("task {}/{}: {}\n", part.part, part.parts, counts_text(counts)));
  }
  throw_if_interrupted();
  return exit_code_of(counts);
}

}  // namespace

const Command& sweep_exec_command() {
  static const Command command = command_of<ExecRequest>(
      {.name = "sweep exec",
       .summary = "Run a share of the points of a sweep.",
       .usage = {"sweep exec RUN --task K/N [--memory MB] [options]"},
       .description =
           "Runs the points whose index is K modulo N, one behind the other, each in a process of "
           "its own on one thread. A point that has an answer is skipped, one that failed is tried "
           "again; so it may be called any number of times, and from any number of machines that "
           "share RUN. SIGTERM drops the point at hand and leaves the rest.\n\n"
           "Exits with 4 if some points failed or are left, with 1 if all failed. A placement or "
           "plan that is infeasible is an answer, no failure.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom sweep exec run --task 0/1",
                    "waferloom sweep exec run --task 3/8 --memory 2000"}},
      {run_operand<ExecRequest>()},
      {option(&ExecRequest::task, {"task", '\0', "K/N", "Which share; K from 0.", false, true}),
       option(&ExecRequest::megabytes, memory_option())},
      run_exec);
  return command;
}

}  // namespace waferloom::cli
