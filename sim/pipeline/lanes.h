#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/wafer.h"
#include "sim/mesh/route_planner.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// The lanes between two rectangles that do not overlap, at most `most`: between tiles of the sides
/// that face each other along the axis where the rectangles are farther apart (x if it is the same
/// along both). As many as the shorter of the two sides is long; lane i of L joins tile
/// ⌊(i + ½) · length / L⌋ of each side. O(lanes).
std::vector<Lane> lanes_between(const Rectangle& from, const Rectangle& to, std::int64_t most);

/// The lanes between two rectangles on switched hardware, where no side faces another: between
/// tiles in the same place of the rows, one behind the other, of either; in equal rectangles each
/// tile has its own. Of n tiles in the smaller one, L = min(n, `most`); lane i joins tile
/// ⌊(i + ½) · tiles / L⌋ of each. O(lanes).
std::vector<Lane> lanes_between_nodes(const Rectangle& from, const Rectangle& to,
                                      std::int64_t most);

/// The tiles where at most `most` lanes between a rectangle and another, which may overlap, leave
/// or reach the first: evenly along the side of it that faces the second.
std::vector<TilePlace> lane_tiles(const Rectangle& of, const Rectangle& facing, std::int64_t most);

/// The route along a lane's path, or back along it.
Route path_route(const Mesh& mesh, const Lane& lane, bool back);

/// The route that a transfer takes on a lane, or on its way back: its path, or what the planner's
/// rule says. Nothing if there is none.
std::optional<Route> lane_route(const Mesh& mesh, RoutePlanner& planner, const Lane& lane,
                                bool back, std::uint64_t id, std::int64_t bytes);

/// The bytes that lane i of `lanes` carries: even parts, what is left over to the first ones.
std::int64_t lane_bytes(std::int64_t bytes, std::size_t lanes, std::size_t lane);

}  // namespace waferloom::sim
