#pragma once

#include <optional>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/annealing/slicing_tree.h"

namespace waferloom::placer {

/// A slicing tree that a legal placement obeys: every cut separates its two sides. Nothing if the
/// placement is not slicing (a pinwheel) or overlaps. Sets of three or more pieces in a row are cut
/// in the middle, so that trees stay shallow. O(n²·log n).
std::optional<SlicingTree> recover_slicing_tree(const Problem& problem, const Placement& placement);

/// The same, or for any other arrangement, overlapping or not, a tree that is like it: where no
/// line separates pieces, they are parted between centres, where the two sides overlap least.
/// O(n²·log n).
SlicingTree nearest_slicing_tree(const Problem& problem, const Placement& placement);

}  // namespace waferloom::placer
