#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/dfmodel.h"
#include "planner/plan_models.h"

namespace waferloom::planner {

// An operator of a network on the tiles of a tensor group, as DFModel maps it. The tiles share the
// kernels of the operator (sharding.h). The kernels of a tile are cut into partitions
// (mapping_search.h).

/// The work of a tensor group on a micro-batch.
struct OperatorPass {
  std::int64_t tensor = 1;   ///< tiles
  std::int64_t samples = 1;  ///< of a micro-batch
  /// What joins the tiles, innermost first; nothing: the view's innermost dimension.
  std::optional<std::vector<NetworkDimension>> group{};
  double element_bytes = 2;
  std::optional<NumberFormat> weights{};  ///< how layers keep them; nothing: in element_bytes
  /// Whether weights stay in SRAM between micro-batches. Otherwise they come from memory for each.
  bool resident = false;
  /// Whether activations stay in SRAM. If they do, weights that are not resident come once for each
  /// micro-batch. Otherwise large weights come in parts (PALM, Algorithm 1).
  bool activations_stay = false;
  Reuse reuse = Reuse::whole;  ///< where neither stays
  ElementCost element_cost{};
  OperatorRole role = OperatorRole::plain;
  bool by_samples = false;  ///< PricedMachine::by_samples
};

/// How the chips of a tensor group cut an operator: by samples where they do and it has weights, by
/// degrees_of() otherwise.
Degrees group_cut(const OperatorKind& kind, const OperatorPass& pass);

/// Finds the operator's best sharding, and with it the best partitions of forward. A transformer
/// layer is a graph of kernels (dfmodel.h). Any other operator is a single kernel, shared
/// by degrees_of(). An embedding reads the rows of its tokens; a tied head reads the matrix of the
/// embedding. Kernels of graphs are shared evenly: a product gathers the matrix on its right unless
/// there are as many of it as tiles, an exchange takes an all-to-all, in either pass. Backward runs
/// the same partitions with twice the products. It moves the gradients of tensors besides the
/// tensors, and the gradients of streamed weights besides the weights. Throws RequestError if the
/// tiles cannot share the operator.
OperatorMapping map_operator(const OperatorKind& kind, const System& view,
                             const OperatorPass& pass);

/// Rates of a chip in its tensor group, which need not form a ring. Work that is no product goes at
/// the chip's rate of such work, where it tells one and memory does not bound it (flop_per_byte).
ChipRates group_rates(const System& view, const std::vector<NetworkDimension>& group,
                      std::int64_t samples);

/// The times of `graph` at these rates. Without partitions each kernel runs alone.
ExposedTimes exposed_times(const DataflowGraph& graph, const Partitions& partitions,
                           const ChipRates& rates);

}  // namespace waferloom::planner
