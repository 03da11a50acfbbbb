#include "planner/dfmodel/systems/layer_execution.h"

#include <limits>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/chip_rates.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
namespace {

LayerTime time_of(const MappingCost& cost) {
  LayerTime result;
  for (const PartitionCost& partition : cost.partitions) {
    result.compute_s += partition.compute_s;
    result.memory_s += partition.memory_s;
    result.network_s += partition.network_s;
  }
  result.total_s = cost.total_s;
  result.partitions = cost.partitions.size();
  return result;
}

/// SRAM that a kernel takes besides its weights where it is alone.
double buffer_bytes(const MappingProblem& problem, std::size_t kernel) {
  const auto bytes = [&](const std::vector<std::size_t>& tensors) {
    double sum = 0;
    for (const std::size_t i : tensors) sum += problem.graph.tensors[i].bytes;
    return sum;
  };
  return kCutPieces * (bytes(problem.into[kernel]) + bytes(problem.from[kernel])) /
         static_cast<double>(problem.graph.pieces);
}

}  // namespace

std::string_view execution_name(ChipExecution execution) {
  return kExecutionNames[static_cast<std::size_t>(execution)];
}

ChipRates layer_rates(const System& system, const std::vector<NetworkDimension>& network,
                      double samples) {
  ChipRates rates = chip_rates(system, 1, samples);
  const CollectiveRate sum = collective_rate(CollectiveKind::all_reduce, network);
  rates.seconds_per_reduced_byte = sum.seconds_per_byte;
  rates.seconds_per_reduction = sum.latency_s;
  return rates;
}

LayerTime layer_time(DataflowGraph chip_graph, const ChipRates& rates, ChipExecution execution,
                     WeightHome home, double weight_passes) {
  if (home == WeightHome::dram) {
    for (DataflowKernel& kernel : chip_graph.kernels) {
      kernel.dram_bytes += weight_passes * kernel.weight_bytes;
    }
  }
  if (execution == ChipExecution::kernel_by_kernel) {
    ChipRates roomy = rates;
    roomy.sram_bytes = std::numeric_limits<double>::infinity();
    const MappingProblem problem(std::move(chip_graph), roomy);
    return time_of(mapping_cost(problem, kernel_by_kernel(problem.graph)));
  }
  MappingProblem problem(std::move(chip_graph), rates);
  for (std::size_t i = 0; i < problem.kernels(); ++i) {
    DataflowKernel& kernel = problem.graph.kernels[i];
    const bool has_room = kernel.weight_bytes + buffer_bytes(problem, i) <= rates.sram_bytes;
    if (!has_room && home == WeightHome::dram) kernel.weight_bytes = 0;
  }
  const FoundMapping found = best_mapping(problem);
  LayerTime result;
  if (found.partitions.empty()) {
    result.why_infeasible = found.why_infeasible;
    return result;
  }
  result = time_of(found.cost);
  result.is_optimal = found.is_optimal;
  return result;
}

}  // namespace waferloom::planner
