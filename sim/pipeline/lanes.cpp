#include "sim/pipeline/lanes.h"

#include <algorithm>

#include "sim/pipeline_spec.h"

namespace waferloom::sim {
std::vector<TilePlace> lane_tiles(const Rectangle& of, const Rectangle& facing, std::int64_t most) {
  const Direction side = facing_side(of, facing);
  const bool along_x = is_along_x(side);
  const bool upper = side == Direction::east || side == Direction::north;
  const std::int64_t length = along_x ? of.height : of.width;
  const std::int64_t count = std::min(length, most);
  std::vector<TilePlace> tiles;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t along = (2 * i + 1) * length / (2 * count);
    if (along_x) {
      tiles.push_back({upper ? of.x + of.width - 1 : of.x, of.y + along});
    } else {
      tiles.push_back({of.x + along, upper ? of.y + of.height - 1 : of.y});
    }
  }
  return tiles;
}

std::vector<Lane> lanes_between(const Rectangle& from, const Rectangle& to, std::int64_t most) {
  const bool along_x = is_along_x(facing_side(from, to));
  const std::int64_t count =
      std::min({along_x ? from.height : from.width, along_x ? to.height : to.width, most});
  const std::vector<TilePlace> begins = lane_tiles(from, to, count);
  const std::vector<TilePlace> ends = lane_tiles(to, from, count);
  std::vector<Lane> lanes;
  for (std::size_t i = 0; i < begins.size(); ++i) lanes.push_back({begins[i], ends[i]});
  return lanes;
}

std::vector<Lane> lanes_between_nodes(const Rectangle& from, const Rectangle& to,
                                      std::int64_t most) {
  const auto tiles = [](const Rectangle& of) { return of.width * of.height; };
  const std::int64_t count = std::min({tiles(from), tiles(to), most});
  const auto tile = [&](const Rectangle& of, std::int64_t lane) {
    const std::int64_t at = (2 * lane + 1) * tiles(of) / (2 * count);
    return TilePlace{of.x + at % of.width, of.y + at / of.width};
  };
  std::vector<Lane> lanes;
  for (std::int64_t i = 0; i < count; ++i) lanes.push_back({tile(from, i), tile(to, i)});
  return lanes;
}

Route path_route(const Mesh& mesh, const Lane& lane, bool back) {
  if (!back) {
    Route route = route_along(mesh, mesh.node(lane.from), lane.path);
    route.passes_by = lane.passes_by;
    return route;
  }
  std::vector<PathLeg> path(lane.path.rbegin(), lane.path.rend());
  for (PathLeg& leg : path) leg.direction = opposite(leg.direction);
  return route_along(mesh, mesh.node(lane.to), path);
}

std::optional<Route> lane_route(const Mesh& mesh, RoutePlanner& planner, const Lane& lane,
                                bool back, std::uint64_t id, std::int64_t bytes) {
  if (!lane.path.empty()) return path_route(mesh, lane, back);
  return planner.plan(mesh.node(back ? lane.to : lane.from), mesh.node(back ? lane.from : lane.to),
                      id, bytes);
}

std::int64_t lane_bytes(std::int64_t bytes, std::size_t lanes, std::size_t lane) {
  const auto count = static_cast<std::int64_t>(lanes);
  return bytes / count + (static_cast<std::int64_t>(lane) < bytes % count ? 1 : 0);
}

}  // namespace waferloom::sim
