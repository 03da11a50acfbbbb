#pragma once

#include <vector>

#include "model/kernel_graph.h"
#include "model/problem.h"
#include "placer/random_stream.h"
#include "placer/slicing_tree.h"

namespace waferloom {

/// Proposes one random change of a slicing tree's topology, inside the tree's open transaction:
/// exchange of two nodes, moving a subtree elsewhere (half of the time next to a kernel it is
/// connected to), another cut, or mirrored children. Nothing changes for a single leaf.
void propose_tree_move(SlicingTree& tree, const Neighbours& neighbours, RandomStream& random);

}  // namespace waferloom
