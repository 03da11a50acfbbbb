#include "cli/commands/commands.h"
#include "cli/commands/place/place_job.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/engine_options.h"
#include "cli/options/island_options.h"
#include "placer/place_options.h"
#include "sim/simulate.h"

namespace waferloom::cli {
namespace {

std::optional<OutputFile> animation(const Arguments& arguments) {
  if (!arguments.has("animation")) return std::nullopt;
  return picture_file("--animation", arguments.text("animation"), ".png").file;
}

int place_main(const Arguments& arguments) {
  const std::string& strategy = arguments.text_or_default("strategy");
  const bool is_workload = arguments.has("plan");
  const ProblemFiles files = problem_files(arguments);
  std::vector<std::string> inputs = is_workload ? workload_inputs(arguments) : files.paths();
  for (const std::string name : {"wafer", "constraints"}) {
    if (is_workload && arguments.has(name)) inputs.push_back(arguments.text(name));
  }
  for (const char* name : {"start", "prices"}) {
    if (arguments.has(name)) inputs.push_back(arguments.text(name));
  }
  check_one_stdin(inputs);
  const PlaceOutputs outputs{ResultTarget(arguments.text("output")), picture_files(arguments),
                             animation(arguments), ReportTarget(arguments.common())};
  outputs.check(inputs);
  if (is_workload) return place_workload(arguments, strategy, outputs);
  Warnings warnings(arguments.common());
  const Problem problem = read_case_to_place(files, arguments.common(), warnings);
  PlaceJob job{problem, files.graph, strategy, outputs, warnings, std::nullopt};
  if (arguments.has("start")) {
    job.start = read_start(problem, arguments.text("start"), arguments.common());
  }
  job.priced = read_priced(problem, arguments);
  job.islands = island_search(arguments, "place");
  return run_place_job(job, arguments.common());
}

}  // namespace

const Command& place_command() {
  static const Command command{
      .name = "place",
      .summary = "Lay a case's kernels onto its wafer.",
      .usage = {"place CASE -o SOL [--start SOL] [--draw FILE ...] [options]",
                "place CASE -o SOL --islands N --engine E --run RUN [-- OPTIONS]",
                "place WORKLOAD --plan PLAN -o PLACEMENT [options]"},
      .description =
          "Searches a legal placement of least total cost. The first one is written as soon as it "
          "is found and replaced by better ones, so SOL is always whole and legal. Every "
          "placement is verified before it is written.\n\n"
          "With --plan the stages of a network are placed (docs/plans.md), and written as JSON for "
          "simulate --placement.",
      .operands = {{"CASE", "The case, a .kgraph file, or a workload; - reads stdin."},
                   engine_operand()},
      .options = with_modes(
          with_problem_options(joined(
              {{{"output", 'o', "SOL",
                 "Where to write the solution; - is stdout, and the summary goes to stderr.", false,
                 true},
                {"start", '\0', "SOL",
                 "A solution to start from, with --plan a placement; kernels may be missing in "
                 "it."},
                {"prices", '\0', "ROUTES",
                 "Weigh each edge by its price in ROUTES: how much one more tile of distance slows "
                 "the busiest link."},
                {"plan", '\0', "PLAN", "Place the stages that this plan cuts a workload into."},
                {"no-dram", '\0', "",
                 "What streams from and to memory takes no time, as for simulate."},
                with_help(sim::hardware_option(),
                          sim::hardware_help({{sim::kNetworkHardware, "default"}}, true))},
               picture_options("the floorplan"),
               {{"animation", '\0', "FILE",
                 "Also draw how the placement came about: an animated PNG of at most 24 "
                 "improvements, "
                 "which browsers play."},
                placer::strategy_option()},
               island_options()})),
          {{{kOfPlan}, {"plan", "no-dram", "hardware"}}}),
      .modes = {{kOfPlan, [](const ArgumentValues& values) { return values.contains("plan"); }},
                {"CASE", [](const ArgumentValues&) { return true; }}},
      .refuse =
          [](const ArgumentValues& values) {
            refuse_workload_without_plan(values, {"place", " -o stages.json"});
            refuse_islands(values);
          },
      .examples = {"waferloom place A.kgraph -o A.sol --draw A.svg --time-limit 5",
                   "waferloom place A.kgraph -o A.sol --effort 7 --seed 3",
                   "waferloom place A.kgraph -o A.sol --islands 4 --epochs 2 --effort 1",
                   "waferloom place A.kgraph -o B.sol --wafer defects.json --start A.sol",
                   "waferloom place A.kgraph -o B.sol --prices A.routes.json --start A.sol",
                   "waferloom place T-18B --plan plan.json --hardware palm_wafer -o T.json",
                   "waferloom cases A | waferloom place - -o A.sol --report -",
                   "waferloom cases A | waferloom place - -o - -q > A.sol"},
      .run = place_main};
  return command;
}

}  // namespace waferloom::cli
