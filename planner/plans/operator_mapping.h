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

// An operator of a network on the tiles of a tensor group, as DFModel maps it: its kernels shared
// among the tiles (sharding.h), those of a tile cut into partitions (mapping_search.h).

/// What a tensor group of tiles works on at once.
struct OperatorPass {
  std::int64_t tensor = 1;   ///< tiles
  std::int64_t samples = 1;  ///< of a micro-batch
  double element_bytes = 2;
  /// Whether weights stay in SRAM from one micro-batch to the next; otherwise they come from the
  /// memory behind it each time.
  bool resident = false;
  /// Whether activations stay there: then weights that do not come once, otherwise in as many parts
  /// as the SRAM needs.
  bool activations_stay = false;
};

struct OperatorMapping {
  DataflowGraph whole;             ///< of a layer, before sharding
  std::vector<Sharding> sharding;  ///< of the kernels of `whole`
  DataflowGraph forward;           ///< of one tile
  DataflowGraph backward;          ///< of one tile: what takes longer than forward, by kernel
  Partitions partitions;           ///< of both
  bool is_optimal = false;         ///< sharding and partitions, proved
  std::string why_infeasible{};    ///< why there are no partitions; then all else holds still
};

/// The operator's best sharding, and under it the best partitions of forward. A transformer's layer
/// is a graph of kernels (transformer_graph.h); any other operator is one kernel, shared as
/// degrees_of() has it; of an embedding's table it reads the rows of its tokens, and a head that is
/// tied to one reads that matrix. Backward runs the same partitions, with twice the products,
/// gradients of the tensors beside the tensors, and gradients of weights beside weights that are
/// not resident. Throws RequestError where the tiles cannot share it.
OperatorMapping map_operator(const OperatorKind& kind, const System& view,
                             const OperatorPass& pass);

/// Seconds of a micro-batch on one tile: what it computes, and what of moving data from and to
/// memory and among tiles takes longer than that, partition by partition.
struct ExposedTimes {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double total_s() const { return compute_s + memory_s + network_s; }
  ExposedTimes& operator+=(const ExposedTimes& other);
};

/// Under the rates of a view, of the mapping's partitions (all kernels by themselves if it has
/// none).
ExposedTimes exposed_times(const DataflowGraph& graph, const Partitions& partitions,
                           const System& view);

}  // namespace waferloom::planner
