#include "optimize/optimize.h"

#include "cli/commands/commands.h"
#include "cli/commands/optimize/optimize_job.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/options/engine_options.h"
#include "cli/options/island_options.h"
#include "sim/simulate.h"

namespace waferloom::cli {
namespace {

const std::vector<std::string> kFiles{"report.json",  "plan.json",   "placement.json",
                                      "solution.sol", "routes.json", "floorplan.svg",
                                      "links.svg"};

// Its modes.
constexpr const char* kOfAnyCase = "a case";
constexpr const char* kOfAnyNetwork = "a network";

int run_optimize(const OptimizingRequest& request) {
  const ProblemFiles& files = request.files;
  std::vector<std::string> inputs = machine_inputs(request.hardware);
  for (const std::string& path : {files.graph, files.wafer, files.constraints,
                                  request.plan.value_or(""), request.start.value_or("")}) {
    inputs.push_back(path);
  }
  std::erase(inputs, "");
  const OutputFolder folder(kFiles, request.output, inputs);
  const ReportTarget report(request.common);
  if (report.file() != nullptr) check_distinct({report.file()}, inputs);
  const OptimizeJob job{request, folder, report};
  return names_workload(files.graph) ? optimize_workload(job) : optimize_case(job);
}

Options<OptimizingRequest> optimizing_options() {
  using Request = OptimizingRequest;
  return in_modes(
      joined_options<Request>(
          {{option(&Request::output,
                   {"output", 'o', "FOLDER", "Where to write the results.", false, true})},
           machine_rows(&Request::hardware, any_hardware_option()),
           options_behind(options_inside(&Request::search, optimize::optimize_options()), "no-dram",
                          {option(&Request::plan,
                                  {"plan", '\0', "PLAN",
                                   "The plan to beat; its batch, leave_out and data type apply to "
                                   "all plans."})}),
           {option(&Request::start,
                   {"start", '\0', "SOL",
                    "A solution to begin with, in place of what place gives; kernels may be "
                    "missing in it."})},
           options_inside(&Request::islands, island_options()),
           options_inside(&Request::files, problem_file_options())}),
      {{{kOfAnyCase},
        {"samples", "training", "wafer", "constraints", "start", "islands", "epochs", "engine",
         "run", "task"}},
       {{kOfAnyNetwork}, {"plan", "batch", "inference", "no-dram"}}});
}

}  // namespace

const Command& optimize_command() {
  static const Command command = command_of<OptimizingRequest>(
      {.name = "optimize",
       .summary = "Search the plan and placement that run fastest.",
       .usage = {"optimize CASE -o FOLDER [--hardware NAME|FILE] [options]",
                 "optimize CASE -o FOLDER --islands N --engine E --run RUN",
                 "optimize WORKLOAD -o FOLDER [--hardware NAME|FILE] [options]"},
       .description =
           "Proposes, simulates what promises most, and keeps what is fastest in simulation "
           "(docs/optimize.md).\n\n"
           "A case is placed as place does, simulated, and placed again under other weights, for "
           "example edges weighted by the traffic they put on busy links. The result "
           "is never slower than what place gives with the same options, or than --start.\n\n"
           "Of a network it searches as plan does, and goes on with more work: tensor, data and "
           "pipeline degrees, micro-batches, schedules and layouts are enumerated, the best by "
           "estimate simulated with all micro-batches, and the fastest ones' stages placed.\n\n"
           "FOLDER gets report.json with all candidates, the Pareto front of throughput, memory "
           "and latency, and why the others lost; the solution, or plan and placement; and "
           "pictures of the floorplan and of the links' loads.",
       .modes = {{kOfAnyNetwork,
                  [](const ArgumentValues& values) {
                    return names_workload(values.at("CASE").front());
                  }},
                 {kOfAnyCase, [](const ArgumentValues&) { return true; }}},
       .refuse =
           [](const ArgumentValues& values) {
             refuse_islands(values);
             if (!values.contains("islands") || !values.contains("time-limit")) return;
             throw Failure(FailureKind::usage,
                           "--time-limit: goes without --islands; they go by --effort");
           },
       .examples = {"waferloom optimize A.kgraph -o A.best",
                    "waferloom optimize A.kgraph --hardware wse2 --time-limit 30 -o A.best",
                    "waferloom optimize T-76B --hardware palm_wafer --batch 42 -o T.best",
                    "waferloom optimize T-18B --hardware palm_wafer --plan plan.json -o T.best"}},
      {operand_inside(&OptimizingRequest::files,
                      operand(&ProblemFiles::graph,
                              {"CASE",
                               "A case, a .kgraph file, - for stdin; or a network: a preset or a "
                               "file that ends in .json."})),
       operand_inside(&OptimizingRequest::islands,
                      operand(&IslandRequest::words, engine_operand()))},
      optimizing_options(), run_optimize);
  return command;
}

}  // namespace waferloom::cli
