#include "optimize/optimize.h"

#include "cli/commands/commands.h"
#include "cli/commands/optimize/optimize_job.h"
#include "cli/console/failure.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/engine_options.h"
#include "cli/options/island_options.h"
#include "cli/options/option_values.h"
#include "sim/simulate.h"

namespace waferloom::cli {
namespace {

const std::vector<std::string> kFiles{"report.json",  "plan.json",   "placement.json",
                                      "solution.sol", "routes.json", "floorplan.svg",
                                      "links.svg"};

// Its modes.
constexpr const char* kOfAnyCase = "a case";
constexpr const char* kOfAnyNetwork = "a network";

int optimize_main(const Arguments& arguments) {
  const bool workload = names_workload(arguments.text("CASE"));
  std::vector<std::string> inputs = hardware_files(arguments);
  for (const char* name : {"CASE", "wafer", "constraints", "plan", "start"}) {
    for (const std::string& path : arguments.list(name)) inputs.push_back(path);
  }
  const OutputFolder folder(kFiles, arguments.text("output"), inputs);
  const ReportTarget report(arguments.common());
  if (report.file() != nullptr) check_distinct({report.file()}, inputs);
  OptimizeJob job{arguments, folder, report};
  job.strategy = arguments.text_or_default("strategy");
  if (arguments.has("top")) job.top = whole<std::size_t>(arguments, "top");
  return workload ? optimize_workload(job) : optimize_case(job);
}

}  // namespace

const Command& optimize_command() {
  static const Command command{
      .name = "optimize",
      .summary = "Search the plan and placement that run fastest.",
      .usage = {"optimize CASE -o FOLDER [--hardware NAME|FILE] [options]",
                "optimize CASE -o FOLDER --islands N --engine E --run RUN",
                "optimize WORKLOAD -o FOLDER [--hardware NAME|FILE] [options]"},
      .description =
          "Proposes, simulates what promises most, and keeps what is fastest in simulation "
          "(docs/optimize.md).\n\n"
          "A case is placed as place does, simulated, and placed again under other weights, for "
          "example "
          "edges weighted by the traffic they put on busy links. The result "
          "is never slower than what place gives with the same options, or than --start.\n\n"
          "Of a network plans are enumerated: tensor, data and pipeline degrees, micro-batches, "
          "schedules and layouts. The best by estimate are simulated with all micro-batches, and "
          "the fastest ones' stages placed.\n\n"
          "FOLDER gets report.json with all candidates, the Pareto front of throughput, memory and "
          "latency, and why the others lost; the solution, or plan and placement; and pictures of "
          "the floorplan and of the links' loads.",
      .operands = {{"CASE",
                    "A case, a .kgraph file, - for stdin; or a network: a preset or a "
                    "file that ends in .json."},
                   engine_operand()},
      .options = with_modes(
          with_problem_options(joined(
              {{{"output", 'o', "FOLDER", "Where to write the results.", false, true},
                with_help(sim::hardware_option(),
                          sim::hardware_help({{"wse1", "default of a case"},
                                              {sim::kNetworkHardware, "default of a network"}}))},
               inserted_behind(optimize::optimize_options(), "no-dram",
                               {{"plan", '\0', "PLAN",
                                 "The plan to beat; its batch, leave_out and data type apply to "
                                 "all plans."}}),
               {{"start", '\0', "SOL",
                 "A solution to begin with, in place of what place gives; kernels may be missing "
                 "in it."}},
               island_options()})),
          {{{kOfAnyCase},
            {"samples", "training", "wafer", "constraints", "start", "islands", "epochs", "engine",
             "run", "task"}},
           {{kOfAnyNetwork}, {"plan", "batch", "inference", "no-dram"}}}),
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
                   "waferloom optimize T-18B --hardware palm_wafer --plan plan.json -o T.best"},
      .run = optimize_main};
  return command;
}

}  // namespace waferloom::cli
