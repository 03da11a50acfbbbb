#pragma once

#include <cstdint>

#include "sim/collective/collective_phases.h"

namespace waferloom::sim {

/// How a sum that one group of tiles makes comes to another (PALM, Fig. 11). Of both groups, rings,
/// k tiles are adapters: each group is cut into k runs of its ring, as even as can be, of each of
/// which the tile nearest to the other group is one; they are paired in their order across the
/// direction from group to group.
enum class TransferStrategy : std::uint8_t {
  /// All-reduce in the source group, a k-th of the sum from adapter to adapter, and each part from
  /// its adapter to all of the destination (Eq. 7).
  sum_first,
  /// Every run of the source group reduced to its adapter, all bytes from adapter to adapter,
  /// all-reduce among the destination's adapters, and the sum from each to its run (Eq. 8).
  sum_behind,
};

/// The groups, the strategy, and by what its parts go.
struct GroupTransfer {
  TileGroup source;
  TileGroup destination;
  TransferStrategy strategy = TransferStrategy::sum_first;
  std::int64_t adapters = 1;
  CollectiveAlgorithm all_reduce = CollectiveAlgorithm::ring;
  CollectiveAlgorithm spread = CollectiveAlgorithm::tree;  ///< reductions and broadcasts
};

/// The terms of Eq. 7 and 8.
struct TransferPhases {
  Phases source;    ///< all-reduce (sum_first) or reduce
  Phases between;   ///< from adapter to adapter
  Phases adapters;  ///< all-reduce among adapters; of sum_first nothing
  Phases destination;
};

/// Throws RequestError, with one sentence, where groups share a tile, have fewer tiles
/// than there are adapters, are not what an algorithm needs, or there would be too many flows.
/// O(flows).
TransferPhases transfer_phases(const GroupTransfer& transfer, const Grouping& groups);
/// All of them behind one another.
Phases whole(const TransferPhases& phases);

}  // namespace waferloom::sim
