#pragma once

#include "kernels/int128.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/from_plan/product_streams.h"

namespace waferloom::sim {

/// Bytes that a tile moves from and to memory for a layer that goes partition by partition.
struct LayerTraffic {
  Int128 weights = 0;           ///< read forward where they do not stay, as often as need be
  Int128 tensors_in = 0;        ///< read forward; backward written as gradients
  Int128 tensors_out = 0;       ///< written forward; backward read as gradients
  Int128 backward_weights = 0;  ///< read backward where they do not stay, for both gradients
  Int128 matrices = 0;          ///< all matrices, once
};

/// Whether a mapping has just the kernels of a layer. O(kernels log kernels).
bool maps_layer(const TransformerOperator& layer, const LayerMapping& mapping);

/// A partition reads the tensors that it takes of others, or of the layer before, each once, and
/// writes those that others take. Its matrices come once if they fit SRAM. Else products that do
/// not take one another's outputs go in blocks (blocked_reads), and a chain of them row by row: as
/// many rows at once as the kernel that holds most of each has room for; for every such part
/// matrices, keys and values come again. Keys and values of a sample for which there is no room go
/// to memory, whatever the partitions; a part of attention's rows takes all of its head's. Names
/// are those of transformer_graph(). Throws PlanFault for kernels that the layer does not have,
/// where one is in no partition, and where one runs before another whose tensor it takes.
LayerTraffic layer_traffic(const TransformerOperator& layer, const LayerMapping& mapping,
                           const TileShare& tile);

}  // namespace waferloom::sim
