#pragma once

#include <cstdint>
#include <vector>

#include "sim/mesh.h"
#include "sim/tile_groups.h"
#include "sim/time.h"

namespace waferloom {

/// Whether groups that exchange at once share the links where they meet.
enum class Meeting : std::uint8_t { ignored, shares_links };

/// How long an all-reduce of so many bytes a member takes around the rings of some groups that all
/// do it at once, over xy routes: with P members 2 (P − 1) steps, each of a P-th of the bytes to
/// the next of the ring, at the rate that the busiest link leaves to each, and of the longest
/// step's latency. Bytes are rounded up to whole ones a step. A group of one takes no time. Throws
/// std::invalid_argument where a tile is dead, or no way leads between neighbours of a ring.
/// O(members · hops).
Picoseconds ring_all_reduce(const Mesh& mesh, Picoseconds endpoint_latency,
                            const std::vector<TileGroup>& groups, std::int64_t bytes,
                            Meeting meeting);

/// The same once the rings are laid: for many sizes.
class RingAllReduce {
 public:
  RingAllReduce(const Mesh& mesh, Picoseconds endpoint_latency,
                const std::vector<TileGroup>& groups, Meeting meeting);
  Picoseconds time(std::int64_t bytes) const;
  /// Members of a group.
  std::int64_t members() const { return members_; }

 private:
  std::int64_t members_ = 1;
  double bytes_per_ps_ = 0;  // of each step
  Picoseconds latency_ = 0;  // likewise
};

}  // namespace waferloom
