#include "sim/simulate.h"

#include "cli/commands/commands.h"
#include "cli/commands/simulate/simulate_forms.h"
#include "cli/console/failure.h"
#include "cli/files/workload_file.h"

namespace waferloom::cli {
namespace {

// A mode of its own.
constexpr const char* kOfMessages = "--messages";

int simulate_main(const Arguments& arguments) {
  if (arguments.has("messages")) return simulate_messages(arguments);
  if (arguments.has("plan") && arguments.has("CASE")) return simulate_workload(arguments);
  if (!arguments.has("CASE"))
    throw Failure(FailureKind::usage,
                  "expected CASE with SOL, WORKLOAD with --plan, or --messages; for example "
                  "`waferloom simulate A.kgraph A.sol`");
  if (arguments.has("SOL") == arguments.has("placement")) {
    throw Failure(FailureKind::usage,
                  "expected one solution, as SOL or --placement; for example `waferloom simulate "
                  "A.kgraph A.sol`");
  }
  return simulate_placement(arguments);
}

/// Its options, each with the modes that it belongs to.
std::vector<OptionSpec> simulate_table() {
  return with_modes(
      with_problem_options(joined(
          {{{"placement", '\0', "SOL", "The solution file, in place of the operand."},
            {"plan", '\0', "PLAN", "Run a workload as this plan has it, in place of a placement."}},
           sim::plan_run_options(),
           {with_help(sim::hardware_option(),
                      sim::hardware_help({{"wse1", "default of a case"},
                                          {sim::kNetworkHardware, "default of a network"}}))},
           sim::simulation_options(),
           {{"routes", '\0', "ROUTES", "Take the routes of a file that `route` wrote."},
            {"links", '\0', "FILE", "Write the bytes of every link as CSV."},
            {"heatmap", '\0', "FILE", "Draw the links' loads: .svg, .png or .pdf."},
            {"timeline", '\0', "FILE", "Draw when stages work and wait: .svg, .png or .pdf."},
            {"trace", '\0', "FILE",
             "Write all tasks and tensors for chrome://tracing or Perfetto, at most two "
             "million "
             "events; compressed if FILE ends in .gz."},
            {"inside", '\0', "",
             "Of a plan that `plan --serve` wrote: also move the words of a layer's widest product "
             "on at most 32x32 tiles."},
            {"messages", '\0', "FILE", "Run these messages instead; - reads stdin."}},
           sim::message_options()})),
      {{{kOfSolution, kOfPlan},
        {"placement", "hardware", "no-extrapolation", "top", "routes", "links", "heatmap",
         "timeline", "trace"}},
       {{kOfSolution}, {"samples", "training", "wafer", "constraints"}},
       {{kOfPlan}, {"plan", "allow-infeasible", "no-dram", "inside"}},
       {{kOfMessages}, {"messages", "injection-queues"}}});
}

}  // namespace

const Command& simulate_command() {
  static const Command command{
      .name = "simulate",
      .summary = "Tell how fast a placement runs, or when messages arrive.",
      .usage = {"simulate CASE SOL [--hardware NAME|FILE] [options]",
                "simulate WORKLOAD --plan PLAN [--hardware NAME|FILE] [options]",
                "simulate --messages FILE [--network MODEL] [options]"},
      .description =
          "Runs samples through a placement as a pipeline: every kernel is a stage, every tensor "
          "moves over the mesh in parallel lanes, inputs and outputs cross the wafer's edge. "
          "Tells the throughput, what bounds it, and which links and ports are busy. Once the "
          "period repeats, the rest is extrapolated, and the report says so.\n\n"
          "Network models, from the coarsest to the finest: analytic (no contention), exclusive "
          "(a transfer holds its whole path), fair (transfers share links, round robin by input "
          "port), packet (routers with virtual channels and credits, cycle by cycle, for small "
          "meshes; on planned routes every lane has the channel of its colour).\n\n"
          "With --plan a network (waferloom workload lists presets) is cut into stages and "
          "trained, or "
          "runs forward: docs/plans.md. A plan that `plan --serve` wrote runs passes through its "
          "regions: docs/wafer_plans.md.\n\n"
          "With --messages a set of messages runs on a mesh whose links move one flit a cycle, "
          "with four cycles a hop and six at the ends, and the report tells when each is complete.",
      .operands = {{"CASE",
                    "The case, a .kgraph file, or a workload: a preset or a file; - reads stdin.",
                    false,
                    false,
                    {kOfSolution, kOfPlan}},
                   {"SOL", "The solution file; - reads stdin.", false, false, {kOfSolution}}},
      .options = simulate_table(),
      .idle = {"seed", "threads", "effort"},
      .modes = {{kOfMessages,
                 [](const ArgumentValues& values) { return values.contains("messages"); }},
                {kOfPlan, [](const ArgumentValues& values) { return values.contains("plan"); }},
                {kOfSolution, [](const ArgumentValues&) { return true; }}},
      .refuse =
          [](const ArgumentValues& values) {
            if (!values.contains("messages")) refuse_workload_without_plan(values, {"simulate"});
          },
      .examples = {"waferloom simulate A.kgraph A.sol --heatmap A.links.png",
                   "waferloom simulate A.kgraph A.sol --hardware wse2 --training --samples 50",
                   "waferloom simulate A.kgraph A.sol --timeline A.svg --trace A.json.gz",
                   "waferloom simulate T-18B --plan plan.json --hardware palm_wafer",
                   "waferloom simulate --messages all_to_all.json --network packet"},
      .run = simulate_main};
  return command;
}

}  // namespace waferloom::cli
