#pragma once

#include <cstdint>
#include <optional>

#include "model/placement.h"
#include "model/problem.h"

namespace waferloom::ispd2020 {

/// A legal placement by the simplest of rules, which shows that a case can be placed: every kernel
/// takes the least rectangle of a few cuts by powers of two, and these stand, highest first, on
/// shelves across the wafer, from its lower edge up to at most `height` tiles (next fit decreasing
/// height). Nothing if they do not fit; only more work could tell then whether others would. The
/// wafer has no dead tiles, the kernels are convolutions and blocks. O(n log n) and some hundred
/// cuts a kernel.
std::optional<Placement> shelf_placement(const Problem& problem, std::int64_t height);

}  // namespace waferloom::ispd2020
