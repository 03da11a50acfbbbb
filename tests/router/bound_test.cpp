// The bound against the truth: the best of all routings of tiny meshes.

#include <doctest/doctest.h>

#include <cmath>

#include "router/route.h"
#include "router/route_bound.h"
#include "tests/router/ends_of_all.h"
#include "tests/router/every_routing.h"
#include "tests/router/random_traffic.h"
#include "tests/support/close_to.h"

namespace waferloom::router {
namespace {

using test::close_to;

TEST_CASE("the search for the truth finds what is plain by hand") {
  // a at (0, 0) to b at (2, 0), on one row: all of the bytes through each link.
  DrawnTraffic drawn{test::byte_fabric(3, 1),
                     {{test::block("a", {0, 0, 1, 1}), test::block("b", {2, 0, 1, 1})},
                      {},
                      {test::edge("ab", 0, 1, 60)}}};
  drawn.hardware.routing.lanes_max = 2;
  CHECK(EveryRouting(drawn.hardware, drawn.traffic)
            .least_ps(ends_of_all(drawn.traffic, drawn.hardware)) == close_to(60));
  // Two rows of tiles: a and b have two each, lanes go side by side.
  drawn.hardware.wafer.height = 2;
  drawn.traffic.blocks[0].tiles.height = 2;
  drawn.traffic.blocks[1].tiles.height = 2;
  CHECK(EveryRouting(drawn.hardware, drawn.traffic)
            .least_ps(ends_of_all(drawn.traffic, drawn.hardware)) == close_to(30));
  // Another tensor back takes the other directions of links; one the same way does not.
  drawn.traffic.tensors.push_back(test::edge("ba", 1, 0, 40));
  CHECK(EveryRouting(drawn.hardware, drawn.traffic)
            .least_ps(ends_of_all(drawn.traffic, drawn.hardware)) == close_to(30));
  drawn.traffic.tensors[1] = test::edge("also ab", 0, 1, 40);
  CHECK(EveryRouting(drawn.hardware, drawn.traffic)
            .least_ps(ends_of_all(drawn.traffic, drawn.hardware)) == close_to(50));
  // With (1, 1) dead all goes through (1, 0).
  drawn.hardware.wafer.dead = {{1, 1, 1, 1}};
  CHECK(EveryRouting(drawn.hardware, drawn.traffic)
            .least_ps(ends_of_all(drawn.traffic, drawn.hardware)) == close_to(100));
}

TEST_CASE("no routing of a tiny mesh has a busiest link below the bound") {
  DrawOptions options;
  options.least_side = 2;
  options.most_side = 4;
  options.most_blocks = 4;
  options.most_tensors = 3;
  int compared = 0;
  int met = 0;
  for (std::uint64_t seed = 1; compared < 3'000 && seed < 40'000; ++seed) {
    CAPTURE(seed);
    DrawnTraffic drawn = TrafficDraw(seed, options).next();
    const Wafer& wafer = drawn.hardware.wafer;
    if (wafer.width * wafer.height > 12 || drawn.traffic.tensors.empty()) continue;
    drawn.hardware.routing.lanes_max = 1 + static_cast<std::int64_t>(seed % 3);
    const std::vector<TensorEnds> ends = ends_of_all(drawn.traffic, drawn.hardware);
    const RouteResult found = route(drawn.traffic, drawn.hardware, {.to_the_bound = true});
    const double truth = EveryRouting(drawn.hardware, drawn.traffic).least_ps(ends);
    if (!found.infeasible.empty()) continue;
    ++compared;
    REQUIRE(std::isfinite(truth));
    CHECK(found.bound_ps <= truth * (1 + 1e-9));
    CHECK(route_bound(drawn.traffic, drawn.hardware).time_ps <= truth * (1 + 1e-9));
    if (found.busiest.time_ps <= truth * (1 + 1e-9)) ++met;
  }
  CHECK(compared == 3'000);
  MESSAGE("routes as good as the best of all: " << met << " of " << compared);
}

}  // namespace
}  // namespace waferloom::router
