#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/mesh.h"
#include "router/flow/concurrent_flow.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

/// A lane before it has a path: its tiles, and the cells that the flow takes it through.
struct LaneTask {
  EndTile from;
  EndTile to;
  std::int64_t bytes = 0;
  const FlowPath* guide = nullptr;
};

/// The tiles of a tensor's lanes, which carry equal bytes: evenly along the end with fewer tiles,
/// and opposite to these at the other one, in their order (so that lanes do not cross) and each at
/// a tile of its own where there are so many. Of tiles that do as well, those that `ramps` (bytes
/// of a sample by tile, which are added to) says carry least. Ports whose tile would get more than
/// `ramp_bytes` are left to others as long as there is another one for every lane.
/// O(tiles log tiles).
std::vector<LaneTask> lane_ends(const TensorEnds& ends, std::int64_t bytes, const Mesh& mesh,
                                std::vector<std::int64_t>& ramps,
                                double ramp_bytes = std::numeric_limits<double>::infinity());

/// Places for wishes in the same order such that each is at least `apart` behind the one before and
/// the sum of squared differences is least (isotonic regression by pooling neighbours, Ayer et al.
/// 1955). O(wishes).
std::vector<double> spread(const std::vector<double>& wishes, double apart);

}  // namespace waferloom::router
