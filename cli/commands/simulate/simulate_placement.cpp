#include "cli/commands/simulate/simulate_forms.h"
#include "cli/commands/simulate/simulation_outputs.h"
#include "cli/files/input_file.h"
#include "cli/files/judged_files.h"
#include "cli/files/machine_file.h"
#include "cli/files/stage_files.h"
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

}  // namespace

int simulate_placement(const SimulateRequest& request) {
  const CommonOptions& common = request.common;
  SimulationOutputs outputs(request.outputs, request.files.graph, placement_files(request), common);
  sim::SimulateOptions options = simulate_options(request.run, common);
  options.routing = placement_routing(request.run, request.routes.has_value());
  Hardware hardware = read_fabric(request.hardware, sim::kCaseHardware, common);
  Warnings warnings(common);
  const Problem problem = read_problem(request.files, common, warnings);
  const Placement placement = read_legal_placement(
      request.solution.empty() ? request.placement.value() : request.solution, problem, common);
  add_dead_tiles(hardware, problem.wafer().dead);
  sim::SimulationSubject subject{hardware, options, request.run.training, {}};
  const sim::ThroughputReport found = blaming(request.hardware.name_or(sim::kCaseHardware), [&] {
    return optimize::simulate_case(
        {problem, placement, hardware, subject.training, options, routes_source(request, hardware),
         [&](const sim::PipelineSpec& spec, sim::SimulateOptions& heard) {
           outputs.listen(spec, heard);
         }},
        search_control(common));
  });
  outputs.end(found, warnings);
  subject.samples_each = problem.replicas();
  subject.samples_per_s = found.samples_per_s * static_cast<double>(problem.replicas());
  subject.rate = throughput_text(*subject.samples_per_s);
  outputs.write(found, subject, rectangles(problem, placement), {},
                simulation_summary(found, subject, case_title(problem, request.files.graph)),
                warnings);
  return 0;
}

}  // namespace waferloom::cli
