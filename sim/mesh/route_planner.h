#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/mesh.h"
#include "sim/mesh/route.h"

namespace waferloom::sim {

/// Chooses routes. On switched hardware there is one from each tile to each: through the switch of
/// their node, or through those between nodes. On a mesh, where a dead tile or link is in the way,
/// the shortest way around, as straight as possible, takes the place of the usual one. The same
/// transfers in the same order get the same routes.
class RoutePlanner {
 public:
  RoutePlanner(const Mesh& mesh, Routing routing);
  Routing routing() const { return routing_; }

  /// A route between two tiles that are not dead; nothing if there is none. `id` names the transfer
  /// for o1turn; adaptive counts `bytes` as under way until release().
  /// O(legs), adaptive O(hops), a way around O(tiles log tiles) the first time.
  std::optional<Route> plan(NodeIndex from, NodeIndex to, std::uint64_t id, std::int64_t bytes);
  /// The same to several tiles, all different: a tree of the routes to each.
  std::optional<Route> plan_tree(NodeIndex from, const std::vector<NodeIndex>& to, std::uint64_t id,
                                 std::int64_t bytes);
  /// A transfer has arrived.
  void release(const Route& route, std::int64_t bytes);

 private:
  Route straight(NodeIndex from, NodeIndex to, bool x_first) const;
  /// From a tile of switched hardware to some others.
  Route through_switches(NodeIndex from, const std::vector<NodeIndex>& to) const;
  bool is_x_first() const { return routing_ == Routing::xy || routing_ == Routing::planned; }
  bool is_clear(const Route& route) const;
  bool x_goes_first(NodeIndex from, const std::vector<NodeIndex>& to, std::uint64_t id) const;
  /// The route in dimension order, or one around what is dead.
  std::optional<Route> ordered(NodeIndex from, NodeIndex to, bool x_first);
  /// Bytes under way on the busiest link.
  std::int64_t busiest(const Route& route) const;
  void add_load(const Route& route, std::int64_t bytes);

  const Mesh& mesh_;
  Routing routing_;
  std::vector<std::int64_t> load_;  // bytes under way by link; adaptive alone
  std::unordered_map<std::uint64_t, std::optional<Route>> ways_around_;
};

/// Whether routes between tiles of a rectangle stay inside of it, and are the same wherever it
/// lies: not around what is dead, nor around a torus.
inline bool routes_stay_inside(const Mesh& mesh) { return !mesh.has_dead() && !mesh.wraps(); }
/// The same of one rectangle: nothing in it is dead. O(1), with dead parts O(tiles).
bool routes_stay_inside(const Mesh& mesh, const Rectangle& tiles);

/// A tree of routes from one source. Where two go to a tile by different ways, the way of the first
/// is taken by both. Legs end where the tree branches or delivers.
Route join_routes(const Mesh& mesh, const std::vector<Route>& routes);

}  // namespace waferloom::sim
