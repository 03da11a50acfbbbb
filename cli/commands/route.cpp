#include <optional>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/judged_files.h"
#include "cli/files/machine_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/planned_network.h"
#include "cli/files/report_target.h"
#include "cli/files/result_target.h"
#include "cli/files/stage_files.h"
#include "cli/files/stage_pipeline.h"
#include "cli/files/wafer_stages.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cli/summaries/route_summary.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "optimize/routes.h"
#include "router/route_bound.h"
#include "router/route_report.h"
#include "sim/contest_pipeline.h"
#include "sim/pipeline_spec.h"
#include "sim/plan_pipeline.h"
#include "sim/simulate.h"
#include "viz/route_picture.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct RouteRequest {
  CommonOptions common;
  ProblemFiles files;
  std::string solution;  ///< empty: not given
  std::string output = "routes.json";
  MachineChoice hardware;
  bool training = false;
  std::optional<std::string> plan;
  std::optional<std::string> placement;
  bool bound = false;
  PictureRequest pictures;
};

/// What is to be routed.
struct Subject {
  Hardware hardware;
  std::string machine;  ///< for messages
  Traffic traffic{};
  std::string title{};
  std::optional<Problem> problem{};  // of a case, with its placement
  Placement placement{};
};

/// The bytes of a sample on links in dimension order, as `simulate --routing xy` has them; none,
/// and a warning, where it cannot go so.
std::vector<std::int64_t> dimension_order_bytes(const Subject& subject, bool training,
                                                Warnings& warnings) {
  try {
    return sim::sample_link_bytes(
        sim::contest_pipeline(*subject.problem, subject.placement, subject.hardware, training),
        Mesh(subject.hardware), Routing::xy);
  } catch (const RequestError& error) {
    warnings.add(std::string("links in dimension order are not drawn: ") + error.what());
    return {};
  }
}

/// Draws what was routed into every picture asked for.
void draw_pictures(const Subject& subject, const Routes& routes,
                   const std::vector<PictureFile>& pictures, const RouteRequest& request,
                   Warnings& warnings) {
  if (pictures.empty()) return;
  viz::RoutePicture picture =
      viz::route_picture({*subject.problem, subject.hardware, subject.traffic, routes,
                          dimension_order_bytes(subject, request.training, warnings)});
  picture.title = file_names({request.files.graph});
  picture.source =
      file_names({request.files.graph, request.solution}) + " · " + subject.hardware.name;
  for (const PictureFile& file : pictures) {
    file.file.write(viz::draw_routes(picture, file.format));
  }
}

/// --bound goes without what only routes have.
void check_bound_alone(const RouteRequest& request, const ReportTarget& report,
                       const std::vector<PictureFile>& pictures) {
  const char* why = request.common.has("output") ? "-o"
                    : !pictures.empty()          ? "pictures"
                    : report.wanted()            ? "--report"
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

/// The files of a run, which may not be the same.
std::vector<std::string> route_inputs(const RouteRequest& request) {
  std::vector<std::string> inputs;
  if (request.plan) {
    inputs = workload_inputs(request.files.graph, *request.plan, request.hardware);
  } else {
    inputs = request.files.paths();
    for (const std::string& path : machine_inputs(request.hardware)) inputs.push_back(path);
  }
  if (!request.solution.empty()) inputs.push_back(request.solution);
  if (request.placement) inputs.push_back(*request.placement);
  return inputs;
}

/// The stages of a plan of a whole wafer, where --placement has them.
void set_rectangles(const RouteRequest& request, const PlannedNetwork& planned, Subject& subject,
                    Warnings& warnings) {
  const CommonOptions& common = request.common;
  WaferStages stages = wafer_stages(planned, request.files.constraints, common);
  const Placement placement = read_wafer_placement(
      request.placement, {request.files.graph, *request.plan}, stages, common, warnings);
  subject.hardware = std::move(stages.hardware);
  subject.traffic = blaming(subject.machine, [&] {
    return sim::contest_traffic(stages.problem, placement, subject.hardware,
                                stages.batch.has_value());
  });
}

/// The stages of a network, where --placement has them or as the plan lays them out.
Subject stages_of(const RouteRequest& request, Warnings& warnings) {
  const CommonOptions& common = request.common;
  const PlannedNetwork planned = read_planned_network(
      {request.files.graph, request.plan.value(), request.hardware, request.files.wafer}, common,
      warnings);
  Subject subject{planned.hardware, planned.machine};
  subject.title = planned.workload.name;
  if (planned.cut() == nullptr) {
    set_rectangles(request, planned, subject, warnings);
    return subject;
  }
  blaming(subject.machine, [&] { demand_mesh(subject.hardware, "the router"); });
  StagePipelineOptions options;
  options.placement = request.placement;
  const sim::PlannedPipeline pipeline = read_stage_pipeline(planned, options, common, warnings);
  subject.traffic = sim::plan_traffic(pipeline, subject.hardware);
  return subject;
}

/// The kernels of a case.
Subject kernels_of(const RouteRequest& request, Warnings& warnings) {
  if (request.solution.empty()) {
    throw Failure(FailureKind::usage,
                  "expected SOL; for example `waferloom route A.kgraph A.sol -o A.routes.json`");
  }
  const CommonOptions& common = request.common;
  Subject subject{read_fabric(request.hardware, sim::kCaseHardware, common),
                  request.hardware.name_or(sim::kCaseHardware)};
  subject.problem = read_problem(request.files, common, warnings);
  subject.placement = read_legal_placement(request.solution, *subject.problem, common);
  subject.title = case_title(*subject.problem, request.files.graph);
  add_dead_tiles(subject.hardware, subject.problem->wafer().dead);
  blaming(subject.machine, [&] {
    subject.traffic = sim::contest_traffic(*subject.problem, subject.placement, subject.hardware,
                                           request.training);
  });
  return subject;
}

int run_route(const RouteRequest& request) {
  const CommonOptions& common = request.common;
  const std::vector<std::string> inputs = route_inputs(request);
  check_one_stdin(inputs);
  const ReportTarget report(common);
  const ResultTarget result(request.output);
  const std::vector<PictureFile> pictures = picture_files(request.pictures);
  if (request.bound) check_bound_alone(request, report, pictures);
  std::vector<const OutputFile*> outputs;
  if (report.file() != nullptr) outputs.push_back(report.file());
  if (result.file() != nullptr) outputs.push_back(result.file());
  for (const PictureFile& picture : pictures) outputs.push_back(&picture.file);
  check_distinct(outputs, inputs);
  check_one_stdout(report, result);
  Warnings warnings(common);
  const Subject subject =
      request.plan ? stages_of(request, warnings) : kernels_of(request, warnings);
  const Traffic& traffic = subject.traffic;
  if (request.bound) return tell_bound(traffic, subject.hardware, subject.title);
  const RunControl control = run_control(common);
  const router::RouteResult found = blaming(subject.machine, [&] {
    return optimize::demanded_route(traffic, subject.hardware, control);
  });
  // Where it was cut there are routes, and perhaps neither the best ones nor a bound.
  const bool may_be_better = found.end == router::RouteEnd::stopped || found.bound_ps == 0;
  std::optional<CutReason> cut_by;
  if (may_be_better && control.is_cut()) cut_by = control.cut_reason();
  const std::string text = routes_text(found.routes);
  result.replace(text);
  Progress progress(common);
  if (!result.on_stdout()) progress.note("routes written to " + result.name());
  if (subject.problem) {
    draw_pictures(subject, found.routes, pictures, request, warnings);
  }
  report.write(
      router::route_report(found, traffic, subject.hardware,
                           {rounded_to_ms(seconds_since(common.start)), warnings.texts()}));
  result.finish(text);
  if (!report.on_stdout() && !result.on_stdout()) {
    write_stdout(route_summary(found, traffic, subject.hardware, subject.title, cut_by));
  }
  return exit_code_with_best(progress);
}

Options<RouteRequest> route_options() {
  using Request = RouteRequest;
  return in_modes(
      joined_options<Request>(
          {{
               option(&Request::output,
                      {.name = "output",
                       .letter = 'o',
                       .value = "ROUTES",
                       .help = "Where the routes go, a JSON file; - is stdout {default}."}),
           },
           machine_rows(&Request::hardware, sim::hardware_option()),
           {option(&Request::training, {"training", '\0', "", "Route gradients, too."}),
            option(&Request::plan,
                   {"plan", '\0', "PLAN", "Route a workload's stages as this plan has them."}),
            option(&Request::placement, {"placement", '\0', "F",
                                         "Where they lie; without it as the plan lays them out."}),
            option(&Request::bound,
                   {"bound", '\0', "",
                    "Only print what no routes can beat, which takes a fraction of the time."})},
           options_inside(&Request::pictures,
                          picture_options("lanes as bands on the floorplan, with the links' loads "
                                          "in dimension order and on these routes")),
           options_inside(&Request::files, problem_file_options())}),
      {{{kOfSolution}, {"training", "wafer", "constraints", "draw", "svg", "png"}},
       {{kOfPlan}, {"plan", "placement"}}});
}

}  // namespace

const Command& route_command() {
  static const Command command = command_of<RouteRequest>(
      {.name = "route",
       .summary = "Give a placement's tensors ports, lanes, paths and colours.",
       .usage = {"route CASE SOL [-o ROUTES] [--hardware NAME|FILE] [options]",
                 "route WORKLOAD --plan PLAN [--placement F] [-o ROUTES]"},
       .description =
           "Routes every tensor of a placement over the mesh in parallel lanes, from border tile "
           "to border tile or between ports on the wafer's edge, such that the busiest link needs "
           "as little of a sample's time as possible; tells how long that is, what no routes can "
           "beat, and what the slowest stage needs. Lanes that share a tile have different "
           "colours. `simulate` routes in the same way; with `simulate --routes ROUTES` it takes "
           "a file that this command wrote.\n\n"
           "With --plan what the stages of a network move: their tensors and gradients, inputs and "
           "outputs, and what streams from and to memory, whose ports are chosen such that none is "
           "busier than it has to be.",
       .idle = {"seed", "threads", "effort", "verbose"},
       .modes = {{kOfPlan, [](const ArgumentValues& values) { return values.contains("plan"); }},
                 {kOfSolution, [](const ArgumentValues&) { return true; }}},
       .refuse =
           [](const ArgumentValues& values) { refuse_workload_without_plan(values, {"route"}); },
       .examples = {"waferloom route A.kgraph A.sol -o A.routes.json",
                    "waferloom route A.kgraph A.sol -o A.routes.json --svg A.routes.svg",
                    "waferloom route A.kgraph A.sol --report A.report.json",
                    "waferloom route A.kgraph A.sol --bound",
                    "waferloom simulate A.kgraph A.sol --routes A.routes.json",
                    "waferloom route T-18B --plan plan.json --hardware palm_wafer"}},
      {operand_inside(&RouteRequest::files,
                      operand(&ProblemFiles::graph, {"CASE",
                                                     "The case, a .kgraph file, or a workload: a "
                                                     "preset or a file; - reads stdin."})),
       operand(&RouteRequest::solution,
               {"SOL", "The solution file; - reads stdin.", false, false, {kOfSolution}})},
      route_options(), run_route);
  return command;
}

}  // namespace waferloom::cli
