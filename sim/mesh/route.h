#pragma once

#include <cstdint>
#include <vector>

#include "model/mesh.h"
#include "model/routes.h"
#include "sim/time.h"

namespace waferloom::sim {

/// Part of a route without turn or branch: hops on a mesh, or one of a tile's links on switched
/// hardware, where `from` is that tile whichever way the link leads. On a torus a leg ends where it
/// has come around.
struct Leg {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  NodeIndex from = 0;
  Direction direction = Direction::east;
  std::uint32_t hops = 0;        ///< at least 1
  std::uint32_t parent = kNone;  ///< the leg at whose end it begins; none: at the route's source
  bool delivers = false;         ///< whether the tile at its end is a destination
  bool operator==(const Leg&) const = default;
};

/// A way through the mesh from a tile to one or, as a tree that uses no link twice, several others.
/// Parents come before their children. Without legs the destination is the source.
struct Route {
  NodeIndex source = 0;
  std::vector<Leg> legs;
  /// Whether it neither comes from its source nor ends where it ends: bytes on their way through,
  /// which take no share of what these tiles send and receive (but on the packet network).
  bool passes_by = false;
  bool operator==(const Route&) const = default;
};

/// Calls visit(LinkIndex) for every link of a route, those of a leg in order.
template <typename Visit>
void for_each_link(const Mesh& mesh, const Route& route, Visit&& visit) {
  for (const Leg& leg : route.legs) {
    NodeIndex node = leg.from;
    visit(Mesh::link(node, leg.direction));
    for (std::uint32_t hop = 1; hop < leg.hops; ++hop) {
      node = mesh.neighbour(node, leg.direction);
      visit(Mesh::link(node, leg.direction));
    }
  }
}

/// Whether a leg turns from y to x behind another.
inline bool turns_back(const Leg& before, const Leg& leg) {
  return is_along_x(leg.direction) && !is_along_x(before.direction);
}
/// The route that follows a path from a tile.
Route route_along(const Mesh& mesh, NodeIndex from, const std::vector<PathLeg>& path);
/// The tile where a leg ends; on switched hardware the tile whose link it is.
NodeIndex end_of(const Mesh& mesh, const Leg& leg);
/// Hops to the farthest destination.
std::uint32_t hop_count(const Route& route);
/// The links of all its legs.
std::int64_t link_count(const Route& route);
/// What hops add to a transfer's time until the last destination has it.
Picoseconds route_latency(const Mesh& mesh, const Route& route);
/// The slowest link's rate in bytes a picosecond, the ways into and out of the mesh included.
double slowest_rate(const Mesh& mesh, const Route& route);
/// How long so many bytes take at a rate in bytes a picosecond, rounded up. Throws
/// RequestError beyond kHorizon.
Picoseconds transmission_time(std::int64_t bytes, double bytes_per_ps);

}  // namespace waferloom::sim
