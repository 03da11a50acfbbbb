#pragma once

#include <vector>

#include "model/workload.h"
#include "sim/collective/collective_phases.h"

namespace waferloom::sim {

// The phases of a pattern on a group of at least two members. For broadcast and reduce the first
// member is the root. P is the number of members, D the bytes of the collective.

/// The number of flows of ring, bidirectional, tree or direct on a group of `members`. O(1).
std::int64_t pattern_flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                std::int64_t members);

/// Every member sends to the next member.
/// - Reduce-scatter, all-gather: P − 1 steps of D / P. All-reduce: 2 (P − 1) steps of D / P.
/// - All-to-all: step s passes on what has not arrived yet, (P − s) D / P.
/// - Broadcast, reduce: a chain, 2 (P − 1) steps of D / P. The last of P parts starts after P − 1
///   steps.
Phases ring_phases(CollectiveKind kind, const TileGroup& group);
/// Like a ring, with half of each part in each direction. All-to-all takes the shorter way.
/// Broadcast and reduce are two chains of half the members.
Phases bidirectional_phases(CollectiveKind kind, const TileGroup& group);
/// Binomial tree of ⌈log₂ P⌉ steps. Steps of broadcast and reduce carry D. Reduce-scatter is a
/// reduce and a scatter, all-gather a gather and a broadcast; a flow of a scatter or a gather
/// carries the parts of the members beyond. Throws RequestError for all-to-all.
Phases tree_phases(CollectiveKind kind, const TileGroup& group);
/// A single step, two for all-reduce: every member sends directly to each member that needs the
/// data.
Phases direct_phases(CollectiveKind kind, const TileGroup& group);
/// A single step: every member takes rows of those before it and behind it, each of which has
/// `own` of them, the nearest first. D are the bytes of all rows that one takes.
Phases border_phases(const BorderRows& rows, const std::vector<TileGroup>& groups);
inline constexpr std::int64_t kStepsOfDirectAllReduce = 2;  ///< reduce-scatter, then all-gather

}  // namespace waferloom::sim
