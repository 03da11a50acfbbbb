#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/dataflow_graph.h"
#include "model/system.h"
#include "model/workload.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/sharding.h"

namespace waferloom::planner {

// An operator of a network on the tiles of a tensor group, as DFModel maps it. The tiles share the
// kernels of the operator (sharding.h). The kernels of a tile are cut into partitions
// (mapping_search.h).

/// The work of a tensor group on a micro-batch.
struct OperatorPass {
  std::int64_t tensor = 1;   ///< tiles
  std::int64_t samples = 1;  ///< of a micro-batch
  double element_bytes = 2;
  /// Whether weights stay in SRAM between micro-batches. Otherwise they come from memory for each.
  bool resident = false;
  /// Whether activations stay in SRAM. If they do, weights that are not resident come once for each
  /// micro-batch. Otherwise large weights come in parts (PALM, Algorithm 1).
  bool activations_stay = false;
};

struct OperatorMapping {
  DataflowGraph whole;             ///< of a layer, before sharding
  std::vector<Sharding> sharding;  ///< of the kernels of `whole`
  DataflowGraph forward;           ///< of a tile
  DataflowGraph backward;          ///< of a tile: `forward` with more FLOP and bytes
  Partitions partitions;           ///< of both
  bool is_optimal = false;         ///< sharding and partitions are proved to be the best
  std::string why_infeasible{};    ///< why there are no partitions; the other fields still hold
};

/// Finds the operator's best sharding, and with it the best partitions of forward. A transformer
/// layer is a graph of kernels (transformer_graph.h). Any other operator is a single kernel, shared
/// by degrees_of(). An embedding reads the rows of its tokens; a tied head reads the matrix of the
/// embedding. Backward runs the same partitions with twice the products. It moves the gradients of
/// tensors besides the tensors, and the gradients of streamed weights besides the weights. Throws
/// RequestError if the tiles cannot share the operator.
OperatorMapping map_operator(const OperatorKind& kind, const System& view,
                             const OperatorPass& pass);

/// Seconds of a micro-batch on a tile. memory_s and network_s are only the parts that computation
/// does not hide, partition by partition, and the loads of weights.
struct ExposedTimes {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double total_s() const { return compute_s + memory_s + network_s; }
  ExposedTimes& operator+=(const ExposedTimes& other);
};

/// The times of `graph` at the rates of `view`. Without partitions each kernel runs alone.
ExposedTimes exposed_times(const DataflowGraph& graph, const Partitions& partitions,
                           const System& view);

}  // namespace waferloom::planner
