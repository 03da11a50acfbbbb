#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/place/place_job.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/options/engine_options.h"
#include "cli/options/island_options.h"
#include "model/errors.h"
#include "placer/place_options.h"
#include "sim/simulate.h"

namespace waferloom::cli {
namespace {

constexpr const char* kOfCase = "CASE";

std::vector<std::string> place_inputs(const PlaceRequest& request) {
  const ProblemFiles& files = request.files;
  std::vector<std::string> inputs = files.paths();
  if (request.plan) {
    inputs = workload_inputs(files.graph, *request.plan, request.hardware);
    for (const std::string& path : {files.wafer, files.constraints}) {
      if (!path.empty()) inputs.push_back(path);
    }
  }
  for (const std::optional<std::string>& path : {request.start, request.prices}) {
    if (path) inputs.push_back(*path);
  }
  return inputs;
}

Decimal6 parse_buffers(const std::string& text, const std::string& option) {
  const std::optional<Decimal6> samples = parse_number6(text);
  if (samples && *samples <= kMaxBufferSamples) return *samples;
  throw Failure(FailureKind::usage,
                fmt::format("{}: expected samples of an edge, from 0 to {} with at most six "
                            "decimals, found '{}'",
                            option, to_string(kMaxBufferSamples), text));
}

Problem buffered(Problem problem, Decimal6 samples) {
  if (samples == Decimal6{0}) return problem;
  try {
    return with_buffers(problem, {samples});
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage,
                  fmt::format("--buffers {}: {}", to_string(samples), error.what()));
  }
}

int run_place(const PlaceRequest& request) {
  const std::vector<std::string> inputs = place_inputs(request);
  check_one_stdin(inputs);
  PlaceOutputs outputs{ResultTarget(request.output),
                       picture_files(request.pictures),
                       {},
                       ReportTarget(request.common)};
  if (request.animation) {
    outputs.animation = picture_file("--animation", *request.animation, ".png").file;
  }
  outputs.check(inputs);
  if (request.plan) return place_workload(request, outputs);
  Warnings warnings(request.common);
  const Problem problem =
      buffered(read_case_to_place(request.files, request.common, warnings), request.buffers);
  PlaceJob job{problem, request.files.graph, request.strategy, outputs, warnings, std::nullopt};
  if (request.start) job.start = read_start(problem, *request.start, request.common);
  if (request.prices) job.priced = read_priced(problem, *request.prices, request.common);
  job.islands = island_search(request.islands, request.common, "place");
  return run_place_job(job, request.common);
}

Options<PlaceRequest> place_options() {
  using Request = PlaceRequest;
  return in_modes(
      joined_options<Request>(
          {{option(&Request::output,
                   {"output", 'o', "SOL",
                    "Where to write the solution; - is stdout, and the summary goes to stderr.",
                    false, true}),
            option(&Request::start,
                   {"start", '\0', "SOL",
                    "A solution to start from, with --plan a placement; kernels may be missing in "
                    "it."}),
            option(&Request::prices,
                   {"prices", '\0', "ROUTES",
                    "Weigh each edge by its price in ROUTES: how much one more tile of distance "
                    "slows the busiest link."}),
            option(&Request::buffers,
                   {"buffers", '\0', "N",
                    "Leave room in the tiles' memory for N samples of each edge, and for more in "
                    "proportion where an edge passes by other kernels (docs/placer.md; default 0: "
                    "no room, as the contest has it)."},
                   parse_buffers),
            option(&Request::plan,
                   {"plan", '\0', "PLAN", "Place the stages that this plan cuts a workload into."}),
            flag(&Request::memory_model,
                 with_help(sim::no_dram_option(),
                           "What streams from and to memory takes no time, as for simulate."),
                 sim::MemoryModel::ignored)},
           machine_rows(&Request::hardware, stages_hardware_option()),
           options_inside(&Request::pictures, picture_options("the floorplan")),
           {option(&Request::animation,
                   {"animation", '\0', "FILE",
                    "Also draw how the placement came about: an animated PNG of at most 24 "
                    "improvements, which browsers play."}),
            option(&Request::strategy, placer::strategy_option())},
           options_inside(&Request::islands, island_options()),
           options_inside(&Request::files, problem_file_options())}),
      {{{kOfCase}, {"buffers"}}, {{kOfPlan}, {"plan", "no-dram", "hardware", "set", "chips"}}});
}

}  // namespace

const Command& place_command() {
  static const Command command = command_of<PlaceRequest>(
      {.name = "place",
       .summary = "Lay a case's kernels onto its wafer.",
       .usage = {"place CASE -o SOL [--start SOL] [--draw FILE ...] [options]",
                 "place CASE -o SOL --islands N --engine E --run RUN [-- OPTIONS]",
                 "place WORKLOAD --plan PLAN -o PLACEMENT [options]"},
       .description =
           "Searches a legal placement of least total cost. The first one is written as soon as it "
           "is found and replaced by better ones, so SOL is always whole and legal. Every "
           "placement is verified before it is written.\n\n"
           "With --plan the stages of a network are placed (docs/plans.md), and written as JSON "
           "for simulate --placement.",
       .modes = {{kOfPlan, [](const ArgumentValues& values) { return values.contains("plan"); }},
                 {kOfCase, [](const ArgumentValues&) { return true; }}},
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
                    "waferloom place A.kgraph -o A.sol --buffers 2.5",
                    "waferloom place T-18B --plan plan.json --hardware palm_wafer -o T.json",
                    "waferloom cases A | waferloom place - -o A.sol --report -",
                    "waferloom cases A | waferloom place - -o - -q > A.sol"}},
      {operand_inside(&PlaceRequest::files,
                      operand(&ProblemFiles::graph,
                              {"CASE", "The case, a .kgraph file, or a workload; - reads stdin."})),
       operand_inside(&PlaceRequest::islands, operand(&IslandRequest::words, engine_operand()))},
      place_options(), run_place);
  return command;
}

}  // namespace waferloom::cli
