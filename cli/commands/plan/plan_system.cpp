#include "cli/commands/plan/plan_system.h"

#include <algorithm>
#include <variant>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/workload_file.h"
#include "cli/summaries/systems_summary.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "planner/system_plan.h"

namespace waferloom::cli {

int plan_for_chips(const PlanRequest& request, const System& system, const OutputFile& output,
                   const ReportTarget& target) {
  for (const char* option : {"placement", "network", "routing", "no-dram", "strategy", "model",
                             "optimizer", "data-type"}) {
    if (!request.common.has(option)) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) + ": " + system.name +
                                          " is planned by its chips, which are not simulated");
  }
  const Workload workload = read_planned_workload(request.workload, "WORKLOAD", request.common);
  planner::SystemsJob job;
  job.name = workload.name;
  job.system = system;
  job.objective = request.cut.objective;
  check_objective(job.objective, system);
  if (request.cut.top) job.top = *request.cut.top;
  planner::SystemPlanOptions options;
  options.threads = request.common.threads;
  const planner::SystemPlans found = blaming(workload.name, [&] {
    return planner::plans_for_system(workload, request.cut.batch, !request.cut.inference, system,
                                     options, job.objective);
  });
  std::visit([&](const auto& network) { job.work = network; }, found.network);
  output.write(plan_text(planner::written_plan(found.plans.front(), found.network, system)));
  target.write(planner::plans_report(job, found.plans));
  if (!target.on_stdout()) {
    write_stdout(plans_summary(job, found.plans) + "\nWritten: " + output.path() +
                 ". Plans of chips are not simulated.\n");
  }
  return 0;
}

}  // namespace waferloom::cli
