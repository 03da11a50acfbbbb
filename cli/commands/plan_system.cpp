#include "cli/commands/plan_system.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/options/option_values.h"
#include "cli/options/system_option.h"
#include "cli/options/workload_operand.h"
#include "cli/summaries/sweep_summary.h"
#include "model/hardware_file.h"
#include "model/plan.h"
#include "model/system_file.h"
#include "planner/layer_execution.h"
#include "planner/mapping_search.h"
#include "planner/sharding.h"
#include "planner/transformer_graph.h"

namespace waferloom::cli {
namespace {

/// How the best plan maps a layer onto a chip, by name.
LayerMapping layer_of(const planner::SystemPlan& best, const planner::TransformerJob& job,
                      const System& system) {
  planner::TransformerPass pass;
  pass.samples = static_cast<std::int64_t>(best.choice.micro_batch);
  pass.element_bytes = job.element_bytes;
  const DataflowGraph whole = planner::transformer_graph(job.layer, pass);
  LayerMapping layer;
  for (std::size_t i = 0; i < best.sharding.size(); ++i) {
    layer.sharding[whole.kernels[i].name] = planner::sharding_name(best.sharding[i]);
  }
  std::vector<NetworkDimension> network;
  for (std::size_t i = 0; i < system.dimensions.size(); ++i) {
    if (best.choice.dimensions[i] == planner::Parallelism::tensor)
      network.push_back(system.dimensions[i]);
  }
  const DataflowGraph chip = planner::shard(whole, best.sharding, best.tensor);
  const planner::FoundMapping found = planner::best_mapping(planner::MappingProblem(
      chip, planner::layer_rates(system, network, best.choice.micro_batch)));
  for (const std::vector<std::size_t>& partition : found.partitions) {
    std::vector<std::string>& names = layer.partitions.emplace_back();
    for (const std::size_t kernel : partition) names.push_back(chip.kernels[kernel].name);
  }
  return layer;
}

Plan plan_of(const planner::SystemPlan& best, const planner::TransformerJob& job,
             const System& system) {
  Plan plan;
  plan.tensor = best.tensor;
  plan.data = best.data;
  plan.pipeline = best.pipeline;
  plan.micro_batch = static_cast<std::int64_t>(best.choice.micro_batch);
  plan.micro_batches = static_cast<std::int64_t>(best.micro_batches);
  plan.recompute = best.choice.recompute ? Recompute::full : Recompute::none;
  if (!job.training) plan.schedule = Schedule::inference;
  plan.layer = layer_of(best, job, system);
  return plan;
}

/// Whether a JSON text is of a system: it has a chip.
bool has_chip(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("chip");
}

}  // namespace

std::optional<System> planned_system(const Arguments& arguments) {
  if (!arguments.has("hardware")) return std::nullopt;
  const std::string& name = arguments.text("hardware");
  if (hardware_preset(name)) return std::nullopt;
  if (system_preset(name)) return read_system_option(arguments, "hardware");
  // stdin is read once only: by whoever reads a wafer's hardware.
  const bool is_file = name.find_first_of("./") != std::string::npos;
  if (!is_file || !has_chip(read_input(name, arguments.common()))) return std::nullopt;
  return read_system_option(arguments, "hardware");
}

int plan_for_system(const Arguments& arguments, const System& system, const OutputFile& output,
                    const ReportTarget& target) {
  for (const char* option : {"placement", "network", "routing", "no-dram", "strategy", "model",
                             "optimizer", "data-type"}) {
    if (!arguments.has(option)) continue;
    throw Failure(FailureKind::usage, "--" + std::string(option) + ": " + system.name +
                                          " is a system of chips, which is not simulated");
  }
  const Workload workload = read_workload_operand(arguments, "WORKLOAD");
  const auto batch = whole<double>(arguments, "batch");
  planner::SweepJob job;
  job.name = workload.name;
  job.system = system;
  job.objective = named<planner::Objective>(arguments, "objective", planner::kObjectiveNames);
  check_objective(job.objective, system);
  if (arguments.has("top")) job.top = whole<std::size_t>(arguments, "top");
  planner::SystemPlanOptions options;
  options.threads = arguments.common().threads;
  std::vector<planner::SystemPlan> plans;
  std::optional<planner::TransformerJob> network;
  try {
    network = planner::transformer_job(workload, batch, !arguments.has("inference"));
    job.work = *network;
    plans = planner::ranked_system_plans(*network, system, options, job.objective);
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, workload.name + ": " + error.what());
  }
  if (!plans.front().is_possible()) {
    throw Failure(FailureKind::infeasible,
                  "no plan for a batch of " + std::to_string(static_cast<std::int64_t>(batch)) +
                      " fits " + system.name + "; the first: " + plans.front().problem);
  }
  output.write(plan_text(plan_of(plans.front(), *network, system)));
  target.write(planner::plans_json(job, plans));
  if (!target.on_stdout()) {
    write_stdout(plans_summary(job, plans) + "\nWritten: " + output.path() +
                 ". A system of chips is not simulated.\n");
  }
  return 0;
}

}  // namespace waferloom::cli
