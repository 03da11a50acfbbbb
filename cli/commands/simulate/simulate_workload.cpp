#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/simulate/simulate_forms.h"
#include "cli/commands/simulate/simulation_outputs.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/judged_files.h"
#include "cli/files/stage_files.h"
#include "cli/files/stage_pipeline.h"
#include "cli/files/workload_file.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "cli/summaries/summary_lines.h"
#include "model/text.h"
#include "optimize/simulation_runs.h"
#include "sim/collective.h"
#include "sim/plan_run.h"
#include "sim/report_json.h"

namespace waferloom::cli {
namespace {

std::string number(double value) {
  constexpr int kDigits = 5;
  return significant_text(value, kDigits);
}

std::string rate_text(const sim::PlanReport& found) {
  return number(found.samples_per_s) + " samples/s";
}

std::string memory_text(const sim::PlannedPipeline& planned) {
  const auto& stages = planned.memory.stages;
  const auto most = std::max_element(
      stages.begin(), stages.end(),
      [](const sim::StageMemory& a, const sim::StageMemory& b) { return a.total() < b.total(); });
  const std::string fits = planned.memory.fits_all() ? "fits" : "does not fit";
  return fits +
         (planned.memory.home == sim::MemoryHome::unknown
              ? " (the hardware tells no sizes)"
              : " into " + std::string(sim::home_name(planned.memory.home))) +
         "; at most " + bytes_text(most->total(), Rounding::up) + " a stage, recompute " +
         std::string(recompute_name(planned.plan.recompute));
}

/// "between   s0 -> s1 by 4 adapters, strategy 1" for the first tensor between stages of other
/// tensor degrees; nothing without any.
std::string transfer_lines(const sim::PlannedPipeline& planned) {
  if (planned.transfers.empty()) return {};
  const sim::StageTransfer& first = planned.transfers.front();
  const std::size_t others = planned.transfers.size() - 1;
  return summary_line(
      "between",
      fmt::format(
          "{} by {}, strategy {}{}", planned.cut.edge_name(planned.cut.edges[first.edge]),
          counted_text(first.adapters, "adapter"), 1 + static_cast<int>(first.strategy),
          others == 0 ? "" : ", and " + counted_text(static_cast<std::int64_t>(others), "other")));
}

std::string plan_summary(const sim::PlanReport& found, const sim::PlannedPipeline& planned,
                         const Workload& workload, const sim::SimulationSubject& subject) {
  const Plan& plan = planned.plan;
  std::string text = workload.name + ": " + subject.rate;
  if (workload.tokens > 1) {
    text += ", " + number(found.samples_per_s * static_cast<double>(workload.tokens)) + " tokens/s";
  }
  text += "\n" + summary_line("plan",
                              fmt::format("TP{} DP{} PP{}, {} micro-batches of {}, {}", plan.tensor,
                                          plan.data, plan.pipeline, plan.micro_batches,
                                          plan.micro_batch, schedule_text(plan)));
  text += rate_line(found.rate_of);
  text += simulated_bound_line(found.run, subject.samples_each);
  text += busiest_line(found.run);
  text += summary_line("ideal", number(found.ideal_samples_per_s) +
                                    " samples/s if stages were equal and nothing moved");
  text +=
      summary_line("idle", number(100 * found.bubble) + " % of the tiles' time without computing");
  text += tiles_line(found.use);
  text += summary_line("batch", duration_text(found.batch));
  text += summary_line("memory", memory_text(planned));
  text += transfer_lines(planned);
  text += unrest_lines(found.run);
  return text + hardware_line(subject);
}

sim::PlanReport simulated(sim::PlannedPipeline& planned, const optimize::PlanSimulation& run,
                          const PlannedNetwork& network, const SimulateRequest& request) {
  try {
    return blaming(network.machine, [&] {
      return optimize::simulate_planned(planned, run, search_control(request.common));
    });
  } catch (const optimize::NoRoomForStages& error) {
    throw Failure(FailureKind::infeasible, network.source + ": " + error.what() +
                                               "; --allow-infeasible simulates it all the same");
  }
}

std::vector<std::string> stage_files(const SimulateRequest& request) {
  std::vector<std::string> inputs =
      workload_inputs(request.files.graph, request.plan.value(), request.hardware);
  if (request.placement) inputs.push_back(*request.placement);
  if (request.routes) inputs.push_back(*request.routes);
  return inputs;
}

/// How the pipeline of a plan is simulated.
StagePipelineOptions pipeline_options(const SimulateRequest& request) {
  const bool is_analytic = request.run.pipeline_network() == sim::NetworkKind::analytic;
  return {is_analytic ? sim::Contention::ignored : sim::Contention::simulated, request.memory_model,
          request.placement};
}

/// The file of routes of --routes or of the plan; empty: there is none.
std::string routes_file(const SimulateRequest& request, const Plan& plan) {
  if (request.routes) return *request.routes;
  return request.run.routing ? std::string() : plan_routes_file(request.plan.value(), plan);
}

/// The stages of a plan that cuts a network as over a rack of chips.
int simulate_stages(const SimulateRequest& request, const PlannedNetwork& network,
                    Warnings& warnings) {
  const CommonOptions& common = request.common;
  SimulationOutputs outputs(request.outputs, request.files.graph, stage_files(request), common);
  sim::SimulateOptions options = simulate_options(request.run, common);
  const Plan& plan = *network.cut();
  const Hardware& hardware = network.hardware;
  options.routing = plan_routing(request.run, plan, hardware, request.routes.has_value());
  sim::PlannedPipeline planned =
      read_stage_pipeline(network, pipeline_options(request), common, warnings);
  optimize::PlanSimulation run{hardware, options, request.allow_infeasible};
  if (const std::string given = routes_file(request, plan); !given.empty()) {
    run.routes = [&, given](const Traffic& traffic) {
      return read_routes_of(traffic, hardware, given, common);
    };
  }
  run.listener = [&](const sim::PipelineSpec& spec, sim::SimulateOptions& heard) {
    outputs.listen(spec, heard, "micro-batch");
  };
  const sim::PlanReport found = simulated(planned, run, network, request);
  outputs.end(found.run, warnings);
  options.samples = plan.micro_batches;
  const sim::SimulationSubject subject{hardware,         options,        plan.trains(),
                                       rate_text(found), plan.samples(), found.samples_per_s,
                                       found.rate_of};
  const sim::PlannedRun reported{&found, &planned, &network.workload,
                                 request.placement.has_value()};
  outputs.write(found.run, subject, planned.tiles, reported,
                plan_summary(found, planned, network.workload, subject), warnings);
  return 0;
}

}  // namespace

int simulate_workload(const SimulateRequest& request) {
  Warnings warnings(request.common);
  PlannedNetwork planned = read_planned_network(
      {request.files.graph, request.plan.value(), request.hardware, request.files.wafer},
      request.common, warnings);
  if (request.strategy_between) {
    Plan* const cut = std::get_if<Plan>(&planned.plan);
    if (cut == nullptr) {
      throw Failure(FailureKind::usage,
                    "--strategy-between: of plans that cut a network into stages of degrees");
    }
    cut->strategy_between = *request.strategy_between;
  }
  if (std::holds_alternative<ResidentPlan>(planned.plan)) {
    return simulate_resident_plan(request, planned, warnings);
  }
  if (request.inside) {
    throw Failure(FailureKind::usage, "--inside: of plans that `plan --serve` wrote");
  }
  if (std::holds_alternative<StreamingPlan>(planned.plan)) {
    return simulate_streaming_plan(request, planned, warnings);
  }
  if (std::holds_alternative<PipelinePlan>(planned.plan)) {
    return simulate_pipeline_plan(request, planned, warnings);
  }
  return simulate_stages(request, planned, warnings);
}

}  // namespace waferloom::cli
