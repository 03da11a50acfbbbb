#include <nlohmann/json.hpp>

#include "cli/commands/simulate_forms.h"
#include "cli/console/failure.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/jobs/route_job.h"
#include "cli/jobs/simulation_outputs.h"
#include "cli/options/simulation_options.h"
#include "model/errors.h"
#include "model/verify.h"
#include "sim/contest_pipeline.h"

namespace waferloom::cli {
namespace {

std::vector<std::string> placement_files(const Arguments& arguments) {
  std::vector<std::string> inputs = hardware_files(arguments);
  for (const char* name : {"CASE", "SOL", "placement", "wafer", "constraints", "routes"}) {
    for (const std::string& path : arguments.list(name)) inputs.push_back(path);
  }
  return inputs;
}

/// The pipeline of a placement on the routes that the command line asks for.
sim::PipelineSpec routed_pipeline(const Problem& problem, const Placement& placement,
                                  Hardware& hardware, const sim::SimulateOptions& options,
                                  const Arguments& arguments) {
  const bool training = arguments.has("training");
  if (options.routing != Routing::planned) {
    return sim::contest_pipeline(problem, placement, hardware, training);
  }
  const Traffic traffic = sim::contest_traffic(problem, placement, hardware, training);
  const Routes routes =
      arguments.has("routes")
          ? read_routes_of(traffic, hardware, arguments.text("routes"), arguments.common())
          : run_router(traffic, hardware, arguments).routes;
  return sim::contest_pipeline(problem, placement, hardware, training, routes);
}

}  // namespace

int simulate_placement(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  SimulationOutputs outputs(arguments, placement_files(arguments));
  sim::SimulateOptions options = simulate_options(arguments);
  options.routing = placement_routing(arguments);
  Hardware hardware = read_hardware_option(arguments);
  Warnings warnings(common);
  const Problem problem = read_problem(problem_files(arguments), common, warnings);
  const Placement placement = read_legal_placement(
      arguments.text(arguments.has("SOL") ? "SOL" : "placement"), problem, common);
  add_dead_tiles(hardware, problem.wafer().dead);
  sim::SimulationSubject subject{hardware, options, arguments.has("training"), {}};
  sim::PipelineSpec spec;
  sim::ThroughputReport found;
  try {
    spec = routed_pipeline(problem, placement, hardware, options, arguments);
    sim::SimulateOptions heard = options;
    outputs.listen(spec, heard);
    found = simulate(spec, hardware, heard);
    found.other_networks = sim::run_other_networks(spec, hardware, heard, found);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, hardware_name(arguments) + ": " + error.what());
  }
  outputs.end(found, warnings);
  subject.samples_each = problem.replicas();
  subject.samples_per_s = found.samples_per_s * static_cast<double>(problem.replicas());
  subject.rate = throughput_text(*subject.samples_per_s);
  outputs.write(
      found, subject, rectangles(problem, placement), sim::simulation_json(found, subject),
      simulation_summary(found, subject, case_title(problem, arguments.text("CASE"))), warnings);
  return 0;
}

}  // namespace waferloom::cli
