#include "sim/simulate.h"

#include "cli/commands/commands.h"
#include "cli/commands/simulate/simulate_forms.h"
#include "cli/console/failure.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"

namespace waferloom::cli {
namespace {

// A mode of its own.
constexpr const char* kOfMessages = "--messages";

int run_simulate(const SimulateRequest& request) {
  const bool has_case = !request.files.graph.empty();
  if (request.messages) return simulate_messages(request);
  if (request.plan && has_case) return simulate_workload(request);
  if (!has_case)
    throw Failure(FailureKind::usage,
                  "expected CASE with SOL, WORKLOAD with --plan, or --messages; for example "
                  "`waferloom simulate A.kgraph A.sol`");
  if (request.solution.empty() != request.placement.has_value()) {
    throw Failure(FailureKind::usage,
                  "expected one solution, as SOL or --placement; for example `waferloom simulate "
                  "A.kgraph A.sol`");
  }
  return simulate_placement(request);
}

Options<SimulateRequest> plan_run_rows() {
  using Request = SimulateRequest;
  return joined_options<Request>(
      {{option(&Request::placement,
               {"placement", '\0', "SOL", "The solution file, in place of the operand."}),
        option(&Request::plan, {"plan", '\0', "PLAN",
                                "Run a workload as this plan has it, in place of a placement."}),
        option(&Request::strategy_between,
               {.name = "strategy-between",
                .value = "NAME",
                .help = "How tensors go between stages of other tensor degrees, in place of the "
                        "plan's choice: {choices}.",
                .choices = {{"cheaper", "by the model's price"},
                            {"sum-first", "PALM's strategy 1"},
                            {"sum-behind", "strategy 2, of tensors that are sums"}}}),
        option(&Request::allow_infeasible, sim::allow_infeasible_option()),
        flag(&Request::memory_model, sim::no_dram_option(), sim::MemoryModel::ignored)},
       machine_rows(&Request::hardware, any_hardware_option())});
}

/// Its options, each with the modes that it belongs to.
Options<SimulateRequest> simulate_table() {
  using Request = SimulateRequest;
  return in_modes(
      joined_options<Request>(
          {plan_run_rows(),
           options_inside(&Request::run, sim::simulation_options()),
           {option(&Request::routes,
                   {"routes", '\0', "ROUTES", "Take the routes of a file that `route` wrote."})},
           options_inside(&Request::outputs, pipeline_file_options()),
           {option(&Request::inside,
                   {"inside", '\0', "",
                    "Of a plan that `plan --serve` wrote: also move the words of a layer's widest "
                    "product on at most 32x32 tiles."}),
            option(&Request::messages,
                   {"messages", '\0', "FILE",
                    "Run these messages, or a device trace, instead; - reads stdin."}),
            option(&Request::issue_times,
                   {.name = "issue-times",
                    .value = "WHEN",
                    .help = "Of a device trace, when transfers are issued: {choices}.",
                    .choices = {{"recorded", "in the trace's cycles"},
                                {"shifted", "as long after what came before as there"}}}),
            option(&Request::injection_queues, sim::injection_queues_option())},
           options_inside(&Request::files, problem_file_options())}),
      {{{kOfSolution, kOfPlan},
        {"placement", "no-extrapolation", "patience", "top", "routes", "links", "heatmap",
         "timeline", "trace"}},
       {{kOfSolution}, {"samples", "training", "wafer", "constraints"}},
       {{kOfPlan}, {"plan", "strategy-between", "allow-infeasible", "no-dram", "inside"}},
       {{kOfMessages}, {"messages", "injection-queues", "issue-times"}}});
}

}  // namespace

const Command& simulate_command() {
  static const Command command = command_of<SimulateRequest>(
      {.name = "simulate",
       .summary = "Tell how fast a placement runs, or when messages arrive.",
       .usage = {"simulate CASE SOL [--hardware NAME|FILE] [options]",
                 "simulate WORKLOAD --plan PLAN [--hardware NAME|FILE] [options]",
                 "simulate --messages FILE [--network MODEL] [options]",
                 "simulate --messages TRACE [--hardware NAME|FILE] [options]"},
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
           "trained, or runs forward: docs/plans.md. A plan that `plan --serve` wrote runs passes "
           "through its regions: docs/wafer_plans.md.\n\n"
           "With --messages a set of messages runs on a mesh whose links move one flit a cycle, "
           "with four cycles a hop and six at the ends, and the report tells when each is "
           "complete. A device trace, an array of reads, writes and barriers, runs on the networks "
           "on chip of --hardware (wormhole), and the report tells its span.",
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
                    "waferloom simulate --messages all_to_all.json --network packet",
                    "waferloom simulate --messages trace.json --hardware wormhole"}},
      {operand_inside(
           &SimulateRequest::files,
           operand(&ProblemFiles::graph,
                   {"CASE",
                    "The case, a .kgraph file, or a workload: a preset or a file; - reads stdin.",
                    false,
                    false,
                    {kOfSolution, kOfPlan}})),
       operand(&SimulateRequest::solution,
               {"SOL", "The solution file; - reads stdin.", false, false, {kOfSolution}})},
      simulate_table(), run_simulate);
  return command;
}

}  // namespace waferloom::cli
