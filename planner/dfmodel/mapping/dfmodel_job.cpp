#include <utility>

#include "model/errors.h"
#include "model/text.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "planner/dfmodel/mapping/cycle_model.h"
#include "planner/dfmodel/systems/sharding.h"

namespace waferloom::planner {
namespace {

void shard_job(DfmodelJob& job, DataflowGraph& graph) {
  ShardingModel model;
  model.chips = job.tensor;
  job.sharding = best_sharding(graph, model).kernels;
  for (const ShardCommunication& shard_communication :
       shard_communications(graph, job.sharding, job.tensor)) {
    job.shared_bytes += shard_communication.bytes;
  }
  graph = shard(graph, job.sharding, job.tensor);
}

void demand_memory(const System& system) {
  if (!system.memories.empty()) return;
  throw RequestError("system " + system.name + " has no memory besides its SRAM");
}

/// DRAM for tensors between partitions: the first memory less the weights of all layers.
void limit_dram(DfmodelJob& job) {
  demand_memory(job.system);
  double weights = 0;
  for (const DataflowKernel& kernel : job.problem.graph.kernels) weights += kernel.weight_bytes;
  const MemoryLevel& memory = job.system.memories.front();
  const double left = memory.bytes - job.layers * weights;
  if (left < 0) {
    throw InfeasibleError(memory.name + ": the layers' weights take " +
                          whole_bytes_text(job.layers * weights) + " bytes of a chip, of " +
                          whole_bytes_text(memory.bytes));
  }
  job.problem.rates.dram_bytes = left;
}

}  // namespace

double DfmodelJob::utilisation(double pass_s) const {
  return pass_s > 0 ? flop / (pass_s * static_cast<double>(tensor) * system.chip.flop_per_s) : 0;
}

MappingCost DfmodelJob::priced(const Partitions& partitions) const {
  return cycles ? cycle_mapping_cost(problem, *cycles, partitions)
                : mapping_cost(problem, partitions);
}

DataflowGraph repeated_layer(const Workload& workload, std::int64_t samples) {
  const TransformerOperator* layer = nullptr;
  double layers = 0;
  for (const Operator& op : workload.operators) {
    const auto* found = std::get_if<TransformerOperator>(&op.kind);
    if (found == nullptr) continue;
    if (layer != nullptr &&
        count(OperatorKind(*found)).matrix_flop != count(OperatorKind(*layer)).matrix_flop) {
      throw RequestError("expected transformer layers that are alike, found another one in " +
                         op.name);
    }
    layer = found;
    ++layers;
  }
  if (layer == nullptr) {
    throw RequestError(
        "expected a network with transformer layers; others are kernels of graphs "
        "(docs/dfmodel.md)");
  }
  TransformerPass pass;
  pass.samples = samples;
  pass.weights = workload.kept.weights;
  pass.layers = layers;
  DataflowGraph graph = transformer_graph(*layer, pass);
  graph.name = workload.name;
  return graph;
}

bool has_layers(const Workload& workload) {
  return std::any_of(workload.operators.begin(), workload.operators.end(), [](const Operator& op) {
    return std::holds_alternative<TransformerOperator>(op.kind);
  });
}

DfmodelJob make_dfmodel_job(LayerRequest request) {
  DfmodelJob job;
  job.system = std::move(request.system);
  job.micro_batch = request.micro_batch;
  job.pass_samples = request.by_cycles ? 1 : job.micro_batch;
  job.network = request.graph.name;
  job.is_transformer = request.is_transformer;
  job.layers = request.graph.repeats;
  job.flop = total_flop(request.graph) / request.graph.repeats;
  job.tensor = request.tensor;
  job.batch = request.batch;
  if (job.tensor > 1 && !request.is_sharded) shard_job(job, request.graph);
  if (request.is_sharded) job.flop *= static_cast<double>(job.tensor);
  const ChipRates rates = chip_rates(job.system, job.tensor, job.micro_batch);
  job.problem = MappingProblem(std::move(request.graph), rates);
  job.roofs = roofs_of(job.system, job.tensor, job.micro_batch);
  if (request.by_cycles) {
    job.cycles = cycle_chip(job.system);
    job.roofs.flop_per_s = job.system.chip.flop_per_s;
    job.problem.rates.seconds_per_weight_byte = 1 / (rates.dram_bytes_per_s * job.micro_batch);
  }
  if (request.streams) {
    demand_memory(job.system);
    job.problem.rates.streams_weights = true;
  }
  if (request.limits_dram) limit_dram(job);
  return job;
}

}  // namespace waferloom::planner
