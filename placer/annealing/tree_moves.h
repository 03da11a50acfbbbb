#pragma once

#include <vector>

#include "model/problem.h"
#include "placer/annealing/slicing_tree.h"
#include "placer/search/random_stream.h"

namespace waferloom::placer {

/// Proposes one random change of a slicing tree's topology, inside the tree's open transaction:
/// exchange of two pieces, a piece moved beside another one, a level up or down, another cut, or a
/// mirrored piece. Most of the pieces that a move takes together are connected or siblings: at low
/// temperatures hardly any other move is accepted. Nothing changes for a single leaf.
void propose_tree_move(SlicingTree& tree, const Neighbours& neighbours, RandomStream& random);

}  // namespace waferloom::placer
