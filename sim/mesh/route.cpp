#include "sim/mesh/route.h"

#include <algorithm>
#include <cmath>

namespace waferloom::sim {

NodeIndex end_of(const Mesh& mesh, const Leg& leg) {
  if (mesh.is_switched()) return leg.from;
  if (mesh.wraps()) {
    NodeIndex at = leg.from;
    for (std::uint32_t hop = 0; hop < leg.hops; ++hop) at = mesh.neighbour(at, leg.direction);
    return at;
  }
  switch (leg.direction) {
    case Direction::east:
      return leg.from + leg.hops;
    case Direction::west:
      return leg.from - leg.hops;
    case Direction::north:
      return leg.from + leg.hops * mesh.columns();
    case Direction::south:
      return leg.from - leg.hops * mesh.columns();
  }
  return leg.from;
}

Route route_along(const Mesh& mesh, NodeIndex from, const std::vector<PathLeg>& path) {
  Route route{from, {}};
  route.legs.reserve(path.size());
  for (const PathLeg& leg : path) {
    const auto parent =
        route.legs.empty() ? Leg::kNone : static_cast<std::uint32_t>(route.legs.size() - 1);
    route.legs.push_back(
        {from, leg.direction, static_cast<std::uint32_t>(leg.hops), parent, false});
    from = end_of(mesh, route.legs.back());
  }
  if (!route.legs.empty()) route.legs.back().delivers = true;
  return route;
}

namespace {

/// Whether legs follow one another from the source.
bool is_path(const Route& route) {
  for (std::size_t i = 0; i < route.legs.size(); ++i) {
    const std::uint32_t parent = route.legs[i].parent;
    if (i == 0 ? parent != Leg::kNone : parent != i - 1) return false;
  }
  return true;
}

/// The largest sum of `cost(leg)`, which is not negative, from the source to a leg's end.
template <typename Cost>
auto longest(const Route& route, Cost&& cost) {
  decltype(cost(route.legs.front())) most = 0;
  if (is_path(route)) {
    for (const Leg& leg : route.legs) most += cost(leg);
    return most;
  }
  std::vector<decltype(cost(route.legs.front()))> sums;
  for (const Leg& leg : route.legs) {
    sums.push_back(cost(leg) + (leg.parent == Leg::kNone ? 0 : sums[leg.parent]));
    most = std::max(most, sums.back());
  }
  return most;
}

}  // namespace

std::uint32_t hop_count(const Route& route) {
  return longest(route, [](const Leg& leg) { return leg.hops; });
}

std::int64_t link_count(const Route& route) {
  std::int64_t links = 0;
  for (const Leg& leg : route.legs) links += leg.hops;
  return links;
}

Picoseconds route_latency(const Mesh& mesh, const Route& route) {
  return longest(route, [&](const Leg& leg) {
    if (mesh.is_uniform()) return Picoseconds{leg.hops} * mesh.latency(0);
    Picoseconds sum = 0;
    for_each_link(mesh, Route{leg.from, {leg}}, [&](LinkIndex link) { sum += mesh.latency(link); });
    return sum;
  });
}

double slowest_rate(const Mesh& mesh, const Route& route) {
  double slowest = mesh.tile_bytes_per_ps();
  if (mesh.is_uniform()) return slowest;
  for_each_link(mesh, route,
                [&](LinkIndex link) { slowest = std::min(slowest, mesh.bytes_per_ps(link)); });
  return slowest;
}

Picoseconds transmission_time(std::int64_t bytes, double bytes_per_ps) {
  // Less than a millionth of a picosecond is rounding.
  const double time = std::ceil(static_cast<double>(bytes) / bytes_per_ps - 1e-6);
  if (time > kLongestWait) fail_beyond_horizon();
  return static_cast<Picoseconds>(time);
}

}  // namespace waferloom::sim
