#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/mesh.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

using test::complaint_of;

/// A wall at x = 20 of 60 x 30 tiles.
Hardware walled() {
  Hardware hardware;
  hardware.name = "walled";
  hardware.wafer = {60, 30, {{20, 0, 1, 30}}};
  return hardware;
}

TEST_CASE("what needs a dead tile, or joins what is cut off, names the tile") {
  const LivingCheck check(walled());
  check.demand_live("a", {0, 0, 20, 30});
  check.demand_joined("a", {0, 0, 2, 2}, "b", {18, 28, 2, 2});
  CHECK(complaint_of<InfeasibleError>([&] {
          check.demand_live("stage a", {18, 4, 4, 2});
        }) == "stage a needs tile (20, 4) of walled, which is dead");
  CHECK(complaint_of<InfeasibleError>([&] {
          check.demand_joined("a", {0, 0, 2, 2}, "b", {30, 5, 2, 2});
        }) ==
        "no way from a to b: what is dead cuts tile (0, 0) off from tile (30, 5) of "
        "walled");
}

TEST_CASE("tiles of a rectangle that dead links part are told too") {
  Hardware hardware;
  hardware.name = "line";
  hardware.wafer = {3, 1};
  hardware.dead_links = {{1, 0, Direction::east}};
  CHECK(complaint_of<InfeasibleError>([&] {
          LivingCheck(hardware).demand_live("a", {0, 0, 3, 1});
        }) == "a needs tile (2, 0) of line, which what is dead cuts off from its tile (0, 0)");
}

TEST_CASE("switches join all tiles that live") {
  Hardware hardware = walled();
  hardware.topology = Topology::switched;
  LivingCheck(hardware).demand_joined("a", {0, 0, 2, 2}, "b", {30, 5, 2, 2});
}

}  // namespace
}  // namespace waferloom
