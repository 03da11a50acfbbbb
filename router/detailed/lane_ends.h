#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "model/mesh.h"
#include "model/routes.h"
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

/// What lanes put on tiles so far, in bytes of a sample.
struct TileLoads {
  TileWays ways{};                            ///< of lanes, and of what can end at no other tile
  std::map<NodeIndex, std::int64_t> lanes{};  ///< of lanes alone, in and out together
};

/// The tiles of a tensor's lanes, which carry equal bytes: evenly along the end with fewer tiles,
/// and opposite to these at the other one, in their order (so that lanes do not cross) and each at
/// a tile of its own where there are so many. Of tiles that do as well, those that carry least;
/// `loads` are added to. Where a tile's way would carry more than `way_bytes`, lanes move to less
/// busy ways, tiles are left out if that helps, and ports are left to others as long as there is
/// another one for every lane. O(tiles log tiles).
std::vector<LaneTask> lane_ends(const TensorEnds& ends, std::int64_t bytes, const Mesh& mesh,
                                TileLoads& loads,
                                double way_bytes = std::numeric_limits<double>::infinity());

/// The same of all tensors, one after the other; ends that are a single tile load it from the
/// start. `bytes` are by tensor, as the result is. O(tensors · tiles log tiles).
std::vector<std::vector<LaneTask>> all_lane_ends(const std::vector<TensorEnds>& ends,
                                                 const std::vector<std::int64_t>& bytes,
                                                 const Mesh& mesh, double way_bytes);

/// Places for wishes in the same order such that each is at least `apart` behind the one before and
/// the sum of squared differences is least (isotonic regression by pooling neighbours, Ayer et al.
/// 1955). O(wishes).
std::vector<double> spread(const std::vector<double>& wishes, double apart);

}  // namespace waferloom::router
