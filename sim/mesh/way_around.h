#pragma once

#include <optional>

#include "sim/mesh/route.h"

namespace waferloom::sim {

/// A shortest way between two tiles that uses nothing dead, with the fewest turns of those; nothing
/// if there is none. A* (Hart, Nilsson and Raphael, 1968) over links: O(tiles log tiles) at worst,
/// as many tiles as lie between the two where little is in the way.
std::optional<Route> way_around(const Mesh& mesh, NodeIndex from, NodeIndex to);

}  // namespace waferloom::sim
