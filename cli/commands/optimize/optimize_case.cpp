
#include "cli/commands/optimize/optimize_job.h"
#include "cli/commands/place/place_job.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/options/island_options.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "model/errors.h"
#include "model/placement.h"
#include "optimize/case_islands.h"
#include "optimize/optimize.h"
#include "optimize/report_json.h"
#include "sim/report_json.h"
#include "viz/floorplan.h"
#include "viz/link_heat_map.h"

namespace waferloom::cli {
namespace {

std::vector<OutputFolder::File> files_of(const optimize::OptimizedCase& found,
                                         const Problem& problem, const Hardware& hardware,
                                         const std::string& title) {
  const Placement& placement = found.placement;
  viz::FloorplanOptions options;
  options.source = title;
  const viz::LinkHeatMap map = viz::hardware_links(hardware, sim::link_busy(found.report, hardware),
                                                   rectangles(problem, placement), title);
  std::vector<OutputFolder::File> files{
      {"solution.sol", verified(problem, placement, score(problem, placement)).text},
      {"floorplan.svg", viz::draw_floorplan(problem, placement, viz::PictureFormat::svg, options)},
      {"links.svg", viz::draw_link_heat_map(map, viz::PictureFormat::svg)}};
  if (!found.routes.tensors.empty()) files.push_back({"routes.json", routes_text(found.routes)});
  return files;
}

}  // namespace

int optimize_case(const OptimizeJob& job) {
  const OptimizingRequest& request = job.request;
  const CommonOptions& common = request.common;
  const std::string& path = request.files.graph;
  std::vector<std::string> inputs = machine_inputs(request.hardware);
  for (const std::string& file : request.files.paths()) inputs.push_back(file);
  check_one_stdin(inputs);
  Hardware hardware = read_fabric(request.hardware, sim::kCaseHardware, common);
  sim::SimulateOptions options = simulate_options(request.search.run, common);
  options.routing = placement_routing(request.search.run, false);
  if (request.search.top) options.top = *request.search.top;
  Warnings warnings(common);
  const Problem problem = read_case_to_place(request.files, common, warnings, &hardware);
  add_dead_tiles(hardware, problem.wafer().dead);
  Progress progress(common, true);
  optimize::CaseSearchOptions search{source_name(path), request.search.strategy};
  if (request.search.top) search.top = *request.search.top;
  search.training = request.search.run.training;
  if (request.start) search.start = read_start(problem, *request.start, common);
  const std::optional<cluster::IslandSearch> islands =
      island_search(request.islands, common, "optimize");
  const optimize::SearchControl control = search_control(common, progress);
  const optimize::CaseJob case_job{problem, hardware, search, options};
  optimize::OptimizedCase found;
  try {
    if (islands && islands->task) {
      write_stdout(cluster::case_island_task(case_job, control, *islands) + "\n");
      return 0;
    }
    const auto note = [&progress](const std::string& line) { progress.note(line); };
    found = islands ? cluster::optimize_by_islands(case_job, control, *islands, note)
                    : optimize_case(problem, hardware, search, options, control);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input,
                  request.hardware.name_or(sim::kCaseHardware) + ": " + error.what());
  }
  const Report report = optimize::optimize_report(found.result, hardware, options,
                                                  search_control(common), warnings.texts());
  return finish_optimize(job, found.result, report,
                         files_of(found, problem, hardware, file_names({path})), progress);
}

}  // namespace waferloom::cli
