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
#include "cli/options/option_values.h"
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

Picture draw_mesh(const Arguments& arguments, viz::PictureFormat format) {
  viz::Fabric fabric;
  fabric.mesh = parse_mesh(arguments.text("fabric"), "--fabric");
  for (const std::string& text : arguments.list("dead")) {
    fabric.dead.push_back(parse_dead(text, fabric.mesh));
  }
  return {viz::draw_fabric(fabric, format), "fabric", {}};
}

viz::FloorplanOptions floorplan_options(const Arguments& arguments) {
  viz::FloorplanOptions options;
  options.colour = named<viz::FloorplanOptions::Colour>(arguments, "colour", viz::kColourNames);
  options.source = file_names({arguments.text("CASE"), arguments.text("SOL")});
  return options;
}

Picture draw_solution(const Arguments& arguments, viz::PictureFormat format, Warnings& warnings) {
  const std::string& solution_path = arguments.text("SOL");
  const Problem problem = read_problem(problem_files(arguments), arguments.common(), warnings);
  const Judgement judgement = judge(problem, read_solution_file(solution_path, arguments.common()));
  const std::string source = source_name(solution_path);
  if (!judgement.placement) {
    throw Failure(FailureKind::check,
                  source + ": cannot be drawn: " + judgement.violations.front().message);
  }
  refuse_out_of_sight(source, rectangles(problem, *judgement.placement), problem.wafer(),
                      judgement.violations);
  if (!judgement.legal()) {
    warnings.add(source + ": " + illegal_text(judgement.violations));
  }
  return {viz::draw_floorplan(problem, *judgement.placement, format, floorplan_options(arguments)),
          "floorplan", judgement.legal()};
}

// A mode of its own.
constexpr const char* kOfFabric = "--fabric";

void check_usage(const Arguments& arguments) {
  const bool fabric = arguments.has("fabric");
  const bool is_network = arguments.has("plan");
  if (!fabric && !is_network) refuse_undrawable(arguments, {"CASE", "SOL"});
  if (is_network && !fabric && !arguments.has("SOL")) {
    throw Failure(FailureKind::usage,
                  "expected PLACEMENT, as plan --placement or place writes it; for example " +
                      std::string("`waferloom draw T-18B stages.json --plan plan.json -o T.svg`"));
  }
  if (fabric == arguments.has("CASE") || fabric == arguments.has("SOL")) {
    throw Failure(FailureKind::usage,
                  "expected either CASE and SOL or --fabric; for example `waferloom draw A.kgraph "
                  "A.sol -o A.svg`");
  }
}

std::vector<std::string> inputs_of(const Arguments& arguments) {
  const bool is_network = arguments.has("plan");
  std::vector<std::string> inputs =
      is_network ? workload_inputs(arguments) : arguments.list("CASE");
  for (const char* name : {"SOL", "wafer", "constraints"}) {
    for (const std::string& path : arguments.list(name)) inputs.push_back(path);
  }
  return inputs;
}

Picture draw_any(const Arguments& arguments, viz::PictureFormat format, Warnings& warnings) {
  if (arguments.has("fabric")) return draw_mesh(arguments, format);
  if (arguments.has("plan")) {
    return draw_stages(arguments, format, floorplan_options(arguments), warnings);
  }
  return draw_solution(arguments, format, warnings);
}

int draw_main(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  check_usage(arguments);
  const auto [output, format] = picture_file("--output", arguments.text("output"));
  const ReportTarget target(common);
  std::vector<const OutputFile*> files{&output};
  if (target.file() != nullptr) files.push_back(target.file());
  const std::vector<std::string> inputs = inputs_of(arguments);
  check_one_stdin(inputs);
  check_distinct(files, inputs);

  Warnings warnings(common);
  const Picture picture = draw_any(arguments, format, warnings);
  throw_if_interrupted();
  throw_if_late(common);
  output.write(picture.bytes);
  target.write(
      viz::draw_report({picture.kind, output.path(), format, picture.bytes.size(), picture.legal},
                       warnings.texts()));
  Progress(common).note(picture.kind + " written to " + output.path());
  return 0;
}

}  // namespace

const Command& draw_command() {
  static const Command command{
      .name = "draw",
      .summary = "Draw a placement, or the wafer's fabric.",
      .usage = {"draw CASE SOL -o FILE [--colour type|slack|load] [options]",
                "draw WORKLOAD PLACEMENT --plan PLAN -o FILE [options]",
                "draw --fabric WxH -o FILE [--dead X,Y,WxH ...] [options]"},
      .description =
          "Draws the floorplan of a solution, or an empty mesh with its ports and dead tiles. "
          "Illegal placements are drawn too, what breaks a rule in red, and a warning says so.\n\n"
          "With --plan the stages of a network are drawn as place --draw does, where PLACEMENT, of "
          "plan, place or optimize, has them: what they hold, how long they take, the tensors "
          "between them, ports.",
      .operands = {{"CASE", "The case, a .kgraph file, or a workload; - reads stdin.", false},
                   {"SOL", "The solution, or the placement of stages; - reads stdin.", false}},
      .options = with_modes(
          with_problem_options(joined(
              {{{.name = "output",
                 .letter = 'o',
                 .value = "FILE",
                 .help = "The picture; its ending says the format: .svg, "
                         ".png or .pdf.",
                 .required = true}},
               viz::draw_options(),
               {{"plan", '\0', "PLAN", "Draw the stages that this plan cuts a workload into."},
                {"no-dram", '\0', "",
                 "What streams from and to memory takes no time, as for place."},
                with_help(sim::hardware_option(),
                          sim::hardware_help({{sim::kNetworkHardware, "default"}}, true))}})),
          {{{kOfSolution, kOfPlan}, {"colour", "wafer", "constraints"}},
           {{kOfPlan}, {"plan", "no-dram", "hardware"}},
           {{kOfFabric}, {"fabric", "dead"}}}),
      .idle = {"seed", "threads", "effort", "verbose"},
      .modes = {{kOfFabric, [](const ArgumentValues& values) { return values.contains("fabric"); }},
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
                   "waferloom draw --fabric 633x633 --dead 100,40,8x8 -o fabric.svg"},
      .run = draw_main};
  return command;
}

}  // namespace waferloom::cli
