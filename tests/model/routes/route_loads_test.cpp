#include <doctest/doctest.h>

#include <utility>

#include "model/routes.h"
#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom {
namespace {

using test::byte_fabric;
using test::close_to;
using test::RoutedCase;

TEST_CASE("an adapter's pass is its set-up and the bytes at its lanes' rate, rounded up") {
  Hardware hardware = byte_fabric(2, 2);
  hardware.adapter_setup_ps = 10;
  CHECK(adapter_pass_ps(12, hardware, 1) == 10 + 12);
  CHECK(adapter_pass_ps(12, hardware, 4) == 10 + 3);
  CHECK(adapter_pass_ps(13, hardware, 4) == 10 + 4);
  CHECK(adapter_pass_ps(0, hardware, 4) == 10);
  hardware.link.bytes_per_s = 3'000'000'000'000;
  CHECK(adapter_pass_ps(9, hardware, 1) == 10 + 3);   // no picosecond more for a rounding of 9 / 3
  CHECK(adapter_pass_ps(10, hardware, 1) == 10 + 4);  // 3.33 ps
  hardware.link.bytes_per_s = std::nullopt;
  CHECK(adapter_pass_ps(1'000'000, hardware, 1) == 10);
}

TEST_CASE("an adapter that feeds uneven lanes takes as long as the one with most bytes") {
  Hardware hardware = byte_fabric(2, 2);
  hardware.adapter_setup_ps = 10;
  const auto lanes = [](const std::vector<std::int64_t>& bytes) {
    RoutedTensor tensor{"a", 0, {}};
    for (const std::int64_t lane : bytes) {
      tensor.bytes += lane;
      tensor.lanes.push_back({{0, 0}, {1, 0}, lane, {{Direction::east, 1}}});
    }
    return tensor;
  };
  CHECK(adapter_pass_ps(lanes({4, 4, 4}), hardware) == 10 + 4);
  CHECK(adapter_pass_ps(lanes({5, 4, 4}), hardware) == 10 + 5);  // 13 bytes over 3: as even
  CHECK(adapter_pass_ps(lanes({6, 3, 3}), hardware) == 10 + 6);
  CHECK(adapter_pass_ps(lanes({}), hardware) == 0);
}

TEST_CASE("links carry the bytes of all lanes that cross them") {
  RoutedCase example;
  // A second way for half of the input, over (1, 3) and on through a: east, south, west.
  example.routes.tensors[0].lanes[0].bytes = 3;
  example.routes.tensors[0].lanes.push_back(
      {{0, 3},
       {0, 2},
       1,
       {{Direction::east, 1}, {Direction::south, 1}, {Direction::west, 1}},
       3,
       0});
  // And a lane that goes over the first of "ab" for a hop.
  example.routes.tensors[2].lanes.push_back({{3, 1}, {4, 1}, 7, {{Direction::east, 1}}, 4, 1});
  const Mesh mesh(example.hardware);
  const std::vector<std::int64_t> bytes = link_bytes_of(example.routes, mesh);
  std::vector<std::int64_t> expected(mesh.link_count(), 0);
  const auto at = [&](std::uint32_t x, std::uint32_t y, Direction direction) -> std::int64_t& {
    return expected[Mesh::link(mesh.node(x, y), direction)];
  };
  at(0, 3, Direction::south) = 3;
  at(0, 3, Direction::east) = 1;
  at(1, 3, Direction::south) = 1;
  at(1, 2, Direction::west) = 1;
  for (const std::uint32_t y : {1U, 2U}) {
    for (const std::uint32_t x : {1U, 2U, 3U}) at(x, y, Direction::east) = 5;
  }
  at(3, 1, Direction::east) = 5 + 7;
  at(5, 1, Direction::south) = 6;
  CHECK(bytes == expected);
  // Of routes the busiest link is that of their bytes, of several the first.
  for (; !example.routes.tensors.empty(); example.routes.tensors.pop_back()) {
    const BusiestLink busiest = busiest_link(example.routes, mesh);
    const BusiestLink of_bytes = busiest_link(link_bytes_of(example.routes, mesh), mesh);
    CHECK(busiest.link == of_bytes.link);
    CHECK(busiest.time_ps == of_bytes.time_ps);
  }
}

TEST_CASE("of links of routes that are as busy the first is told, whichever lane comes first") {
  const Mesh mesh(byte_fabric(4, 2));
  Routes routes;
  routes.tensors.resize(1);
  routes.tensors[0].lanes = {{{2, 1}, {3, 1}, 5, {{Direction::east, 1}}},
                             {{0, 0}, {1, 0}, 5, {{Direction::east, 1}}},
                             {{1, 1}, {2, 1}, 3, {{Direction::east, 1}}}};
  const BusiestLink even = busiest_link(routes, mesh);
  CHECK(even.link == Mesh::link(mesh.node(0, 0), Direction::east));
  CHECK(even.time_ps == close_to(5));
  std::swap(routes.tensors[0].lanes[0], routes.tensors[0].lanes[1]);
  CHECK(busiest_link(routes, mesh).link == even.link);
  routes.tensors[0].lanes[2].bytes = 6;
  CHECK(busiest_link(routes, mesh).link == Mesh::link(mesh.node(1, 1), Direction::east));
}

TEST_CASE("the busiest link is that with the longest time, not the most bytes") {
  Hardware hardware = byte_fabric(4, 2);
  std::vector<std::int64_t> bytes(32, 0);
  CHECK(busiest_link(bytes, Mesh(hardware)).time_ps == 0);
  bytes[Mesh::link(1, Direction::east)] = 30;  // from x = 1 to x = 2
  bytes[Mesh::link(5, Direction::south)] = 50;
  bytes[Mesh::link(6, Direction::south)] = 50;
  const BusiestLink even = busiest_link(bytes, Mesh(hardware));
  CHECK(even.link == Mesh::link(5, Direction::south));  // of two the first
  CHECK(even.time_ps == close_to(50));
  // Links between groups at half the rate: 30 bytes need 60 ps.
  hardware.group_columns = 2;
  hardware.group_link.bytes_per_s = 500'000'000'000;
  const BusiestLink slow = busiest_link(bytes, Mesh(hardware));
  CHECK(slow.link == Mesh::link(1, Direction::east));
  CHECK(slow.time_ps == close_to(60));
  // A kernel on (1, 0) and (1, 1) that keeps three quarters of the links between them.
  const Mesh reserved(hardware, {{{1, 0, 1, 2}}, 75});
  CHECK(busiest_link(bytes, reserved).link == Mesh::link(5, Direction::south));
  CHECK(busiest_link(bytes, reserved).time_ps == close_to(200));
}

}  // namespace
}  // namespace waferloom
