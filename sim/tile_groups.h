#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/wafer.h"

namespace waferloom::sim {

/// Tiles that work together, in the order of the ring in which they exchange data.
using TileGroup = std::vector<TilePlace>;

/// The tiles of a rectangle in the order of a ring whose neighbours are neighbours on the mesh, if
/// there is one: where a side is even and both are at least 2; otherwise from one end of a snake to
/// the other. O(tiles).
TileGroup ring_of(const Rectangle& tiles);

/// The same of tiles that fill a rectangle; others stay in their order. O(tiles).
TileGroup ring_through(TileGroup tiles);

/// What a mesh is divided into; all of it where there are no groups.
struct Grouping {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
};

/// Groups of the tiles of a stage.
struct StageGroups {
  std::vector<TileGroup> tensor;  ///< one a replica: those that an operator is cut among
  std::vector<TileGroup> data;    ///< one a part: those of all replicas with the same part
};

/// How many ways a stage is cut.
struct StageDegrees {
  std::int64_t tensor = 1;
  std::int64_t data = 1;
};

/// Divides a rectangle of `tensor` · `data` tiles into blocks of `tensor` tiles, the blocks in the
/// order of a ring; strided: of `data` tiles, which are the data groups. Among the blocks that tile
/// it those which cross the fewest borders between the mesh's groups, of them the nearest to
/// squares. Throws std::logic_error if the number of tiles is another. O(tiles).
StageGroups stage_groups(const Rectangle& tiles, const StageDegrees& degrees, GroupOrder order,
                         const Grouping& groups);

}  // namespace waferloom::sim
