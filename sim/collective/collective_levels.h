#pragma once

#include <cstdint>

#include "sim/collective/collective_phases.h"

namespace waferloom::sim {

/// What 2-d and hierarchical make of one group of at least two members: rings within the rows, or
/// within the hardware's groups, and across them. Throws RequestError, with one sentence
/// that says what to do, where the group cannot be divided like that. O(flows).
Phases two_level_phases(CollectiveKind kind, CollectiveAlgorithm algorithm, const TileGroup& group,
                        const Grouping& groups);
/// Flows of that, without making them. O(members · log members).
std::int64_t two_level_flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                  const TileGroup& group, const Grouping& groups);

}  // namespace waferloom::sim
