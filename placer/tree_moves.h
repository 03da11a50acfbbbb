#pragma once

#include <vector>

#include "model/problem.h"
#include "placer/random_stream.h"
#include "placer/slicing_tree.h"

namespace waferloom {

/// For each kernel the kernels at the other ends of its edges (repeated for parallel edges).
std::vector<std::vector<KernelIndex>> graph_neighbours(const Problem& problem);

/// Proposes one random change of a slicing tree's topology, inside the tree's open transaction:
/// exchange of two nodes, moving a subtree elsewhere (half of the time next to a kernel it is
/// connected to), another cut, or mirrored children. Nothing changes for a single leaf.
void propose_tree_move(SlicingTree& tree, const std::vector<std::vector<KernelIndex>>& neighbours,
                       RandomStream& random);

}  // namespace waferloom
