#include <utility>

#include "cli/commands/simulate/simulate_forms.h"
#include "cli/commands/simulate/simulation_outputs.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/judged_files.h"
#include "cli/files/machine_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/wafer_stages.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "model/placement.h"
#include "optimize/simulation_runs.h"

namespace waferloom::cli {
namespace {

std::vector<std::string> placement_files(const SimulateRequest& request) {
  std::vector<std::string> inputs = machine_inputs(request.hardware);
  const ProblemFiles& files = request.files;
  for (const std::string& path : {files.graph, request.solution, request.placement.value_or(""),
                                  files.wafer, files.constraints, request.routes.value_or("")}) {
    inputs.push_back(path);
  }
  std::erase(inputs, "");
  return inputs;
}

/// The routes of --routes; without it the router's.
optimize::RoutesSource routes_source(const SimulateRequest& request, const Hardware& hardware) {
  if (!request.routes) return {};
  return [&](const Traffic& traffic) {
    return read_routes_of(traffic, hardware, *request.routes, request.common);
  };
}

/// A case that is placed.
struct PlacedCase {
  Hardware hardware;
  Problem problem;
  Placement placement;
  std::string title;
  std::optional<optimize::PipelineBatch> batch{};  ///< of a plan that trains
};

int simulate_placed(const SimulateRequest& request, SimulationOutputs& outputs,
                    sim::SimulateOptions options, const PlacedCase& placed, Warnings& warnings) {
  const auto& [hardware, problem, placement, title, batch] = placed;
  optimize::CaseSimulation run{problem,
                               placement,
                               hardware,
                               request.run.training,
                               std::move(options),
                               routes_source(request, hardware),
                               [&](const sim::PipelineSpec& spec, sim::SimulateOptions& heard) {
                                 outputs.listen(spec, heard);
                               }};
  if (batch) set_batch(*batch, run);
  sim::SimulationSubject subject{hardware, run.options, run.training, {}};
  const sim::ThroughputReport found = blaming(request.hardware.name_or(hardware.name), [&] {
    return optimize::simulate_case(run, search_control(request.common));
  });
  outputs.end(found, warnings);
  subject.samples_each = problem.replicas();
  subject.samples_per_s = found.samples_per_s * static_cast<double>(problem.replicas());
  subject.rate = throughput_text(*subject.samples_per_s);
  outputs.write(found, subject, rectangles(problem, placement), {},
                simulation_summary(found, subject, title), warnings);
  return 0;
}

}  // namespace

int simulate_placement(const SimulateRequest& request) {
  const CommonOptions& common = request.common;
  SimulationOutputs outputs(request.outputs, request.files.graph, placement_files(request), common);
  sim::SimulateOptions options = simulate_options(request.run, common);
  options.routing = placement_routing(request.run, request.routes.has_value());
  Hardware hardware = read_fabric(request.hardware, sim::kCaseHardware, common);
  Warnings warnings(common);
  Problem problem = read_problem(request.files, common, warnings);
  Placement placement = read_legal_placement(
      request.solution.empty() ? request.placement.value() : request.solution, problem, common);
  add_dead_tiles(hardware, problem.wafer().dead);
  std::string title = case_title(problem, request.files.graph);
  return simulate_placed(
      request, outputs, options,
      {std::move(hardware), std::move(problem), std::move(placement), std::move(title)}, warnings);
}

int simulate_pipeline_plan(const SimulateRequest& request, const PlannedNetwork& planned,
                           Warnings& warnings) {
  const CommonOptions& common = request.common;
  for (const char* option : {"allow-infeasible", "no-dram"}) {
    if (!common.has(option)) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) +
                                          ": of plans that cut a network; stages of a pipeline "
                                          "keep their weights");
  }
  std::vector<std::string> inputs = placement_files(request);
  inputs.push_back(request.plan.value());
  SimulationOutputs outputs(request.outputs, request.files.graph, inputs, common);
  sim::SimulateOptions options = simulate_options(request.run, common);
  options.routing = placement_routing(request.run, request.routes.has_value());
  WaferStages stages = wafer_stages(planned, request.files.constraints, common);
  Placement placement = read_wafer_placement(
      request.placement, {request.files.graph, *request.plan}, stages, common, warnings);
  return simulate_placed(request, outputs, options,
                         {std::move(stages.hardware), std::move(stages.problem),
                          std::move(placement), planned.workload.name, std::move(stages.batch)},
                         warnings);
}

}  // namespace waferloom::cli
