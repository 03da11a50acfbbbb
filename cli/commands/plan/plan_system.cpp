#include "cli/commands/plan/plan_system.h"

#include <algorithm>
#include <variant>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/workload_file.h"
#include "cli/options/search_control.h"
#include "cli/summaries/systems_summary.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "planner/system_plan.h"

namespace waferloom::cli {

int plan_for_chips(const PlanRequest& request, const Machine& machine, const OutputFile* output,
                   const ReportTarget& target) {
  const System& system = chips_of(machine);
  for (const char* option : {"placement", "network", "routing", "no-dram", "strategy", "model",
                             "optimizer", "data-type"}) {
    if (!request.common.has(option)) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) + ": " + system.name +
                                          " is planned by its chips, whose models do not read it");
  }
  const Workload workload = read_planned_workload(request.workload, "WORKLOAD", request.common);
  planner::SystemsJob job;
  job.name = workload.name;
  job.system = system;
  job.objective = request.cut.objective;
  check_objective(job.objective, system);
  if (request.cut.top) job.top = *request.cut.top;
  job.execution = request.execution;
  planner::SystemPlanOptions options;
  options.execution = job.execution;
  options.threads = request.common.threads;
  options.control = run_control(request.common);
  const planner::SystemPlans found = blaming(workload.name, [&] {
    return planner::plans_for_system(workload, request.cut.batch, !request.cut.inference, system,
                                     options, job.objective);
  });
  std::visit([&](const auto& network) { job.work = network; }, found.network);
  if (output != nullptr)
    output->write(plan_text(optimize::chips_plan(workload, machine, found, system.chip.type())));
  target.write(planner::plans_report(job, found.plans));
  if (!target.on_stdout()) {
    const std::string run = planner::has_fabric_of_chips(machine) ? "`simulate` runs it"
                                                                  : "no simulation knows its chips";
    const std::string written =
        output == nullptr ? std::string()
                          : "\nWritten: " + output->path() + ". Priced by a model; " + run + ".\n";
    write_stdout(plans_summary(job, found.plans) + written);
  }
  return 0;
}

}  // namespace waferloom::cli
