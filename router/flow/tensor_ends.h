#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routes.h"

namespace waferloom::router {

/// A tile where a lane may leave or reach the mesh.
struct EndTile {
  TilePlace tile;
  std::size_t port = SIZE_MAX;  ///< index in Traffic::ports, for inputs and outputs
};

/// The tiles where the lanes of a tensor may begin, or may end. Neighbours in the list lie side by
/// side. Seen in the direction of the lanes, both ends run from right to left. So lanes that keep
/// this order do not cross.
using TensorEnd = std::vector<EndTile>;

struct TensorEnds {
  TensorEnd from;
  TensorEnd to;
  std::int64_t tiles = 0;       ///< of the shorter end, ports not counted; a lane takes a tile
  std::int64_t lanes = 0;       ///< at least 1
  std::int64_t lanes_most = 0;  ///< the most lanes that are allowed
};

/// What other tensors put on tiles' ways, and how much of it does not matter.
struct WayLoads {
  TileWays ways{};
  double easy_bytes = std::numeric_limits<double>::infinity();

  /// Adds a tensor, spread evenly over its ends. O(tiles · log tiles).
  void add(const TensorEnds& ends, std::int64_t bytes, const Mesh& mesh);
};

/// Chooses the ends of a tensor and the number of its lanes.
///
/// Between two blocks lanes join border tiles of the sides that face each other, along the axis
/// where the blocks are farther apart. If the hardware allows any sides, they join those by which a
/// sample arrives first. Lanes of an input or output join live ports and the side of the block by
/// which a sample arrives first, or, where ways of that side's tiles would carry more than is easy
/// in `loads`, the least loaded of the sides that are almost as fast. Tiles and ports without a
/// live link are left out. If dead tiles divide the mesh, only ends in the part that allows most
/// lanes remain. Ends are empty if all is dead.
///
/// If `lane_ps` is above 0, there are enough lanes that each needs no more than `lane_ps` for a
/// sample. There are at most as many lanes as the shorter end has tiles (ports not counted), as
/// RoutingSpec::lanes_max, and as the tensor has bytes.
TensorEnds tensor_ends(const TrafficTensor& tensor, const Traffic& traffic,
                       const Hardware& hardware, const Mesh& mesh, const LiveParts& parts,
                       double lane_ps, const WayLoads& loads = {});

/// All the ends that tensor_ends may choose, for any number of lanes, any loads, and in any part of
/// the mesh. A bound that is proved with these ends holds for every choice. `tiles` and
/// `lanes_most` are the greatest of all choices; `lanes` equals `lanes_most`.
TensorEnds possible_ends(const TrafficTensor& tensor, const Traffic& traffic,
                         const Hardware& hardware, const Mesh& mesh, const LiveParts& parts,
                         double lane_ps);

}  // namespace waferloom::router
