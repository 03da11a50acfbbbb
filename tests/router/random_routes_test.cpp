// What holds for the routes of any traffic.

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "router/detailed/lane_router.h"
#include "router/flow/tensor_ends.h"
#include "router/route.h"
#include "router/route_bound.h"
#include "router/symmetry/mirror.h"
#include "tests/router/random_traffic.h"
#include "tests/support/close_to.h"

namespace waferloom::router {
namespace {

using test::close_to;

/// Whether live tiles and links lead from a tile where a tensor may begin to one where it may end,
/// by breadth-first search.
bool is_joined(const TensorEnds& ends, const Mesh& mesh) {
  std::vector<bool> seen(mesh.node_count(), false);
  std::vector<NodeIndex> reached;
  const auto reach = [&](NodeIndex node) {
    if (seen[node]) return;
    seen[node] = true;
    reached.push_back(node);
  };
  for (const EndTile& from : ends.from) reach(mesh.node(from.tile));
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Direction direction : kDirections) {
      if (mesh.is_dead_link(Mesh::link(reached[i], direction))) continue;
      reach(mesh.neighbour(reached[i], direction));
    }
  }
  return std::any_of(ends.to.begin(), ends.to.end(),
                     [&](const EndTile& to) { return seen[mesh.node(to.tile)]; });
}

void check_figures(const RouteResult& found, const DrawnTraffic& drawn) {
  std::int64_t hops = 0;
  std::int64_t lanes = 0;
  for (std::size_t i = 0; i < found.routes.tensors.size(); ++i) {
    const RoutedTensor& tensor = found.routes.tensors[i];
    CHECK(tensor.name == drawn.traffic.tensors[i].name);
    CHECK(std::ssize(tensor.lanes) <= drawn.hardware.routing.lanes_max);
    std::int64_t bytes = 0;
    for (const RoutedLane& lane : tensor.lanes) {
      bytes += lane.bytes;
      for (const PathLeg& leg : lane.path) hops += leg.hops;
    }
    CHECK(bytes == drawn.traffic.tensors[i].bytes);
    lanes += std::ssize(tensor.lanes);
  }
  CHECK(found.hops == hops);
  CHECK(found.lanes == lanes);
  CHECK(found.colours <= drawn.hardware.routing.colours);
  CHECK(found.period_ps >= static_cast<double>(drawn.traffic.period_ps));
  CHECK(found.unlimited_ps <= found.period_ps);
}

/// What tensors pay on their ways, together, is a bound on the busiest link's time, in its shares.
void check_prices(const RouteResult& found) {
  double paid = 0;
  for (const RoutedTensor& tensor : found.routes.tensors) {
    REQUIRE(tensor.price);
    CHECK(*tensor.price >= 0);
    if (tensor.bytes == 0) CHECK(*tensor.price == 0);
    paid += *tensor.price * std::max(1.0, mean_hops(tensor));
  }
  CHECK(paid * found.busiest.time_ps <= found.bound_ps * (1 + 1e-6) + 1e-3);
}

/// The bound without routes holds for whatever ends the router chose, and its tolls add up.
void check_bound_alone(const DrawnTraffic& drawn, const RouteResult& found) {
  for (const std::int64_t rounds : {0, 8}) {
    const RouteBound bound = route_bound(drawn.traffic, drawn.hardware, {rounds, 4});
    CHECK(bound.infeasible.empty());
    CHECK(bound.time_ps <= found.busiest.time_ps * (1 + 1e-9));
    CHECK(bound.priced_ps <= bound.time_ps);
    CHECK(bound.tolls.size() == drawn.traffic.tensors.size());
    CHECK(std::accumulate(bound.tolls.begin(), bound.tolls.end(), 0.0) ==
          close_to(bound.priced_ps));
    CHECK(std::all_of(bound.tolls.begin(), bound.tolls.end(), [](double t) { return t >= 0; }));
  }
}

/// Routes a traffic and checks what holds for all routes. False if there are none.
bool check_routes(const DrawnTraffic& drawn, const RouteOptions& options) {
  const RouteResult found = route(drawn.traffic, drawn.hardware, options);
  const Mesh mesh(drawn.hardware);
  const LiveParts parts(mesh);
  const bool joined = std::all_of(
      drawn.traffic.tensors.begin(), drawn.traffic.tensors.end(), [&](const auto& tensor) {
        return is_joined(tensor_ends(tensor, drawn.traffic, drawn.hardware, mesh, parts, 0), mesh);
      });
  CHECK_MESSAGE(found.infeasible.empty() == joined, found.infeasible);
  if (!found.infeasible.empty()) return false;
  const auto faults = verify_routes(drawn.traffic, drawn.hardware, found.routes);
  CHECK_MESSAGE(faults.empty(), faults.front().message);
  check_figures(found, drawn);
  CHECK(found.bound_ps <= found.busiest.time_ps * (1 + 1e-9));
  check_prices(found);
  check_bound_alone(drawn, found);
  RouteOptions more = options;
  more.threads = 3;
  for (const RouteOptions& same : {options, more}) {
    const RouteResult again = route(drawn.traffic, drawn.hardware, same);
    CHECK(routes_text(again.routes) == routes_text(found.routes));
    CHECK(again.bound_ps == found.bound_ps);
    CHECK(again.end == found.end);
  }
  CHECK(read_routes(routes_text(found.routes), "routes") == found.routes);
  return true;
}

TEST_CASE(
    "routes of random traffics verify, keep the bound and come out the same again, on more threads "
    "too") {
  int infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    const DrawnTraffic drawn = TrafficDraw(seed, {}).next();
    if (!check_routes(drawn, {.to_the_bound = seed % 2 == 0})) ++infeasible;
  }
  CHECK(infeasible < 10);
}

TEST_CASE("so they do on small meshes that dead tiles cut into parts, and without limits") {
  DrawOptions options;
  options.least_side = 2;
  options.most_side = 9;
  options.unlimited = true;
  int infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    CAPTURE(seed);
    DrawnTraffic drawn = TrafficDraw(seed, options).next();
    drawn.hardware.routing.colours = 64;
    if (!check_routes(drawn, {.to_the_bound = seed % 2 == 0})) ++infeasible;
  }
  CHECK(infeasible > 10);
  CHECK(infeasible < 200);
}

TEST_CASE("where links nearly bind, a traffic and its mirrors are routed alike") {
  DrawOptions options;
  options.terminals = false;
  options.groups = false;
  int close = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    CAPTURE(seed);
    DrawnTraffic drawn = TrafficDraw(seed, options).next();
    const RouteResult tight = route(drawn.traffic, drawn.hardware, {.to_the_bound = true});
    if (!tight.infeasible.empty()) continue;
    drawn.traffic.period_ps = static_cast<std::int64_t>(1.1 * tight.longest_ps());
    const RouteResult found = route(drawn.traffic, drawn.hardware, {});
    // Below three quarters of the slowest stage's time the first routes do.
    if (found.end != RouteEnd::not_binding ||
        found.longest_ps() < 0.76 * static_cast<double>(drawn.traffic.period_ps)) {
      continue;
    }
    ++close;
    for (const Mirror& mirror : {Mirror{true, false}, Mirror{false, true}, Mirror{true, true}}) {
      const RouteResult other = route(mirrored(drawn.traffic, drawn.hardware, mirror),
                                      mirrored(drawn.hardware, mirror), {});
      CHECK(other.longest_ps() <= 1.02 * found.longest_ps());
    }
  }
  CHECK(close >= 10);
}

// The router ends within a hundredth of the bound, with few lanes as with many, and tries fewer by
// powers of two: 4 lanes may be worse than 3.
TEST_CASE("twice as many lanes never make the busiest link busier") {
  DrawOptions draw;
  draw.most_side = 24;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    DrawnTraffic drawn = TrafficDraw(seed, draw).next();
    double before = HUGE_VAL;
    for (const std::int64_t lanes : {1, 2, 4, 8}) {
      CAPTURE(seed);
      CAPTURE(lanes);
      drawn.hardware.routing.lanes_max = lanes;
      const RouteResult found = route(drawn.traffic, drawn.hardware, {.to_the_bound = true});
      if (!found.infeasible.empty()) break;
      CHECK(found.busiest.time_ps <= std::max(before, kNearBound * found.bound_ps));
      before = found.busiest.time_ps;
    }
  }
}

Direction mirrored(Direction direction, bool in_x) {
  return is_along_x(direction) == in_x ? opposite(direction) : direction;
}

/// The same with x (or y) counted from the other side.
DrawnTraffic mirrored(DrawnTraffic drawn, bool in_x) {
  const std::int64_t columns = drawn.hardware.wafer.width;
  const std::int64_t rows = drawn.hardware.wafer.height;
  const auto turn_tiles = [&](Rectangle& tiles) {
    if (in_x) tiles.x = columns - tiles.x - tiles.width;
    if (!in_x) tiles.y = rows - tiles.y - tiles.height;
  };
  for (TrafficBlock& block : drawn.traffic.blocks) turn_tiles(block.tiles);
  for (Rectangle& dead : drawn.hardware.wafer.dead) turn_tiles(dead);
  for (TrafficPort& port : drawn.traffic.ports) {
    (in_x ? port.tile.x : port.tile.y) = in_x ? columns - 1 - port.tile.x : rows - 1 - port.tile.y;
  }
  for (DeadLink& link : drawn.hardware.dead_links) {
    (in_x ? link.x : link.y) = in_x ? columns - 1 - link.x : rows - 1 - link.y;
    link.direction = mirrored(link.direction, in_x);
  }
  return drawn;
}

TEST_CASE("[long] mirrored placements have about the same that binds") {
  DrawOptions draw;
  draw.groups = false;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const DrawnTraffic drawn = TrafficDraw(seed, draw).next();
    const RouteOptions options{.to_the_bound = true};
    const RouteResult found = route(drawn.traffic, drawn.hardware, options);
    for (const bool in_x : {true, false}) {
      CAPTURE(seed);
      CAPTURE(in_x);
      const DrawnTraffic turned = mirrored(drawn, in_x);
      const RouteResult other = route(turned.traffic, turned.hardware, options);
      CHECK(other.infeasible.empty() == found.infeasible.empty());
      CHECK(std::abs(other.longest_ps() - found.longest_ps()) <= 0.02 * found.longest_ps());
    }
  }
}

}  // namespace
}  // namespace waferloom::router
