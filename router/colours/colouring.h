#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/routes.h"
#include "router/detailed/lane_router.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {

/// A lane for which no colour is left, and its tile with the fewest left.
struct UncolouredLane {
  std::size_t lane = 0;
  TilePlace fullest{};
};

struct ColouringResult {
  std::int64_t most = 0;  ///< colours at one tile, its kernel's included
  std::vector<UncolouredLane> without{};
};

/// A tile at which more tensors begin or end than it has colours.
struct CrowdedEnd {
  TilePlace tile{};
  std::int64_t tensors = 0;
  std::int64_t colours = 0;  ///< but those that a kernel keeps there
};

/// The most crowded tile where each of some tensors has an end that no attempt chooses elsewhere: a
/// single port, or a block of one tile. Every tensor has a lane, so no routes have the colours.
/// Nothing where all tiles have as many as begin and end there. O(tensors · (log tensors +
/// blocks)).
std::optional<CrowdedEnd> crowded_end(const Traffic& traffic, const std::vector<TensorEnds>& ends,
                                      const Hardware& hardware);

/// Gives lanes colours such that lanes that share a tile differ, and differ from those that kernels
/// keep on their own tiles (the last RoutingSpec::kernel_colours): each in turn the first that none
/// of its tiles has (sequential colouring of the graph of lanes that share a tile, whose edges are
/// never written down: a word of bits a tile stands for them). A lane for which none is left gets
/// another path, around the tiles that have some colour; if there is none, it stays without. Where
/// all lanes of a tensor would stay without, all are coloured again in the order of saturation
/// (DSATUR). Throws RunCut if the router is stopped. O(hops), O(lanes²) where saturation is
/// needed, and a maze for each lane without a colour.
ColouringResult colour_lanes(std::vector<LanePath>& lanes, const Traffic& traffic,
                             const Hardware& hardware, LaneRouter& router);

/// Leaves out lanes without a colour; the other lanes of their tensors carry their bytes, evenly.
/// Answers the first that is the last of its tensor, and changes nothing then. O(lanes).
std::optional<UncolouredLane> leave_out(std::vector<LanePath>& lanes,
                                        const std::vector<UncolouredLane>& without);

}  // namespace waferloom::router
