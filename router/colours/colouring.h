#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/traffic.h"
#include "router/detailed/lane_router.h"

namespace waferloom::router {

struct ColouringResult {
  std::int64_t most = 0;  ///< colours at one tile, its kernel's included
  /// A lane for which there was none, and its tile with the fewest left.
  std::optional<std::size_t> without{};
  TilePlace fullest{};
};

/// Gives lanes colours such that lanes that share a tile differ, and differ from those that kernels
/// keep on their own tiles (the last RoutingSpec::kernel_colours): each in turn the first that none
/// of its tiles has (sequential colouring of the graph of lanes that share a tile, whose edges are
/// never written down: a word of bits a tile stands for them). A lane for which none is left gets
/// another path, around the tiles that have some colour. O(hops), and a maze for each such lane.
ColouringResult colour_lanes(std::vector<LanePath>& lanes, const Traffic& traffic,
                             const Hardware& hardware, LaneRouter& router);

}  // namespace waferloom::router
