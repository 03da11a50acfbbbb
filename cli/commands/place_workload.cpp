#include <optional>
#include <stdexcept>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/jobs/place_job.h"
#include "cli/options/simulation_options.h"
#include "cli/options/workload_operand.h"
#include "model/plan.h"
#include "model/stage_placement.h"
#include "sim/plan_problem.h"

namespace waferloom::cli {
namespace {

std::string placed_text(const Problem& problem, const Placement& placement) {
  std::vector<PlacedStage> stages;
  const std::vector<Rectangle> tiles = rectangles(problem, placement);
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    stages.push_back({problem.kernels()[i].name, tiles[i], placement.kernels[i].rotated});
  }
  return stage_placement_text(stages);
}

void refuse_options(const Arguments& arguments) {
  for (const char* other : {"wafer", "constraints", "start"}) {
    if (!arguments.has(other)) continue;
    throw Failure(FailureKind::usage, "--plan: goes without --wafer, --constraints and --start");
  }
}

}  // namespace

int place_workload(const Arguments& arguments, const std::string& strategy,
                   const PlaceOutputs& outputs) {
  refuse_options(arguments);
  const CommonOptions& common = arguments.common();
  const Workload workload = read_workload_operand(arguments, "CASE");
  const std::string& path = arguments.text("plan");
  const Plan plan = read_plan(read_input(path, common), source_name(path));
  const Hardware hardware = read_hardware_option(arguments);
  const Warnings warnings(common);
  const sim::Streams streams =
      arguments.has("no-dram") ? sim::Streams::ignored : sim::Streams::simulated;
  std::optional<Problem> problem;
  try {
    problem.emplace(sim::plan_problem(workload, plan, hardware, streams));
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, source_name(path) + ": " + error.what());
  }
  const PlaceJob job{*problem, arguments.text("CASE"), strategy,   outputs,
                     warnings, std::nullopt,           placed_text};
  return run_place_job(job, common);
}

}  // namespace waferloom::cli
