#include <fmt/format.h>

#include <string>
#include <variant>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "planner/dfmodel/systems/layer_execution.h"
#include "planner/dfmodel/systems/sharding.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
namespace {

/// Dimensions that serve tensor parallelism, innermost first.
std::vector<NetworkDimension> tensor_dimensions(const SystemPlan& best, const System& system) {
  std::vector<NetworkDimension> network;
  for (std::size_t i = 0; i < system.dimensions.size(); ++i) {
    if (best.choice.dimensions[i] == Parallelism::tensor) network.push_back(system.dimensions[i]);
  }
  return network;
}

LayerMapping layer_of(const SystemPlan& best, const TransformerJob& job, const System& system) {
  TransformerPass pass;
  pass.samples = static_cast<std::int64_t>(best.choice.micro_batch);
  pass.element_bytes = job.element_bytes;
  const DataflowGraph whole = transformer_graph(job.layer, pass);
  LayerMapping layer;
  for (std::size_t i = 0; i < best.sharding.size(); ++i) {
    layer.sharding[whole.kernels[i].name] = sharding_name(best.sharding[i]);
  }
  const DataflowGraph chip = shard(whole, best.sharding, best.tensor);
  const ChipRates rates =
      layer_rates(system, tensor_dimensions(best, system), best.choice.micro_batch);
  for (const auto& partition : best_mapping(MappingProblem(chip, rates)).partitions) {
    std::vector<std::string>& names = layer.partitions.emplace_back();
    for (const std::size_t kernel : partition) names.push_back(chip.kernels[kernel].name);
  }
  return layer;
}

Plan degrees_of_plan(const SystemPlan& best, bool trains) {
  Plan plan;
  plan.way = CutWay::chips;
  plan.tensor = best.tensor;
  plan.data = best.data;
  plan.pipeline = best.pipeline;
  plan.micro_batch = static_cast<std::int64_t>(best.choice.micro_batch);
  plan.micro_batches = static_cast<std::int64_t>(best.micro_batches);
  plan.recompute = best.choice.recompute ? Recompute::full : Recompute::none;
  if (!trains) plan.schedule = Schedule::inference;
  return plan;
}

}  // namespace

SystemPlans plans_for_system(const Workload& workload, std::int64_t batch, bool trains,
                             const System& system, const SystemPlanOptions& options,
                             Objective objective) {
  SystemPlans found{chips_job(workload, static_cast<double>(batch), trains), {}};
  found.plans = ranked_system_plans(found.network, system, options, objective);
  options.control.end_if_cut();  // those that were left out are no answer
  if (found.plans.front().is_possible()) return found;
  throw InfeasibleError(fmt::format("no plan for a batch of {} fits {}; the first: {}", batch,
                                    system.name, found.plans.front().problem));
}

Plan written_plan(const SystemPlan& best, const TransformerJob& job, const System& system) {
  Plan plan = degrees_of_plan(best, job.training);
  plan.layer = layer_of(best, job, system);
  plan.made_for = {job.name, {}, system.name, {}};
  return plan;
}

Plan written_plan(const SystemPlan& best, const ChipsJob& job, const System& system) {
  if (const auto* layers = std::get_if<TransformerJob>(&job)) {
    return written_plan(best, *layers, system);
  }
  const auto& network = std::get<NetworkJob>(job);
  Plan plan = degrees_of_plan(best, network.training);
  plan.made_for = {network.network.name, {}, system.name, {}};
  if (!best.choice.by_samples) return plan;
  for (const Operator& op : network.network.operators) {
    const bool is_shared =
        is_graph_kernel(op.kind) || std::holds_alternative<EmbeddingOperator>(op.kind);
    if (!is_shared) plan.degrees[op.name] = {.batch = plan.tiles()};
  }
  return plan;
}

bool has_fabric_of_chips(const Machine& machine) {
  if (!machine.fabric) return false;
  return machine.tiles_are_chips || machine.fabric->topology == Topology::switched;
}

}  // namespace waferloom::planner
