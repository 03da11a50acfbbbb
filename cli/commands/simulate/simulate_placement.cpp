#include <nlohmann/json.hpp>

#include "cli/commands/simulate/simulate_forms.h"
#include "cli/commands/simulate/simulation_outputs.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/files/judged_files.h"
#include "cli/files/stage_files.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "model/placement.h"
#include "optimize/simulation_runs.h"

namespace waferloom::cli {
namespace {

std::vector<std::string> placement_files(const Arguments& arguments) {
  std::vector<std::string> inputs = hardware_files(arguments);
  for (const char* name : {"CASE", "SOL", "placement", "wafer", "constraints", "routes"}) {
    for (const std::string& path : arguments.list(name)) inputs.push_back(path);
  }
  return inputs;
}

/// The routes of --routes; without it the router's.
optimize::RoutesSource routes_source(const Arguments& arguments, const Hardware& hardware) {
  if (!arguments.has("routes")) return {};
  return [&](const Traffic& traffic) {
    return read_routes_of(traffic, hardware, arguments.text("routes"), arguments.common());
  };
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
  const sim::ThroughputReport found = blaming(hardware_name(arguments), [&] {
    return optimize::simulate_case(
        {problem, placement, hardware, subject.training, options,
         routes_source(arguments, hardware),
         [&](const sim::PipelineSpec& spec, sim::SimulateOptions& heard) {
           outputs.listen(spec, heard);
         }},
        search_control(common));
  });
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
