#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/jobs/optimize_job.h"
#include "cli/options/simulation_options.h"
#include "cli/options/strategy_option.h"
#include "cli/options/workload_operand.h"
#include "model/workload_file.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostSimulated = 10'000;

const std::vector<std::string> kFiles{"report.json",  "plan.json",     "placement.json",
                                      "solution.sol", "floorplan.svg", "links.svg"};

/// A preset, or a file of JSON.
bool is_workload(const std::string& operand) {
  return workload_preset(operand).has_value() || operand.ends_with(".json");
}

void refuse(const Arguments& arguments, std::initializer_list<const char*> options,
            const std::string& why) {
  for (const char* option : options) {
    if (!arguments.has(option)) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) + ": " + why);
  }
}

int run(const Arguments& arguments) {
  const std::string strategy = arguments.has("strategy") ? arguments.text("strategy") : "auto";
  check_strategy(strategy);
  const bool workload = is_workload(arguments.text("CASE"));
  std::vector<std::string> inputs = hardware_files(arguments);
  for (const char* name : {"CASE", "wafer", "constraints", "plan"}) {
    for (const std::string& path : arguments.list(name)) inputs.push_back(path);
  }
  const OutputFolder folder(arguments.text("output"), kFiles, inputs);
  const ReportTarget report(arguments.common());
  if (report.file() != nullptr) check_distinct({report.file()}, inputs);
  OptimizeJob job{arguments, folder, report};
  job.strategy = strategy;
  if (arguments.has("top")) {
    job.top = parse_whole(arguments.text("top"), "--top", {1, kMostSimulated});
  }
  if (workload) {
    refuse(arguments, {"wafer", "constraints", "training", "samples"}, "is for cases");
    return optimize_workload(job);
  }
  refuse(arguments, {"plan", "batch", "inference", "no-dram"}, "is for networks");
  return optimize_case(job);
}

}  // namespace

const Command& optimize_command() {
  static const Command command{
      .name = "optimize",
      .summary = "Search the plan and placement that run fastest.",
      .usage = {"optimize CASE -o FOLDER [--hardware NAME|FILE] [options]",
                "optimize WORKLOAD -o FOLDER [--hardware NAME|FILE] [--batch N] [options]"},
      .description =
          "Proposes, simulates what promises most, and keeps what is fastest in simulation "
          "(docs/optimize.md).\n\n"
          "A case is placed as place does, simulated, and placed again under other weights, among "
          "them edges that weigh as the traffic they were seen to put on busy links. The result "
          "is never slower than what place gives with the same options.\n\n"
          "Of a network plans are enumerated: tensor, data and pipeline degrees, micro-batches, "
          "schedules and layouts. The best by estimate are simulated with all micro-batches, and "
          "the fastest ones' stages placed.\n\n"
          "FOLDER gets report.json with all candidates, the Pareto front of throughput, memory and "
          "latency, and why the others lost; the solution, or plan and placement; and pictures of "
          "the floorplan and of the links' loads.",
      .operands = {{"CASE",
                    "A case, a .kgraph file, - for stdin; or a network: a preset or a "
                    "file that ends in .json."}},
      .options = with_problem_options(
          {{"output", 'o', "FOLDER", "Where to write the results.", false, true},
           {"hardware", '\0', "NAME|FILE",
            "wse1 (default), wse2, palm_wafer, grayskull, dojo_d1, or a JSON file."},
           {"top", '\0', "N",
            "Candidates to simulate: of a case in each round (default 4), of a network (default "
            "40)."},
           {"network", '\0', "MODEL", "analytic, exclusive, fair (default) or packet."},
           {"routing", '\0', "RULE",
            "xy, yx, o1turn or adaptive; xy for a case, the better of xy and yx for a network."},
           {"samples", '\0', "N", "Of a case: samples to run (default 1000)."},
           {"training", '\0', "", "Of a case: gradients flow back, as for simulate."},
           {"batch", '\0', "N", "Of a network: samples of a batch (default 64)."},
           {"inference", '\0', "", "Of a network: forward alone."},
           {"no-dram", '\0', "", "Of a network: what streams from and to memory takes no time."},
           {"plan", '\0', "PLAN",
            "Of a network: the plan to beat; says the batch, what is left out and the data type."},
           {"strategy", '\0', "NAME", "How to place, as for place (default auto)."}}),
      .examples = {"waferloom optimize A.kgraph -o A.best",
                   "waferloom optimize A.kgraph --hardware wse2 --effort 7 -o A.best",
                   "waferloom optimize T-76B --hardware palm_wafer --batch 42 -o T.best",
                   "waferloom optimize T-18B --hardware palm_wafer --plan plan.json -o T.best"},
      .run = run};
  return command;
}

}  // namespace waferloom::cli
