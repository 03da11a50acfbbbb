#include "cli/commands/plan/plan_system.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/system_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/summaries/systems_summary.h"
#include "model/hardware.h"
#include "model/plan.h"
#include "planner/system_plan.h"

namespace waferloom::cli {
namespace {

/// Whether a JSON text is of a system: it has a chip.
bool has_chip(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("chip");
}

}  // namespace

std::optional<System> planned_system(const Arguments& arguments) {
  if (!arguments.has("hardware")) return std::nullopt;
  const std::string& name = arguments.text("hardware");
  if (hardware_preset(name)) return std::nullopt;
  if (system_preset(name)) return read_system_option(arguments, "hardware");
  // stdin is read once only: by whoever reads a wafer's hardware.
  const bool is_file = name.find_first_of("./") != std::string::npos;
  if (!is_file || !has_chip(read_input(name, arguments.common()))) return std::nullopt;
  return read_system_option(arguments, "hardware");
}

int plan_for_system(const Arguments& arguments, const System& system, const OutputFile& output,
                    const ReportTarget& target) {
  for (const char* option : {"placement", "network", "routing", "no-dram", "strategy", "model",
                             "optimizer", "data-type"}) {
    if (!arguments.has(option)) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) + ": " + system.name +
                                          " is a system of chips, which is not simulated");
  }
  const Workload workload = read_workload_operand(arguments, "WORKLOAD");
  planner::SystemsJob job;
  job.name = workload.name;
  job.system = system;
  job.objective = named<planner::Objective>(arguments, "objective", planner::kObjectiveNames);
  check_objective(job.objective, system);
  if (arguments.has("top")) job.top = whole<std::size_t>(arguments, "top");
  planner::SystemPlanOptions options;
  options.threads = arguments.common().threads;
  const planner::SystemPlans found = blaming(workload.name, [&] {
    return planner::plans_for_system(workload, whole(arguments, "batch"),
                                     !arguments.has("inference"), system, options, job.objective);
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
