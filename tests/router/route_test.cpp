#include "router/route.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "model/errors.h"
#include "router/route_bound.h"
#include "router/route_report.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::block;
using test::byte_fabric;
using test::close_to;

/// a and b, 2 × 4 tiles each on 10 × 6 tiles, with four columns between.
Traffic two_blocks(std::int64_t bytes) {
  return {
      {block("a", {1, 1, 2, 4}), block("b", {7, 1, 2, 4})}, {}, {test::edge("ab", 0, 1, bytes)}};
}

TEST_CASE("between two blocks a lane goes straight from every tile, which is the best") {
  // 400 bytes in four lanes.
  const RouteResult found = route(two_blocks(400), byte_fabric(10, 6), {.to_the_bound = true});
  CHECK(found.infeasible.empty());
  CHECK(found.lanes == 4);
  CHECK(found.hops == 4 * 5);
  CHECK(found.colours == 1);
  CHECK(found.busiest.time_ps == close_to(100));
  CHECK(found.bound_ps == close_to(100));
  CHECK(found.end == RouteEnd::at_bound);
}

TEST_CASE("the bound alone is that of the routes, without lanes") {
  const RouteBound bound = route_bound(two_blocks(400), byte_fabric(10, 6));
  CHECK(bound.time_ps == close_to(100));
  CHECK(bound.infeasible.empty());
  Hardware cut = byte_fabric(10, 6);
  cut.wafer.dead = {{4, 0, 1, 6}};
  CHECK(route_bound(two_blocks(400), cut, {8, 1}).infeasible ==
        "no way from a to b for tensor ab around what is dead");
  CHECK_THROWS_AS(route_bound(two_blocks(400), byte_fabric(8, 6)), RequestError);
}

TEST_CASE("only what meets others at busy links has a price") {
  Traffic traffic = two_blocks(400);
  traffic.blocks.push_back(block("d", {1, 8, 2, 2}));
  traffic.blocks.push_back(block("e", {7, 8, 2, 2}));
  traffic.tensors.push_back(test::edge("de", 2, 3, 4));
  const RouteResult found = route(traffic, byte_fabric(10, 12), {.to_the_bound = true});
  const auto& tensors = found.routes.tensors;
  CHECK(*tensors[0].price > 10 * *tensors[1].price);
  CHECK(*tensors[0].price <= 0.2);  // all of the busiest link's time over five hops
}

TEST_CASE("links that need less than the slowest stage end the search") {
  Traffic traffic = two_blocks(400);
  traffic.period_ps = 6'400;  // a sixteenth of it is 400 ps: one lane is enough
  const RouteResult found = route(traffic, byte_fabric(10, 6), {});
  CHECK(found.lanes == 1);
  CHECK(found.busiest.time_ps == close_to(400));
  CHECK(found.bound_ps <= 100 + 1e-9);
  CHECK(found.end == RouteEnd::not_binding);
}

TEST_CASE("where colours are short a tensor has fewer lanes") {
  // Eight lanes around a wall with one gap would share its tile; there are six colours.
  Hardware hardware = byte_fabric(9, 8);
  hardware.wafer.dead = {{4, 0, 1, 3}, {4, 4, 1, 4}};
  hardware.routing.colours = 6;
  const Traffic traffic{
      {block("a", {0, 0, 2, 8}), block("b", {7, 0, 2, 8})}, {}, {test::edge("ab", 0, 1, 800)}};
  const RouteResult found = route(traffic, hardware, {.to_the_bound = true});
  CHECK(found.infeasible.empty());
  CHECK(found.lanes == 6);
  CHECK(found.colours == 6);
  CHECK(found.busiest.time_ps == close_to(800));
  CHECK(verify_routes(traffic, hardware, found.routes).empty());
  // Two tensors through the gap need two colours there.
  const Traffic both{traffic.blocks, {}, {traffic.tensors[0], test::edge("also", 0, 1, 80)}};
  hardware.routing.colours = 2;
  CHECK(route(both, hardware, {.to_the_bound = true}).lanes == 2);
  hardware.routing.colours = 1;
  CHECK(route(both, hardware, {.to_the_bound = true}).infeasible.find("no colour is left") == 0);
}

TEST_CASE("more tensors than colours at a tile where all of them begin are told at once") {
  // Three blocks around one port: each has a lane from there. Dead tiles make no difference.
  Hardware hardware = byte_fabric(9, 9);
  Traffic traffic{{block("a", {0, 0, 3, 3}), block("b", {6, 0, 3, 3}), block("c", {3, 6, 3, 3})},
                  {{"port", {4, 4}, 1'000'000'000'000}},
                  {test::input("in a", 0, 100, {0}), test::input("in b", 1, 100, {0}),
                   test::input("in c", 2, 100, {0})}};
  hardware.routing.colours = 3;
  CHECK(route(traffic, hardware, {.to_the_bound = true}).infeasible.empty());
  hardware.routing.colours = 2;
  CHECK(route(traffic, hardware, {.to_the_bound = true}).infeasible ==
        "3 tensors begin or end at tile (4, 4), which has 2 colours");
  // A block of one tile keeps colours for itself; a tensor that ends there counts with the others.
  hardware.routing.colours = 3;
  hardware.routing.kernel_colours = 1;
  traffic.blocks.push_back(block("d", {4, 4, 1, 1}));
  traffic.tensors = {test::edge("ad", 0, 3, 100), test::edge("db", 3, 1, 100)};
  CHECK(route(traffic, hardware, {.to_the_bound = true}).infeasible.empty());
  traffic.tensors.push_back(test::edge("dc", 3, 2, 100));
  CHECK(route(traffic, hardware, {.to_the_bound = true}).infeasible ==
        "3 tensors begin or end at tile (4, 4), which has 2 colours");
}

TEST_CASE("a router that is stopped does not take an attempt without colours for a proof") {
  // Two lanes, a port each, need two colours at the only tile; a lane from the nearer port has one.
  Hardware hardware = byte_fabric(10, 6);
  hardware.routing.colours = 1;
  Traffic traffic{{block("a", {2, 2, 1, 1})},
                  {{"near", {0, 2}, 1'000'000'000'000}, {"far", {9, 5}, 1'000'000'000'000}},
                  {test::input("in", 0, 4'000, {0, 1})}};
  traffic.period_ps = 1'000'000;
  std::int64_t looks = 0;
  RouteOptions options;
  options.control.asked = [&] { return ++looks, false; };
  REQUIRE(route(traffic, hardware, options).infeasible.empty());
  std::int64_t without = 0;
  for (std::int64_t end = 0, all = looks; end <= all; ++end) {
    CAPTURE(end);
    looks = 0;
    options.control.asked = [&] { return looks++ >= end; };
    const RouteResult found = route(traffic, hardware, options);
    if (found.infeasible.empty()) continue;
    ++without;
    CHECK(found.end == RouteEnd::stopped);
    CHECK(found.infeasible == "the router was stopped before it had routes");
  }
  CHECK(without > 0);
}

TEST_CASE("what dead tiles cut off is named by both its ends") {
  Hardware hardware = byte_fabric(10, 6);
  hardware.wafer.dead = {{5, 0, 1, 6}};
  CHECK(route(two_blocks(400), hardware, {}).infeasible ==
        "no way from a to b for tensor ab around what is dead");
}

TEST_CASE("links without a limit need no time, and lanes over them are short") {
  Hardware hardware = byte_fabric(10, 6);
  hardware.link.bytes_per_s = std::nullopt;
  hardware.group_link.bytes_per_s = std::nullopt;
  hardware.routing.kernel_link_percent = 50;
  const RouteResult found = route(two_blocks(400), hardware, {.to_the_bound = true});
  CHECK(found.hops == 5 * found.lanes);
  CHECK(found.busiest.time_ps == 0);
  CHECK(found.bound_ps == 0);
  CHECK(found.end == RouteEnd::at_bound);
}

TEST_CASE("beside links without a limit, those that have one make the busiest link and the bound") {
  // Groups of three columns: all 400 bytes cross from column 2 to column 3, over six links.
  Hardware hardware = byte_fabric(10, 6);
  hardware.link.bytes_per_s = std::nullopt;
  hardware.group_columns = 3;
  const RouteResult found = route(two_blocks(400), hardware, {.to_the_bound = true});
  CHECK(found.busiest.time_ps == close_to(100));
  CHECK(found.bound_ps <= 100 + 1e-9);
  CHECK(found.bound_ps > 4);  // what 400 bytes need at a hundred times the rate
  // The other way around: links inside groups bind, those between do not.
  hardware.link = hardware.group_link;
  hardware.group_link.bytes_per_s = std::nullopt;
  const RouteResult inside = route(two_blocks(400), hardware, {.to_the_bound = true});
  CHECK(inside.busiest.time_ps == close_to(100));
  CHECK(inside.bound_ps <= 100 + 1e-9);
}

TEST_CASE("traffic beyond the mesh and switched hardware are refused") {
  Hardware hardware = byte_fabric(8, 6);
  CHECK(test::complaint_of<RequestError>([&] { (void)route(two_blocks(4), hardware, {}); }) ==
        "b is not within the hardware's mesh");
  hardware = byte_fabric(10, 6);
  hardware.topology = Topology::switched;
  CHECK(test::complaint_of<RequestError>([&] { (void)route(two_blocks(4), hardware, {}); }) ==
        "the router takes meshes, not switched hardware");
}

TEST_CASE("a router that is stopped, whenever that is, keeps what it has") {
  // Two blocks that exchange, and ports among which a block may choose.
  Traffic traffic = two_blocks(400);
  for (const std::int64_t row : {0, 5}) {
    traffic.ports.push_back({"dram " + std::to_string(row), {0, row}, 1'000'000'000'000});
  }
  traffic.tensors.push_back(test::input("in", 0, 4'000, {0, 1}));
  const Hardware hardware = byte_fabric(10, 6);
  std::int64_t looks = 0;
  RouteOptions options;
  options.control.asked = [&] { return ++looks, false; };
  const RouteResult whole = route(traffic, hardware, options);
  REQUIRE(whole.infeasible.empty());
  REQUIRE(whole.end != RouteEnd::not_binding);
  const std::int64_t all = looks;
  std::int64_t without = 0;
  double last = std::numeric_limits<double>::infinity();
  for (std::int64_t end = 0; end <= all; ++end) {
    CAPTURE(end);
    looks = 0;
    options.control.asked = [&] { return looks++ >= end; };
    const RouteResult found = route(traffic, hardware, options);
    // From the stop on little is done: a look a step of the way out.
    CHECK(looks <= end + 20);
    if (!found.infeasible.empty()) {
      CHECK(found.end == RouteEnd::stopped);
      CHECK(std::isinf(last));
      ++without;
      continue;
    }
    CHECK(verify_routes(traffic, hardware, found.routes).empty());
    CHECK(found.busiest.time_ps >= found.bound_ps - 1e-9);
    CHECK(found.busiest.time_ps <= last + 1e-9);
    last = found.busiest.time_ps;
  }
  CHECK(without > 0);
  CHECK(without < all);
  CHECK(last == close_to(whole.busiest.time_ps));
}

TEST_CASE("links without a limit prove nothing, whatever rounding says of those of another kind") {
  // Links have none, those between groups would have one, but all tiles are of one group.
  Traffic traffic{
      {block("a", {0, 0, 1, 1}), block("b", {2, 0, 1, 1})}, {}, {test::edge("ab", 0, 1, 0)}};
  Hardware hardware = byte_fabric(3, 1);
  hardware.group_columns = 3;
  for (const std::int64_t rate :
       {std::int64_t{700'000'000'000}, std::int64_t{500'000'000'000'000'000}}) {
    hardware.link.bytes_per_s = std::nullopt;
    hardware.group_link.bytes_per_s = rate;
    for (std::int64_t bytes = 1; bytes <= 300; ++bytes) {
      traffic.tensors[0].bytes = bytes;
      REQUIRE(route(traffic, hardware, {.to_the_bound = true}).bound_ps == 0);
    }
  }
}

TEST_CASE("two tensors of one lane between the same sides do not take the same tiles") {
  // The sides have two tiles each, 100 bytes a lane: a way that carried both would need 200.
  Hardware hardware = test::byte_fabric(6, 2);
  hardware.routing.lanes_max = 1;
  Traffic traffic{{test::block("a", {0, 0, 2, 2}), test::block("b", {4, 0, 2, 2})},
                  {},
                  {test::edge("first", 0, 1, 100), test::edge("second", 0, 1, 100)}};
  traffic.period_ps = 100;
  const RouteResult found = route(traffic, hardware, {});
  REQUIRE(found.infeasible.empty());
  CHECK(found.busiest_tile.time_ps == 100);
  CHECK(found.longest_ps() == 100);
  CHECK(found.end == RouteEnd::at_bound);
}

TEST_CASE("where a tile's way out is what a sample takes longest, it is named") {
  // One tile sends to both sides: 100 bytes on each link, 200 on its way into the mesh.
  const Hardware hardware = test::byte_fabric(3, 1);
  const Traffic traffic{{test::block("a", {0, 0, 1, 1}), test::block("b", {1, 0, 1, 1}),
                         test::block("c", {2, 0, 1, 1})},
                        {},
                        {test::edge("left", 1, 0, 100), test::edge("right", 1, 2, 100)}};
  const RouteResult found = route(traffic, hardware, {});
  REQUIRE(found.infeasible.empty());
  const std::optional<Bottleneck> bound = route_bottleneck(found, traffic, hardware);
  REQUIRE(bound);
  CHECK(bound->binds.name == "tile (1, 0)");
  CHECK(bound->binds.seconds == close_to(2 * found.busiest.time_ps * 1e-12));
}

}  // namespace
}  // namespace waferloom::router
