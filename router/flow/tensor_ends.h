#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/traffic.h"
#include "router/flow/live_parts.h"

namespace waferloom::router {

/// A tile where a lane may leave or reach the mesh.
struct EndTile {
  TilePlace tile;
  std::size_t port = SIZE_MAX;  ///< place in Traffic::ports; of inputs and outputs
};

/// Where the lanes of a tensor may begin, or end: tiles in an order in which neighbours lie side by
/// side. Of a producer it turns left seen in the direction in which lanes leave, of a consumer
/// right seen in the direction in which they arrive, so that lanes that keep this order do not
/// cross.
using TensorEnd = std::vector<EndTile>;

struct TensorEnds {
  TensorEnd from;
  TensorEnd to;
  std::int64_t tiles = 0;       ///< of the end with fewer, ports not counted: one a lane
  std::int64_t lanes = 0;       ///< at least 1
  std::int64_t lanes_most = 0;  ///< that there might be
};

/// The ends of a tensor: of two blocks the border tiles of the sides that face each other along the
/// axis where they are farther apart, or where the hardware allows any sides, of those by which a
/// sample gets there first; of an input or output the tiles of live ports and of the block's side
/// by which it gets there first. Tiles and ports that no live link leaves, or reaches, are left
/// out, and where dead tiles cut some ends off from others, all but those in the part of the mesh
/// that allows most lanes. Lanes: so many that each needs no more than `lane_ps` of a sample's
/// time, if that is above 0; at most as many as the end with fewer tiles has, ports not counted,
/// RoutingSpec::lanes_max, and one a byte. Empty ends where all is dead.
TensorEnds tensor_ends(const TrafficTensor& tensor, const Traffic& traffic,
                       const Hardware& hardware, const Mesh& mesh, const LiveParts& parts,
                       double lane_ps);

/// All the ends that tensor_ends may choose, whatever the number of lanes, of sides by which a
/// sample gets there at the same time, and of parts of the mesh: what no choice of it can beat is
/// proved on these. Tiles and lanes are those of the choice with most; `lanes` are as many.
TensorEnds possible_ends(const TrafficTensor& tensor, const Traffic& traffic,
                         const Hardware& hardware, const Mesh& mesh, const LiveParts& parts,
                         double lane_ps);

}  // namespace waferloom::router
