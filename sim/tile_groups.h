#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/rectangle.h"

namespace waferloom {

/// Tiles that work together, in the order of the ring in which they exchange data.
using TileGroup = std::vector<TilePlace>;

/// The tiles of a rectangle in the order of a ring whose neighbours are neighbours on the mesh, if
/// there is one: where a side is even and both are at least 2; otherwise from one end of a snake to
/// the other. O(tiles).
TileGroup ring_of(const Rectangle& tiles);

/// Groups of the tiles of a stage.
struct StageGroups {
  std::vector<TileGroup> tensor;  ///< one a replica: those that an operator is cut among
  std::vector<TileGroup> data;    ///< one a part: those of all replicas with the same part
};

/// Divides a rectangle of `tensor` · `data` tiles into blocks of `tensor` tiles, as near to squares
/// as fit in whole numbers, the blocks in the order of a ring. Throws std::invalid_argument if the
/// number of tiles is another.
StageGroups stage_groups(const Rectangle& tiles, std::int64_t tensor, std::int64_t data);

}  // namespace waferloom
