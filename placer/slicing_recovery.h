#pragma once

#include <optional>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/slicing_tree.h"

namespace waferloom {

/// A slicing tree that a legal placement obeys: every cut separates its two sides. Nothing if the
/// placement is not slicing (a pinwheel) or overlaps. Sets of three or more pieces in a row are cut
/// in the middle, so that trees stay shallow. O(n²·log n).
std::optional<SlicingTree> recover_slicing_tree(const Problem& problem, const Placement& placement);

}  // namespace waferloom
