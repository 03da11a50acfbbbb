#include "router/flow/live_parts.h"

#include <doctest/doctest.h>

#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;

TEST_CASE("a mesh without anything dead is one part") {
  const LiveParts parts(Mesh(byte_fabric(4, 3)));
  CHECK(parts.is_whole());
  CHECK(parts.part(0) == parts.part(11));
}

TEST_CASE("a wall of dead tiles makes two parts, a gap joins them") {
  Hardware hardware = byte_fabric(4, 3);
  hardware.wafer.dead = {{2, 0, 1, 3}};
  const LiveParts two{Mesh(hardware)};
  CHECK_FALSE(two.is_whole());
  CHECK(two.part(0) == two.part(9));
  CHECK(two.part(3) == two.part(11));
  CHECK(two.part(0) != two.part(3));
  hardware.wafer.dead = {{2, 0, 1, 2}};
  const LiveParts live_parts{Mesh(hardware)};
  CHECK(live_parts.part(0) == live_parts.part(3));
}

TEST_CASE("a link that is dead one way joins nothing") {
  Hardware hardware = byte_fabric(3, 1);
  hardware.dead_links = {{1, 0, Direction::east}};
  const LiveParts parts{Mesh(hardware)};
  CHECK(parts.part(0) == parts.part(1));
  CHECK(parts.part(1) != parts.part(2));
}

}  // namespace
}  // namespace waferloom::router
