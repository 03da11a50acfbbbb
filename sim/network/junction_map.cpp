#include "sim/network/junction_map.h"

#include <algorithm>
#include <utility>

#include "sim/engine/free_entries.h"
#include "sim/network_kind.h"

// Problem: routes have many links, but most links only pass on the flows of the link before. Shares
// have to be found only where flows join.
// Idea: keep a stop of a bundle only at a junction: where some flow enters a row or column, where a
// slower link follows, and at a tile's own ways into and out of the mesh. The map is updated when a
// bundle comes or goes.
// Source: ours.
// Cost: O(routes on its rows and columns + its stops) to add or remove a bundle.
namespace waferloom::sim {
namespace {

/// Bytes a picosecond of a link without limit. It is finite, because rates are divided.
constexpr double kFastest = 1e6;

}  // namespace

JunctionMap::JunctionMap(const Mesh& mesh, Sharing sharing)
    : mesh_(mesh),
      sharing_(sharing),
      lanes_(mesh.is_switched() ? mesh.link_count()
                                : kDirections.size() * std::max(mesh.columns(), mesh.rows())) {}

// ---- lanes ----------------------------------------------------------------------------------

JunctionMap::LaneIndex JunctionMap::lane_of(const Leg& leg) const {
  if (mesh_.is_switched()) return Mesh::link(leg.from, leg.direction);
  const bool along_x = is_along_x(leg.direction);
  const std::uint32_t line = along_x ? mesh_.y(leg.from) : mesh_.x(leg.from);
  return static_cast<LaneIndex>(kDirections.size()) * line + static_cast<LaneIndex>(leg.direction);
}

std::uint32_t JunctionMap::position_on_lane(NodeIndex node, Direction direction) const {
  if (mesh_.is_switched()) return 0;
  switch (direction) {
    case Direction::east:
      return mesh_.x(node);
    case Direction::west:
      return mesh_.columns() - 1 - mesh_.x(node);
    case Direction::north:
      return mesh_.y(node);
    case Direction::south:
      return mesh_.rows() - 1 - mesh_.y(node);
  }
  return 0;
}

LinkIndex JunctionMap::link_on_lane(const LanePlace& place) const {
  const auto [lane, position] = place;
  if (mesh_.is_switched()) return lane;
  const auto direction = static_cast<Direction>(lane % kDirections.size());
  const auto line = static_cast<std::uint32_t>(lane / kDirections.size());
  switch (direction) {
    case Direction::east:
      return Mesh::link(mesh_.node(position, line), direction);
    case Direction::west:
      return Mesh::link(mesh_.node(mesh_.columns() - 1 - position, line), direction);
    case Direction::north:
      return Mesh::link(mesh_.node(line, position), direction);
    case Direction::south:
      return Mesh::link(mesh_.node(line, mesh_.rows() - 1 - position), direction);
  }
  return 0;
}

JunctionMap::Crossing JunctionMap::crossing_of(BundleIndex bundle, std::uint32_t leg) const {
  const Leg& run = paths_[bundle].route.legs[leg - 1];
  const std::uint32_t begin = position_on_lane(run.from, run.direction);
  return {bundle, leg, begin, begin + run.hops};
}

bool JunctionMap::is_slow_link(const LanePlace& place) const {
  return place.position > 0 &&
         mesh_.bytes_per_ps(link_on_lane(place)) <
             mesh_.bytes_per_ps(link_on_lane({place.lane, place.position - 1}));
}

// ---- stops ----------------------------------------------------------------------------------

JunctionIndex JunctionMap::new_junction(double bytes_per_ps) {
  const JunctionIndex index = take_entry(junctions_, free_junctions_);
  junctions_[index].bytes_per_ps = std::min(bytes_per_ps, kFastest);
  return index;
}

void JunctionMap::add_stop(const Crossing& crossing, std::uint32_t position, std::uint64_t side,
                           JunctionIndex junction) {
  const StopIndex index = take_entry(stops_, free_stops_);
  const std::uint64_t key =
      sharing_ == Sharing::by_flow ? (JunctionPort::kOwn | crossing.bundle) : side;
  std::vector<JunctionPort>& ports = junctions_[junction].ports;
  auto port = ports.end();
  if ((key & JunctionPort::kOwn) == 0) {
    port = std::find_if(ports.begin(), ports.end(),
                        [&](const JunctionPort& other) { return other.key == key; });
  }
  if (port == ports.end()) port = ports.insert(ports.end(), JunctionPort{key, {}});
  port->stops.push_back(index);
  stops_[index] = Stop{
      .bundle = crossing.bundle,
      .junction = junction,
      .port = static_cast<std::uint32_t>(port - ports.begin()),
  };
  const PathStop placed{crossing.leg, position, index};
  std::vector<PathStop>& path = paths_[crossing.bundle].stops;
  const auto before = [](const PathStop& a, const PathStop& b) {
    return a.leg != b.leg ? a.leg < b.leg : a.position < b.position;
  };
  path.insert(std::upper_bound(path.begin(), path.end(), placed, before), placed);
}

void JunctionMap::remove_stop(StopIndex index) {
  const Stop& stop = stops_[index];
  std::vector<JunctionPort>& ports = junctions_[stop.junction].ports;
  std::vector<StopIndex>& stops = ports[stop.port].stops;
  stops.erase(std::find(stops.begin(), stops.end(), index));
  if (stops.empty()) {
    const std::uint32_t hole = stop.port;
    if (hole + 1 < ports.size()) ports[hole] = std::move(ports.back());
    ports.pop_back();
    if (hole < ports.size()) {
      for (const StopIndex moved : ports[hole].stops) stops_[moved].port = hole;
    }
  }
  free_stops_.push_back(index);
}

void JunctionMap::drop_from_path(Path& path, JunctionIndex junction) {
  std::vector<PathStop>& stops = path.stops;
  const auto at = std::find_if(stops.begin(), stops.end(), [&](const PathStop& placed) {
    return stops_[placed.stop].junction == junction;
  });
  remove_stop(at->stop);
  stops.erase(at);
}

void JunctionMap::link_path(Path& path) {
  std::vector<StopIndex> last_of_leg(path.route.legs.size() + 1, kNoIndex);
  for (const PathStop& placed : path.stops) {
    const auto legs = static_cast<std::uint32_t>(last_of_leg.size());
    const bool way_out = placed.leg >= legs;
    const std::uint32_t leg = way_out ? placed.leg - legs : placed.leg;
    const bool begins_leg = !way_out && leg > 0 && last_of_leg[leg] == kNoIndex;
    Stop& stop = stops_[placed.stop];
    stop.previous = last_of_leg[leg];
    if (begins_leg) {
      const std::uint32_t parent = path.route.legs[leg - 1].parent;
      stop.previous = last_of_leg[parent == Leg::kNone ? 0 : parent + 1];
    }
    if (!way_out) last_of_leg[leg] = placed.stop;
    if (stop.offer == 0) {  // a new stop lets all pass until its junction is looked at
      const bool first = stop.previous == kNoIndex;
      const double rate = junctions_[stop.junction].bytes_per_ps;
      stop.offer = first ? rate : stops_[stop.previous].offer;
      stop.weight = first ? rate : stops_[stop.previous].weight;
    }
  }
  // From the last to the first, so that siblings stand in the path's order.
  for (const PathStop& placed : path.stops) stops_[placed.stop].next = kNoIndex;
  for (auto placed = path.stops.rbegin(); placed != path.stops.rend(); ++placed) {
    Stop& stop = stops_[placed->stop];
    if (stop.previous == kNoIndex) continue;
    stop.sibling = std::exchange(stops_[stop.previous].next, placed->stop);
  }
}

// ---- bundles --------------------------------------------------------------------------------

JunctionMap::PlacedJunction& JunctionMap::junction_at(const LanePlace& place) {
  const LaneIndex lane = place.lane;
  const std::uint32_t position = place.position;
  std::vector<PlacedJunction>& junctions = lanes_[lane].junctions;
  const auto at = std::lower_bound(
      junctions.begin(), junctions.end(), position,
      [](const PlacedJunction& placed, std::uint32_t where) { return placed.position < where; });
  if (at != junctions.end() && at->position == position) return *at;
  const JunctionIndex junction = new_junction(mesh_.bytes_per_ps(link_on_lane(place)));
  for (const Crossing& crossing : lanes_[lane].crossings) {
    if (crossing.begin < position && position < crossing.end) {
      add_stop(crossing, position, lane, junction);
      link_path(paths_[crossing.bundle]);
    }
  }
  return *junctions.insert(at, PlacedJunction{position, junction, 0});
}

std::uint64_t JunctionMap::side_of(const Route& route, std::uint32_t leg) const {
  const std::uint32_t parent = route.legs[leg - 1].parent;
  if (parent != Leg::kNone) return lane_of(route.legs[parent]);
  return route.passes_by ? lane_of(route.legs[leg - 1]) : JunctionPort::kTile;
}

void JunctionMap::enter_leg(BundleIndex bundle, std::uint32_t leg,
                            std::vector<JunctionIndex>& changed) {
  const Route& route = paths_[bundle].route;
  const LaneIndex lane = lane_of(route.legs[leg - 1]);
  const Crossing crossing = crossing_of(bundle, leg);
  PlacedJunction& entry = junction_at({lane, crossing.begin});
  ++entry.entering;
  if (!mesh_.is_uniform()) {
    for (std::uint32_t position = crossing.begin + 1; position < crossing.end; ++position) {
      const LanePlace place{lane, position};
      if (is_slow_link(place)) junction_at(place);
    }
  }
  for (const PlacedJunction& placed : lanes_[lane].junctions) {
    if (placed.position < crossing.begin || placed.position >= crossing.end) continue;
    add_stop(crossing, placed.position,
             placed.position == crossing.begin ? side_of(route, leg) : lane, placed.junction);
    changed.push_back(placed.junction);
  }
  lanes_[lane].crossings.push_back(crossing);
}

void JunctionMap::leave_leg(BundleIndex bundle, std::uint32_t leg,
                            std::vector<JunctionIndex>& changed) {
  const LaneIndex index = lane_of(paths_[bundle].route.legs[leg - 1]);
  Lane& lane = lanes_[index];
  const Crossing crossing = crossing_of(bundle, leg);
  lane.crossings.erase(std::find_if(
      lane.crossings.begin(), lane.crossings.end(),
      [&](const Crossing& other) { return other.bundle == bundle && other.leg == leg; }));
  for (std::size_t i = 0; i < lane.junctions.size();) {
    PlacedJunction& placed = lane.junctions[i];
    const bool within = crossing.begin <= placed.position && placed.position < crossing.end;
    if (placed.position == crossing.begin) --placed.entering;
    if (within) drop_from_path(paths_[bundle], placed.junction);
    Junction& junction = junctions_[placed.junction];
    const bool needed =
        !junction.ports.empty() && (placed.entering > 0 || is_slow_link({index, placed.position}));
    if (!within || needed) {
      if (within) changed.push_back(placed.junction);
      ++i;
      continue;
    }
    while (!junction.ports.empty()) {  // bundles that go straight through need no stop any more
      const StopIndex through = junction.ports.back().stops.back();
      const BundleIndex other = stops_[through].bundle;
      for (StopIndex next = stops_[through].next; next != kNoIndex; next = stops_[next].sibling) {
        changed.push_back(stops_[next].junction);
      }
      drop_from_path(paths_[other], placed.junction);
      link_path(paths_[other]);
    }
    free_junctions_.push_back(placed.junction);
    lane.junctions.erase(lane.junctions.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

JunctionIndex JunctionMap::tile_junction(std::unordered_map<NodeIndex, JunctionIndex>& ways,
                                         NodeIndex node) {
  const auto [at, is_new] = ways.try_emplace(node, kNoIndex);
  // A tile's own port is as fast as the links inside a group.
  if (is_new) at->second = new_junction(mesh_.tile_bytes_per_ps());
  return at->second;
}

void JunctionMap::leave_tile(BundleIndex bundle, std::unordered_map<NodeIndex, JunctionIndex>& ways,
                             NodeIndex node, std::vector<JunctionIndex>& changed) {
  const auto at = ways.find(node);
  drop_from_path(paths_[bundle], at->second);
  if (junctions_[at->second].ports.empty()) {
    free_junctions_.push_back(at->second);
    ways.erase(at);
  } else {
    changed.push_back(at->second);
  }
}

void JunctionMap::add(BundleIndex bundle, const Route& route, std::vector<JunctionIndex>& changed) {
  if (bundle >= paths_.size()) paths_.resize(bundle + 1);
  paths_[bundle].route = route;
  const auto legs = static_cast<std::uint32_t>(route.legs.size());
  if (!route.passes_by) {
    const JunctionIndex way_in = tile_junction(ways_in_, route.source);
    add_stop({bundle, 0, 0, 1}, 0, JunctionPort::kOwn | bundle, way_in);
    changed.push_back(way_in);
  }
  for (std::uint32_t leg = 1; leg <= legs; ++leg) enter_leg(bundle, leg, changed);
  const auto way_out = [&](std::uint32_t leg, std::uint64_t side, NodeIndex tile) {
    const JunctionIndex junction = tile_junction(ways_out_, tile);
    add_stop({bundle, legs + 1 + leg, 0, 1}, 0, side, junction);
    changed.push_back(junction);
  };
  if (legs == 0) way_out(0, JunctionPort::kTile, route.source);
  for (std::uint32_t leg = 1; leg <= legs; ++leg) {
    const Leg& run = route.legs[leg - 1];
    if (run.delivers && !route.passes_by) way_out(leg, lane_of(run), end_of(mesh_, run));
  }
  link_path(paths_[bundle]);
}

void JunctionMap::remove(BundleIndex bundle, std::vector<JunctionIndex>& changed) {
  const Route route = paths_[bundle].route;
  if (!route.passes_by) leave_tile(bundle, ways_in_, route.source, changed);
  for (std::uint32_t leg = 1; leg <= route.legs.size(); ++leg) leave_leg(bundle, leg, changed);
  if (route.legs.empty()) leave_tile(bundle, ways_out_, route.source, changed);
  for (const Leg& leg : route.legs) {
    if (!leg.delivers || route.passes_by) continue;
    leave_tile(bundle, ways_out_, end_of(mesh_, leg), changed);
  }
  paths_[bundle] = Path{};
}

}  // namespace waferloom::sim
