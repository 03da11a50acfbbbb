#pragma once

#include "sim/collective/collective_phases.h"

namespace waferloom::sim {

// The phases of one pattern on one group of at least two members; of broadcast and reduce the first
// is the root. With P members and D bytes:

/// Flows that ring, bidirectional, tree or direct make of a group of so many members. O(1).
std::int64_t pattern_flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                std::int64_t members);

/// P − 1 steps of D / P to the next member for reduce-scatter and all-gather each, twice as many
/// for all-reduce; all-to-all passes on what is still to go, (P − s) / P in step s; broadcast and
/// reduce are a chain, 2 (P − 1) steps of D / P, since the last of P parts begins after P − 1
/// steps.
Phases ring_phases(CollectiveKind kind, const TileGroup& group);
/// The same with half of each part either way; all-to-all takes the shorter way, broadcast and
/// reduce are two chains of half the members.
Phases bidirectional_phases(CollectiveKind kind, const TileGroup& group);
/// Binomial tree: ⌈log₂ P⌉ steps, of D for broadcast and reduce, of what the members beyond hold
/// for the scatter and the gather behind or before them. Not for all-to-all.
Phases tree_phases(CollectiveKind kind, const TileGroup& group);
/// One step, two of all-reduce, in which everyone sends to whom it concerns.
Phases direct_phases(CollectiveKind kind, const TileGroup& group);

}  // namespace waferloom::sim
