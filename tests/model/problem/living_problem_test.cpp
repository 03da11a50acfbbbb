#include <doctest/doctest.h>

#include "model/mesh.h"
#include "model/placement.h"
#include "tests/support/chain_placement.h"

namespace waferloom {
namespace {

/// A wall at x = 20 of 60 x 30 tiles.
Hardware walled() {
  Hardware hardware;
  hardware.name = "walled";
  hardware.wafer = {60, 30, {{20, 0, 1, 30}}};
  return hardware;
}

TEST_CASE("a problem keeps to the largest part, and to tiles that live on the hardware") {
  const Problem problem = test::chain_with_skip();
  REQUIRE(problem.wafer().width == 60);
  Hardware whole = walled();
  whole.wafer.dead.clear();
  CHECK(joined_problem(problem, whole).wafer() == problem.wafer());
  // 39 columns are left of 60: those behind the wall.
  const Problem joined = joined_problem(problem, walled());
  CHECK(usable_tiles(joined.wafer()) == 39 * 30);
  CHECK(is_clear(joined.wafer(), {21, 0, 39, 30}));
  // Dead tiles of the case count as those of the hardware do.
  ProblemData data = problem.data();
  data.wafer.dead = walled().wafer.dead;
  const Problem own(data);
  CHECK(usable_tiles(joined_problem(own, whole).wafer()) == 39 * 30);
  // Kernels that nothing joins may lie on both sides.
  data.connections.clear();
  data.terminal_connections.clear();
  CHECK(usable_tiles(joined_problem(Problem(data), whole).wafer()) == 59 * 30);
}

}  // namespace
}  // namespace waferloom
