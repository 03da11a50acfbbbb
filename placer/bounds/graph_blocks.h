#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/problem.h"
#include "placer/ports/port_matching.h"

namespace waferloom::placer {

/// All connections between two kernels, as one edge.
struct KernelEdge {
  KernelIndex producer = 0;
  KernelIndex consumer = 0;
  std::int64_t count = 0;  ///< connections, each pays its adapters
  std::int64_t units = 0;  ///< Σ weights, in 1/distance_denominator: what a half tile costs
  /// Of these, the units that no inequality of a cycle or star uses; they pay for parity.
  std::int64_t free_units = 0;
};

/// A maximal 2-connected part of the graph: an edge that lies on no cycle, or edges of which any
/// two lie on a common cycle. Two blocks share at most one kernel.
struct GraphBlock {
  std::vector<KernelIndex> kernels;  ///< the root, the one nearest the root of its tree, is first
  std::vector<std::size_t> edges;    ///< indices in BlockForest::edges
};

/// The graph of a problem as a forest of blocks, directions aside.
struct BlockForest {
  std::vector<KernelEdge> edges;
  std::vector<GraphBlock> blocks;  ///< each after all blocks below it
  std::vector<KernelIndex> roots;  ///< one kernel of each connected component
};

/// Hopcroft and Tarjan's algorithm, without recursion. O(n + m log m).
BlockForest block_forest(const Problem& problem);

}  // namespace waferloom::placer
