#include "planner/dfmodel/systems/network_times.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "model/errors.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

using Kind = CollectiveKind;
using Topology = DimensionTopology;

/// 8 chips, 1 GB/s, steps of a microsecond.
NetworkDimension dimension(Topology topology, std::int64_t size = 8) {
  NetworkDimension result;
  result.topology = topology;
  result.size = size;
  result.link_bytes_per_s = 1e9;
  result.latency_s = 1e-6;
  return result;
}

/// Microseconds for 8,000 bytes: 8 at the rate of a link.
double time(Kind kind, const std::vector<NetworkDimension>& dimensions) {
  return collective_rate(kind, dimensions).seconds(8000) * 1e6;
}

TEST_CASE("rounds of doubling") {
  CHECK(doubling_rounds(1) == 0);
  CHECK(doubling_rounds(2) == 1);
  CHECK(doubling_rounds(3) == 2);
  CHECK(doubling_rounds(1024) == 10);
  CHECK(doubling_rounds(1025) == 11);
}

TEST_CASE("all-reduce on a ring") {
  CHECK(time(Kind::all_reduce, {dimension(Topology::ring)}) == close_to(14 + 14));
  CHECK(time(Kind::reduce_scatter, {dimension(Topology::ring)}) == close_to(7 + 7));
  CHECK(time(Kind::all_gather, {dimension(Topology::ring)}) == close_to(7 + 7));
  // A link carries P/8 = 1 times 8,000 bytes, more than the 7/8 that a chip sends.
  CHECK(time(Kind::all_to_all, {dimension(Topology::ring)}) == close_to(4 + 8));
  CHECK(time(Kind::all_to_all, {dimension(Topology::ring, 4)}) == close_to(2 + 6));
  CHECK(time(Kind::broadcast, {dimension(Topology::ring)}) == close_to(7 + 8));
  CHECK(time(Kind::reduce, {dimension(Topology::ring)}) == close_to(7 + 8));
  // DFModel, Proj of GPT-3 on 8 SN10: 1,761,607.68 ns.
  NetworkDimension sn10 = dimension(Topology::ring);
  sn10.link_bytes_per_s = 50e9;
  sn10.latency_s = 0;
  CHECK(collective_rate(Kind::all_reduce, sn10).seconds(50331648) ==
        close_to(1761607.68e-9).within(1e-12));
}

TEST_CASE("all-reduce on a line") {
  CHECK(time(Kind::all_reduce, {dimension(Topology::line)}) == close_to(14 + 28));
  CHECK(time(Kind::all_to_all, {dimension(Topology::line)}) == close_to(7 + 16));
  CHECK(time(Kind::broadcast, {dimension(Topology::line)}) == close_to(7 + 8));
  // Three chips: from the ends 2/3 of 8,000 bytes through each link of the middle chip.
  CHECK(time(Kind::all_to_all, {dimension(Topology::line, 3)}) == close_to(2 + 16.0 / 3));
  for (const Kind kind : {Kind::all_reduce, Kind::all_to_all, Kind::broadcast}) {
    CHECK(time(kind, {dimension(Topology::line, 2)}) == time(kind, {dimension(Topology::ring, 2)}));
  }
}

TEST_CASE("all-reduce where all are connected") {
  CHECK(time(Kind::all_reduce, {dimension(Topology::fully_connected)}) == close_to(2 + 2));
  CHECK(time(Kind::all_gather, {dimension(Topology::fully_connected)}) == close_to(1 + 1));
  CHECK(time(Kind::all_to_all, {dimension(Topology::fully_connected)}) == close_to(1 + 1));
  CHECK(time(Kind::broadcast, {dimension(Topology::fully_connected)}) == close_to(2 + 2));
}

TEST_CASE("all-reduce through a switch") {
  CHECK(time(Kind::all_reduce, {dimension(Topology::switched)}) == close_to(6 + 14));
  CHECK(time(Kind::all_to_all, {dimension(Topology::switched)}) == close_to(1 + 7));
  CHECK(time(Kind::all_reduce, {dimension(Topology::switched, 5)}) == close_to(6 + 2 * 0.8 * 8));
}

TEST_CASE("all-reduce on a torus") {
  // A ring of 4 with everything, a ring of 2 with a quarter: 2 (3/4 + 1/8) 8.
  const std::vector<NetworkDimension> torus{dimension(Topology::ring, 4),
                                            dimension(Topology::ring, 2)};
  CHECK(time(Kind::all_reduce, torus) == close_to(8 + 14));
  CHECK(time(Kind::all_to_all, torus) == close_to(2 + 6 + 1 + 4));
  CHECK(time(Kind::broadcast, torus) == close_to(3 + 8 + 1 + 8));
  // In all a chip sends 2 (P-1)/P of its bytes, however the torus is cut.
  const CollectiveRate three = collective_rate(
      Kind::all_reduce,
      std::vector<NetworkDimension>{dimension(Topology::ring, 16), dimension(Topology::ring, 8),
                                    dimension(Topology::ring, 8)});
  CHECK(three.seconds_per_byte == close_to(2 * 1023.0 / 1024 / 1e9));
  CHECK(three.latency_s == close_to(2 * (15 + 7 + 7) * 1e-6));
}

TEST_CASE("all-reduce on a dragonfly") {
  const std::vector<NetworkDimension> dragonfly{dimension(Topology::fully_connected, 4),
                                                dimension(Topology::fully_connected, 2)};
  CHECK(time(Kind::all_reduce, dragonfly) == close_to(4 + 2 * (2 + 1)));
  CHECK(time(Kind::all_to_all, dragonfly) == close_to(2 + 2 + 4));
}

TEST_CASE("nothing is sent on one chip, and neighbours send at the rate of a link") {
  CHECK(collective_rate(Kind::all_reduce, std::vector<NetworkDimension>{}) == CollectiveRate{});
  CHECK(collective_rate(Kind::all_to_all, dimension(Topology::switched, 1)) == CollectiveRate{});
  CHECK(point_to_point_rate(dimension(Topology::ring)).seconds(8000) == close_to(9e-6));
  CHECK(point_to_point_rate(dimension(Topology::ring, 1)) == CollectiveRate{});
  NetworkDimension none = dimension(Topology::ring);
  none.link_bytes_per_s = 0;
  CHECK_THROWS_AS(collective_rate(Kind::all_reduce, none), RequestError);
  none.size = 0;
  CHECK_THROWS_AS(collective_rate(Kind::all_reduce, none), std::logic_error);
}

TEST_CASE(
    "all-reduce on a mesh group of 3 x 3, and others: rings where there is a cycle, else lines") {
  const auto topology = [](std::int64_t width, std::int64_t height) {
    const NetworkDimension group = mesh_group(width, height, {.bytes_per_s = 1e9, .latency_s = 0});
    CHECK(group.size == width * height);
    return group.topology;
  };
  CHECK(topology(2, 2) == Topology::ring);
  CHECK(topology(3, 4) == Topology::ring);
  CHECK(topology(2, 1) == Topology::ring);
  CHECK(topology(3, 3) == Topology::line);
  CHECK(topology(8, 1) == Topology::line);
  CHECK(topology(1, 1) == Topology::ring);
  const double ring =
      collective_rate(Kind::all_reduce, mesh_group(4, 2, {.bytes_per_s = 1e9, .latency_s = 0}))
          .seconds(8000);
  const double line =
      collective_rate(Kind::all_reduce, mesh_group(8, 1, {.bytes_per_s = 1e9, .latency_s = 0}))
          .seconds(8000);
  CHECK(line == close_to(2 * ring));
  CHECK_THROWS_AS(mesh_group(0, 3, {.bytes_per_s = 1e9, .latency_s = 0}), std::logic_error);
}

}  // namespace
}  // namespace waferloom::planner
