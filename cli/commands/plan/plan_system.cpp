#include "cli/commands/plan/plan_system.h"

#include <algorithm>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/system_file.h"
#include "cli/files/workload_file.h"
#include "cli/summaries/systems_summary.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "planner/system_plan.h"

namespace waferloom::cli {
namespace {

/// Whether a JSON text is of a system: it has a chip.
bool has_chip(const std::string& text) {
  const std::optional<JsonValue> json = json_if_any(text);
  return json && JsonReader::find(*json, "chip") != nullptr;
}

}  // namespace

std::optional<System> planned_system(const PlanRequest& request) {
  if (!request.hardware.name) return std::nullopt;
  const std::string& name = *request.hardware.name;
  if (hardware_preset(name)) return std::nullopt;
  // stdin is read once only: by whoever reads a wafer's hardware.
  const bool is_file = name.find_first_of("./") != std::string::npos;
  const bool is_system =
      system_preset(name) || (is_file && has_chip(read_input(name, request.common)));
  if (!is_system) return std::nullopt;
  return read_system_named(name, "hardware", request.common);
}

int plan_for_system(const PlanRequest& request, const System& system, const OutputFile& output,
                    const ReportTarget& target) {
  for (const char* option : {"placement", "network", "routing", "no-dram", "strategy", "model",
                             "optimizer", "data-type"}) {
    if (!request.common.has(option)) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) + ": " + system.name +
                                          " is a system of chips, which is not simulated");
  }
  const Workload workload = read_workload_named(request.workload, "WORKLOAD", request.common);
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
  job.work = found.network;
  output.write(plan_text(planner::written_plan(found.plans.front(), found.network, system)));
  target.write(planner::plans_report(job, found.plans));
  if (!target.on_stdout()) {
    write_stdout(plans_summary(job, found.plans) + "\nWritten: " + output.path() +
                 ". A system of chips is not simulated.\n");
  }
  return 0;
}

}  // namespace waferloom::cli
