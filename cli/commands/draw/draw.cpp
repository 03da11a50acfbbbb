#include <optional>

#include "cli/commands/commands.h"
#include "cli/commands/draw/draw_forms.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "model/placement.h"
#include "model/text.h"
#include "sim/simulate.h"
#include "viz/draw_options.h"
#include "viz/draw_report.h"
#include "viz/fabric.h"

namespace waferloom::cli {
namespace {

Rectangle parse_dead(const std::string& text, const Wafer& mesh) {
  const std::vector<std::int64_t> numbers = split_numbers(text, ",,x");
  if (numbers.empty() || numbers[2] < 1 || numbers[3] < 1) {
    throw Failure(FailureKind::usage,
                  "--dead: expected X,Y,WIDTHxHEIGHT, found " + in_quotes(text));
  }
  const Rectangle tiles{numbers[0], numbers[1], numbers[2], numbers[3]};
  if (tiles.x + tiles.width > mesh.width || tiles.y + tiles.height > mesh.height) {
    throw Failure(FailureKind::usage, "--dead: " + in_quotes(text) + " is not within the fabric");
  }
  return tiles;
}

Picture draw_mesh(const viz::DrawRequest& request, viz::PictureFormat format) {
  viz::Fabric fabric;
  fabric.mesh = parse_mesh(request.fabric.value(), "--fabric");
  for (const std::string& text : request.dead) {
    fabric.dead.push_back(parse_dead(text, fabric.mesh));
  }
  return {viz::draw_fabric(fabric, format), "fabric", {}};
}

viz::FloorplanOptions floorplan_options(const DrawingRequest& request) {
  viz::FloorplanOptions options;
  options.colour = request.drawn.colour;
  options.source = file_names({request.files.graph, request.solution});
  return options;
}

Picture draw_solution(const DrawingRequest& request, viz::PictureFormat format,
                      Warnings& warnings) {
  const Problem problem = read_problem(request.files, request.common, warnings);
  const Judgement judgement = judge(problem, read_solution_file(request.solution, request.common));
  const std::string source = source_name(request.solution);
  if (!judgement.placement) {
    throw Failure(FailureKind::check,
                  source + ": cannot be drawn: " + judgement.violations.front().message);
  }
  refuse_out_of_sight(source, rectangles(problem, *judgement.placement), problem.wafer(),
                      judgement.violations);
  if (!judgement.legal()) {
    warnings.add(source + ": " + illegal_text(judgement.violations));
  }
  return {viz::draw_floorplan(problem, *judgement.placement, format, floorplan_options(request)),
          "floorplan", judgement.legal()};
}

// A mode of its own.
constexpr const char* kOfFabric = "--fabric";

void check_usage(const DrawingRequest& request) {
  const bool fabric = request.drawn.fabric.has_value();
  const bool is_network = request.plan.has_value();
  const bool has_solution = !request.solution.empty();
  if (!fabric && !is_network) {
    refuse_undrawable(request, request.files.graph);
    refuse_undrawable(request, request.solution);
  }
  if (is_network && !fabric) return;  // draw_stages knows what the plan needs
  if (fabric != request.files.graph.empty() || fabric == has_solution) {
    throw Failure(FailureKind::usage,
                  "expected either CASE and SOL or --fabric; for example `waferloom draw A.kgraph "
                  "A.sol -o A.svg`");
  }
}

std::vector<std::string> inputs_of(const DrawingRequest& request) {
  const ProblemFiles& files = request.files;
  std::vector<std::string> inputs =
      request.plan ? workload_inputs(files.graph, *request.plan, request.hardware)
                   : std::vector<std::string>{files.graph};
  for (const std::string& path : {request.solution, files.wafer, files.constraints}) {
    inputs.push_back(path);
  }
  std::erase(inputs, "");
  return inputs;
}

Picture draw_any(const DrawingRequest& request, viz::PictureFormat format, Warnings& warnings) {
  if (request.drawn.fabric) return draw_mesh(request.drawn, format);
  if (request.plan) return draw_stages(request, format, floorplan_options(request), warnings);
  return draw_solution(request, format, warnings);
}

int run_draw(const DrawingRequest& request) {
  const CommonOptions& common = request.common;
  check_usage(request);
  const auto [output, format] = picture_file("--output", request.output);
  const ReportTarget target(common);
  std::vector<const OutputFile*> files{&output};
  if (target.file() != nullptr) files.push_back(target.file());
  const std::vector<std::string> inputs = inputs_of(request);
  check_one_stdin(inputs);
  check_distinct(files, inputs);

  Warnings warnings(common);
  const Picture picture = draw_any(request, format, warnings);
  throw_if_interrupted();
  throw_if_late(common);
  output.write(picture.bytes);
  target.write(
      viz::draw_report({picture.kind, output.path(), format, picture.bytes.size(), picture.legal},
                       warnings.texts()));
  Progress(common).note(picture.kind + " written to " + output.path());
  return 0;
}

Options<DrawingRequest> drawing_options() {
  using Request = DrawingRequest;
  return in_modes(
      joined_options<Request>(
          {{option(&Request::output, {.name = "output",
                                      .letter = 'o',
                                      .value = "FILE",
                                      .help = "The picture; its ending says the format: .svg, "
                                              ".png or .pdf.",
                                      .required = true})},
           options_inside(&Request::drawn, viz::draw_options()),
           {option(&Request::plan,
                   {"plan", '\0', "PLAN", "Draw the stages that this plan cuts a workload into."}),
            flag(&Request::memory_model,
                 with_help(sim::no_dram_option(),
                           "What streams from and to memory takes no time, as for place."),
                 sim::MemoryModel::ignored)},
           machine_rows(&Request::hardware, stages_hardware_option()),
           options_inside(&Request::files, problem_file_options())}),
      {{{kOfSolution, kOfPlan}, {"colour", "wafer", "constraints"}},
       {{kOfPlan}, {"plan", "no-dram", "hardware", "set", "chips"}},
       {{kOfFabric}, {"fabric", "dead"}}});
}

}  // namespace

const Command& draw_command() {
  static const Command command = command_of<DrawingRequest>(
      {.name = "draw",
       .summary = "Draw a placement, or the wafer's fabric.",
       .usage = {"draw CASE SOL -o FILE [--colour type|slack|load] [options]",
                 "draw WORKLOAD [PLACEMENT] --plan PLAN -o FILE [options]",
                 "draw --fabric WxH -o FILE [--dead X,Y,WxH ...] [options]"},
       .description =
           "Draws the floorplan of a solution, or an empty mesh with its ports and dead tiles. "
           "Illegal placements are drawn too, what breaks a rule in red, and a warning says so.\n\n"
           "With --plan the stages of a network are drawn as place --draw does, where PLACEMENT, "
           "of plan, place or optimize, has them: what they hold, how long they take, the tensors "
           "between them, ports. Without PLACEMENT the machine is drawn with the tiles that the "
           "plan takes, as simulate lays them.",
       .idle = {"seed", "threads", "effort", "verbose"},
       .modes = {{kOfFabric,
                  [](const ArgumentValues& values) { return values.contains("fabric"); }},
                 {kOfPlan, [](const ArgumentValues& values) { return values.contains("plan"); }},
                 {kOfSolution, [](const ArgumentValues&) { return true; }}},
       .refuse =
           [](const ArgumentValues& values) {
             // A placement of stages behind a network lacks the plan alone; refuse_undrawable says
             // so.
             const auto drawn = values.find("SOL");
             const bool has_stages =
                 drawn != values.end() && drawn->second.front().ends_with(".json");
             if (values.contains("plan") || has_stages) return;
             refuse_workload(values, {"place", " -o stages.json --draw stages.svg"});
           },
       .examples = {"waferloom draw A.kgraph A.sol -o A.png --colour slack",
                    "waferloom draw T-18B T.json --plan plan.json --hardware palm_wafer -o T.svg",
                    "waferloom draw --fabric 633x633 --dead 100,40,8x8 -o fabric.svg"}},
      {operand_inside(
           &DrawingRequest::files,
           operand(&ProblemFiles::graph,
                   {"CASE", "The case, a .kgraph file, or a workload; - reads stdin.", false})),
       operand(&DrawingRequest::solution,
               {"SOL", "The solution, or the placement of stages; - reads stdin.", false})},
      drawing_options(), run_draw);
  return command;
}

}  // namespace waferloom::cli
