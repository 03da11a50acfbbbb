#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/case_search.h"
#include "cli/failure.h"
#include "cli/input_file.h"
#include "cli/judgement.h"
#include "cli/place_job.h"
#include "cli/simulation_options.h"
#include "viz/floorplan.h"
#include "viz/link_heat_map.h"

namespace waferloom {
namespace {

std::vector<std::string> input_files(const Arguments& arguments) {
  std::vector<std::string> inputs = hardware_files(arguments);
  for (const std::string& path : problem_files(arguments).paths()) inputs.push_back(path);
  return inputs;
}

std::vector<OutputFolder::File> files_of(const CaseTrial& winner, const Problem& problem,
                                         const Hardware& hardware, const std::string& title) {
  const Placement& placement = *winner.placement;
  FloorplanOptions options;
  options.source = title;
  LinkHeatMap map;
  map.mesh = hardware.wafer;
  map.link_bytes = winner.found.link_bytes;
  map.stages = rectangles(problem, placement);
  map.title = title;
  return {{"solution.sol", verified(problem, placement, score(problem, placement)).text},
          {"floorplan.svg", draw_floorplan(problem, placement, PictureFormat::svg, options)},
          {"links.svg", draw_link_heat_map(map, PictureFormat::svg)}};
}

}  // namespace

int optimize_case(const OptimizeJob& job) {
  const Arguments& arguments = job.arguments;
  const CommonOptions& common = arguments.common();
  check_one_stdin(input_files(arguments));
  Hardware hardware = read_hardware_option(arguments);
  const SimulateOptions options = simulate_options(arguments);
  Warnings warnings(common);
  const Problem problem = read_case_to_place(problem_files(arguments), common, warnings);
  add_dead_tiles(hardware, problem.wafer().dead);
  Progress progress(common, true);
  CaseSearch search(job, problem, hardware, options, progress);
  try {
    search.run();
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, hardware_name(arguments) + ": " + error.what());
  }
  const OptimizeResult result = search.result();
  const Json report = optimize_json(result, hardware, options, common, warnings);
  return finish_optimize(
      job, result, report,
      files_of(search.winner(), problem, hardware, file_names({arguments.text("CASE")})), progress);
}

}  // namespace waferloom
