#pragma once

#include <cstdint>
#include <vector>

#include "sim/mesh.h"
#include "sim/tile_groups.h"
#include "sim/time.h"

namespace waferloom {

/// Whether groups that exchange at once share the links where they meet.
enum class Meeting : std::uint8_t { ignored, shares_links };

/// All-reduces around the rings of some groups that all do it at once, over xy routes.
class RingAllReduce {
 public:
  /// Lays the rings. Throws std::invalid_argument where a tile is dead, or no way leads between
  /// neighbours of a ring. O(members · hops).
  RingAllReduce(const Mesh& mesh, Picoseconds endpoint_latency,
                const std::vector<TileGroup>& groups, Meeting meeting);
  /// How long one of so many bytes a member takes: with P members 2 (P − 1) steps, each of a P-th
  /// of the bytes, rounded up, to the next of the ring, at the rate that the busiest link leaves to
  /// each, and of the longest step's latency. A group of one takes no time.
  Picoseconds time(std::int64_t bytes) const;
  /// How long its first or second half takes, a reduce-scatter or an all-gather: P − 1 steps.
  Picoseconds half_time(std::int64_t bytes) const { return time(bytes) / 2; }

 private:
  std::int64_t members_ = 1;  // of a group
  double bytes_per_ps_ = 0;   // of each step
  Picoseconds latency_ = 0;   // likewise
};

}  // namespace waferloom
