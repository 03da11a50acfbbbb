#include "sim/mesh/route_planner.h"

#include <algorithm>
#include <array>
#include <map>

#include "sim/mesh/way_around.h"

namespace waferloom::sim {
namespace {

/// Whether to go east or north, rather than west or south: the shorter way. `ties` decides between
/// ways that are as long.
bool goes_up(const std::optional<std::uint32_t>& up, const std::optional<std::uint32_t>& down,
             bool ties) {
  if (!up || !down) return up.has_value();
  return *up == *down ? ties : *up < *down;
}

/// Of a torus whose networks are opposite: whether a transfer takes the one east and north.
bool takes_upward(const Mesh& mesh, NodeIndex from, NodeIndex to) {
  const auto hops = [&](Direction along_x, Direction along_y) {
    return *mesh.hops_along(from, to, along_x) + *mesh.hops_along(from, to, along_y);
  };
  return goes_up(hops(Direction::east, Direction::north), hops(Direction::west, Direction::south),
                 (mesh.x(from) + mesh.y(from)) % 2 == 0);
}

/// Legs along x or y to the column or row of a tile, one of them, two around a torus, or none;
/// answers where they end. Between ways around that are as long, tiles take turns, and rows and
/// columns do, so that an all-to-all loads no link much more than the others.
NodeIndex go(const Mesh& mesh, Route& route, NodeIndex from, NodeIndex to, bool along_x,
             const std::optional<bool>& upward) {
  const NodeIndex across = from == route.source ? to : route.source;
  const std::uint32_t turn =
      along_x ? mesh.x(route.source) + mesh.y(across) : mesh.y(route.source) + mesh.x(across);
  const Direction up = along_x ? Direction::east : Direction::north;
  const auto by_up = mesh.hops_along(from, to, up);
  const auto by_down = mesh.hops_along(from, to, opposite(up));
  const bool is_up = upward ? *upward : goes_up(by_up, by_down, turn % 2 == 0);
  std::uint32_t hops = is_up ? *by_up : *by_down;
  const Direction direction = is_up ? up : opposite(up);
  while (hops > 0) {
    std::uint32_t straight = hops;
    if (mesh.wraps()) {
      const std::uint32_t here = along_x ? mesh.x(from) : mesh.y(from);
      const std::uint32_t side = along_x ? mesh.columns() : mesh.rows();
      straight = std::min(hops, is_up ? side - here : here + 1);
    }
    const auto parent =
        route.legs.empty() ? Leg::kNone : static_cast<std::uint32_t>(route.legs.size() - 1);
    route.legs.push_back({from, direction, straight, parent, false});
    from = end_of(mesh, route.legs.back());
    hops -= straight;
  }
  return from;
}

/// A scramble of 64 bits (Steele, Lea and Flood, SplitMix64).
std::uint64_t scrambled(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace

RoutePlanner::RoutePlanner(const Mesh& mesh, Routing routing) : mesh_(mesh), routing_(routing) {
  if (routing == Routing::adaptive) load_.assign(mesh.link_count(), 0);
}

Route RoutePlanner::through_switches(NodeIndex from, const std::vector<NodeIndex>& to) const {
  Route route{from, {}};
  for (const bool inside : {true, false}) {
    const auto up = static_cast<std::uint32_t>(route.legs.size());
    for (const NodeIndex tile : to) {
      if (tile == from || (mesh_.y(tile) == mesh_.y(from)) != inside) continue;
      if (route.legs.size() == up) {
        route.legs.push_back(
            {from, inside ? Direction::east : Direction::north, 1, Leg::kNone, false});
      }
      route.legs.push_back({tile, inside ? Direction::west : Direction::south, 1, up, true});
    }
  }
  return route;
}

Route RoutePlanner::straight(NodeIndex from, NodeIndex to, bool x_first) const {
  if (mesh_.is_switched()) return through_switches(from, {to});
  Route route{from, {}};
  route.legs.reserve(2);
  std::optional<bool> upward;
  if (mesh_.networks() == Networks::opposite) upward = takes_upward(mesh_, from, to);
  const NodeIndex corner = go(mesh_, route, from, to, x_first, upward);
  go(mesh_, route, corner, to, !x_first, upward);
  if (!route.legs.empty()) route.legs.back().delivers = true;
  return route;
}

bool RoutePlanner::is_clear(const Route& route) const {
  if (!mesh_.has_dead()) return true;
  bool clear = true;
  for_each_link(mesh_, route, [&](LinkIndex link) { clear = clear && !mesh_.is_dead_link(link); });
  return clear;
}

std::int64_t RoutePlanner::busiest(const Route& route) const {
  std::int64_t most = 0;
  for_each_link(mesh_, route, [&](LinkIndex link) { most = std::max(most, load_[link]); });
  return most;
}

bool RoutePlanner::x_goes_first(NodeIndex from, const std::vector<NodeIndex>& to,
                                std::uint64_t id) const {
  switch (routing_) {
    case Routing::xy:
    case Routing::planned:
      return true;
    case Routing::yx:
      return false;
    case Routing::o1turn:
      return (scrambled(id) & 1U) == 0;
    case Routing::adaptive: {
      std::int64_t xy = 0;
      std::int64_t yx = 0;
      for (const NodeIndex tile : to) {
        xy = std::max(xy, busiest(straight(from, tile, true)));
        yx = std::max(yx, busiest(straight(from, tile, false)));
      }
      return xy <= yx;
    }
  }
  return true;
}

std::optional<Route> RoutePlanner::ordered(NodeIndex from, NodeIndex to, bool x_first) {
  Route route = straight(from, to, x_first);
  if (is_clear(route)) return route;
  if (mesh_.is_switched()) return std::nullopt;
  const auto [known, is_new] =
      ways_around_.try_emplace(std::uint64_t{from} << 32 | to, std::nullopt);
  if (is_new) known->second = way_around(mesh_, from, to);
  return known->second;
}

std::optional<Route> RoutePlanner::plan(NodeIndex from, NodeIndex to, std::uint64_t id,
                                        std::int64_t bytes) {
  const bool x_first = is_x_first() || x_goes_first(from, {to}, id);
  std::optional<Route> route = ordered(from, to, x_first);
  if (route) add_load(*route, bytes);
  return route;
}

std::optional<Route> RoutePlanner::plan_tree(NodeIndex from, const std::vector<NodeIndex>& to,
                                             std::uint64_t id, std::int64_t bytes) {
  const bool x_first = x_goes_first(from, to, id);
  std::vector<Route> routes;
  for (const NodeIndex tile : to) {
    std::optional<Route> route = ordered(from, tile, x_first);
    if (!route) return std::nullopt;
    routes.push_back(*std::move(route));
  }
  Route tree = mesh_.is_switched() ? through_switches(from, to) : join_routes(mesh_, routes);
  add_load(tree, bytes);
  return tree;
}

void RoutePlanner::add_load(const Route& route, std::int64_t bytes) {
  if (load_.empty()) return;
  for_each_link(mesh_, route, [&](LinkIndex link) { load_[link] += bytes; });
}

void RoutePlanner::release(const Route& route, std::int64_t bytes) { add_load(route, -bytes); }

bool routes_stay_inside(const Mesh& mesh, const Rectangle& tiles) {
  if (routes_stay_inside(mesh)) return true;
  if (mesh.wraps()) return false;
  for (std::int64_t y = tiles.y; y < tiles.y + tiles.height; ++y) {
    for (std::int64_t x = tiles.x; x < tiles.x + tiles.width; ++x) {
      const NodeIndex node = mesh.node({x, y});
      if (mesh.is_dead(node)) return false;
      const auto is_cut = [&](Direction direction, bool leads_out) {
        return !leads_out && mesh.is_dead_link(Mesh::link(node, direction));
      };
      if (is_cut(Direction::west, x == tiles.x) ||
          is_cut(Direction::east, x == tiles.x + tiles.width - 1) ||
          is_cut(Direction::south, y == tiles.y) ||
          is_cut(Direction::north, y == tiles.y + tiles.height - 1)) {
        return false;
      }
    }
  }
  return true;
}

Route join_routes(const Mesh& mesh, const std::vector<Route>& routes) {
  struct Tile {
    std::array<bool, 4> leaves{};  // by direction
    bool entered = false;
    bool delivers = false;
  };
  std::map<NodeIndex, Tile> tiles;
  const NodeIndex source = routes.front().source;
  tiles[source].entered = true;
  for (const Route& route : routes) {
    NodeIndex last = source;
    for_each_link(mesh, route, [&](LinkIndex link) {
      last = mesh.neighbour(Mesh::source(link), Mesh::direction(link));
      if (tiles[last].entered) return;
      tiles[last].entered = true;
      tiles[Mesh::source(link)].leaves[link % kDirections.size()] = true;
    });
    tiles[last].delivers = true;
  }
  Route tree{source, {}};
  std::vector<std::pair<NodeIndex, std::uint32_t>> open{{source, Leg::kNone}};
  while (!open.empty()) {
    const auto [from, parent] = open.back();
    open.pop_back();
    for (const Direction direction : kDirections) {
      if (!tiles[from].leaves[static_cast<std::size_t>(direction)]) continue;
      Leg leg{from, direction, 0, parent, false};
      NodeIndex at = from;
      bool straight_on = true;
      while (straight_on) {
        const bool is_around = mesh.is_around(Mesh::link(at, direction));
        at = mesh.neighbour(at, direction);
        ++leg.hops;
        const Tile& tile = tiles[at];
        straight_on = !tile.delivers && !is_around &&
                      std::count(tile.leaves.begin(), tile.leaves.end(), true) == 1 &&
                      tile.leaves[static_cast<std::size_t>(direction)];
      }
      leg.delivers = tiles[at].delivers;
      open.emplace_back(at, static_cast<std::uint32_t>(tree.legs.size()));
      tree.legs.push_back(leg);
    }
  }
  return tree;
}

}  // namespace waferloom::sim
