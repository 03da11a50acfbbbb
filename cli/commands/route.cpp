#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/files/result_target.h"
#include "cli/jobs/route_drawing.h"
#include "cli/jobs/route_job.h"
#include "cli/options/simulation_options.h"
#include "cli/options/workload_operand.h"
#include "cli/summaries/route_summary.h"
#include "router/route_report.h"
#include "sim/contest_pipeline.h"
#include "sim/simulation_options.h"

namespace waferloom::cli {
namespace {

/// Draws what was routed into every picture asked for.
void draw_pictures(const RoutedPlacement& routed, const std::vector<PictureFile>& pictures,
                   const Arguments& arguments, Warnings& warnings) {
  if (pictures.empty()) return;
  viz::RoutePicture picture = route_picture(routed, warnings);
  picture.title = file_names(arguments.list("CASE"));
  picture.source =
      file_names({arguments.text("CASE"), arguments.text("SOL")}) + " · " + routed.hardware.name;
  for (const PictureFile& file : pictures) {
    file.file.write(viz::draw_routes(picture, file.format));
  }
}

/// --bound goes without what only routes have.
void check_bound_alone(const Arguments& arguments, const ReportTarget& report,
                       const std::vector<PictureFile>& pictures) {
  const char* why = arguments.has("output") ? "-o"
                    : !pictures.empty()     ? "pictures"
                    : report.wanted()       ? "--report"
                                            : nullptr;
  if (why == nullptr) return;
  throw Failure(FailureKind::usage,
                "--bound: finds no routes, so it goes without " + std::string(why));
}

int tell_bound(const Traffic& traffic, const Hardware& hardware, const std::string& name) {
  const router::RouteBound bound = router::route_bound(traffic, hardware);
  if (!bound.infeasible.empty()) throw Failure(FailureKind::infeasible, bound.infeasible);
  write_stdout(bound_summary(bound, traffic, name));
  return 0;
}

int route_main(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  const ProblemFiles files = problem_files(arguments);
  std::vector<std::string> inputs = files.paths();
  inputs.push_back(arguments.text("SOL"));
  for (const std::string& path : hardware_files(arguments)) inputs.push_back(path);
  check_one_stdin(inputs);
  const ReportTarget report(common);
  const ResultTarget result(arguments.text_or_default("output"));
  const std::vector<PictureFile> pictures = picture_files(arguments);
  if (arguments.has("bound")) check_bound_alone(arguments, report, pictures);
  std::vector<const OutputFile*> outputs;
  if (report.file() != nullptr) outputs.push_back(report.file());
  if (result.file() != nullptr) outputs.push_back(result.file());
  for (const PictureFile& picture : pictures) outputs.push_back(&picture.file);
  check_distinct(outputs, inputs);
  if (report.on_stdout() && result.on_stdout()) {
    throw Failure(FailureKind::usage, "expected one of -o - and --report - on stdout");
  }
  Hardware hardware = read_hardware_option(arguments);
  Warnings warnings(common);
  const Problem problem = read_problem(files, common, warnings);
  const Placement placement = read_legal_placement(arguments.text("SOL"), problem, common);
  add_dead_tiles(hardware, problem.wafer().dead);
  Traffic traffic;
  router::RouteResult found;
  try {
    traffic = sim::contest_traffic(problem, placement, hardware, arguments.has("training"));
    if (arguments.has("bound")) {
      return tell_bound(traffic, hardware, case_title(problem, files.graph));
    }
    found = run_router(traffic, hardware, arguments);
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, hardware_name(arguments) + ": " + error.what());
  }
  const std::string text = routes_text(found.routes);
  result.replace(text);
  Progress progress(common);
  if (!result.on_stdout()) progress.note("routes written to " + result.name());
  const bool training = arguments.has("training");
  draw_pictures({problem, placement, hardware, training, traffic, found.routes}, pictures,
                arguments, warnings);
  Json json = router::route_json(found, traffic, hardware);
  json["wall_s"] = rounded_to_ms(seconds_since(common.start));
  json["warnings"] = warnings.texts();
  report.write(json);
  result.finish(text);
  if (!report.on_stdout() && !result.on_stdout()) {
    write_stdout(route_summary(found, traffic, hardware, case_title(problem, files.graph)));
  }
  return 0;
}

}  // namespace

const Command& route_command() {
  static const Command command{
      .name = "route",
      .summary = "Give a placement's tensors ports, lanes, paths and colours.",
      .usage = {"route CASE SOL [-o ROUTES] [--hardware NAME|FILE] [options]"},
      .description =
          "Routes every tensor of a placement over the mesh in parallel lanes, from border tile to "
          "border tile or between ports on the wafer's edge, such that the busiest link needs as "
          "little of a sample's time as possible; tells how long that is, what no routes can beat, "
          "and what the slowest stage needs. Lanes that share a tile have different colours. "
          "`simulate` routes in the same way; with `simulate --routes ROUTES` it takes a file that "
          "this command wrote.",
      .operands = {{"CASE", "The case, a .kgraph file; - reads stdin."},
                   {"SOL", "The solution file; - reads stdin."}},
      .options = with_problem_options(
          joined({{{.name = "output",
                    .letter = 'o',
                    .value = "ROUTES",
                    .help = "Where the routes go, a JSON file; - is stdout {default}.",
                    .fallback = "routes.json"},
                   sim::hardware_option(),
                   {"training", '\0', "", "Route gradients, too."},
                   {"bound", '\0', "",
                    "Only print what no routes can beat, which takes a fraction of the time."}},
                  picture_options("lanes as bands on the floorplan, with the links' loads in "
                                  "dimension order and on these routes")})),
      .idle = {"seed", "threads", "effort", "verbose"},
      .refuse = [](const ArgumentValues& values) { refuse_workload(values, {"simulate"}); },
      .examples = {"waferloom route A.kgraph A.sol -o A.routes.json",
                   "waferloom route A.kgraph A.sol -o A.routes.json --svg A.routes.svg",
                   "waferloom route A.kgraph A.sol --report - | jq .bound_ps",
                   "waferloom route A.kgraph A.sol --bound",
                   "waferloom simulate A.kgraph A.sol --routes A.routes.json"},
      .run = route_main};
  return command;
}

}  // namespace waferloom::cli
