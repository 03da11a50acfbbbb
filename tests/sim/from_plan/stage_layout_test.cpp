#include <doctest/doctest.h>

#include "model/errors.h"
#include "sim/plan_pipeline.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

Plan plan_of(std::int64_t stages, std::int64_t tiles, StageLayout layout = StageLayout::s_shape) {
  Plan plan;
  plan.pipeline = stages;
  plan.tensor = tiles;
  plan.data = 1;
  plan.layout = layout;
  return plan;
}

using Rectangles = std::vector<Rectangle>;

TEST_CASE("an S of blocks as near to squares as fit, row by row and back") {
  CHECK(lay_out_stages(plan_of(5, 4), {6, 4}, {}) ==
        Rectangles{{0, 0, 2, 2}, {2, 0, 2, 2}, {4, 0, 2, 2}, {4, 2, 2, 2}, {2, 2, 2, 2}});
  // Six blocks of 1 x 4 fit where four of 2 x 2 would: 5 x 4 tiles.
  CHECK(lay_out_stages(plan_of(5, 4), {5, 4}, {}) ==
        Rectangles{{0, 0, 1, 4}, {1, 0, 1, 4}, {2, 0, 1, 4}, {3, 0, 1, 4}, {4, 0, 1, 4}});
  CHECK(lay_out_stages(plan_of(2, 6), {6, 2}, {}) == Rectangles{{0, 0, 3, 2}, {3, 0, 3, 2}});
  CHECK(lay_out_stages(plan_of(1, 5), {5, 1}, {}) == Rectangles{{0, 0, 5, 1}});
  CHECK_THROWS_WITH_AS(lay_out_stages(plan_of(7, 4), {6, 4}, {}),
                       "7 stages of 4 tiles do not fit on a mesh of 6 x 4 in the layout s-shape",
                       RequestError);
}

TEST_CASE("within a part of a mesh stages lie as on a mesh of its size") {
  Hardware hardware;
  hardware.wafer = {12, 9};
  hardware.wafer.dead = {{0, 0, 1, 1}, {5, 3, 1, 1}};
  Plan plan = plan_of(5, 4);
  plan.within = Rectangle{4, 3, 6, 4};
  Wafer alone{6, 4};
  alone.dead = {{1, 0, 1, 1}};
  Rectangles expected = lay_out_stages(plan, alone, {});
  for (Rectangle& tiles : expected) {
    tiles.x += 4;
    tiles.y += 3;
  }
  CHECK(lay_out_stages(plan, hardware) == expected);
  // What is in the way is told by its place on the whole mesh.
  plan.pipeline = 6;
  CHECK_THROWS_WITH_AS(lay_out_stages(plan, hardware),
                       doctest::Contains("1 are dead or cut off, the first (5, 3)"),
                       InfeasibleError);
  plan.pipeline = 5;
  // Without a dead tile there, by hand.
  hardware.wafer.dead.clear();
  CHECK(lay_out_stages(plan, hardware) ==
        Rectangles{{4, 3, 2, 2}, {6, 3, 2, 2}, {8, 3, 2, 2}, {8, 5, 2, 2}, {6, 5, 2, 2}});
  plan.within = Rectangle{8, 3, 6, 4};
  CHECK_THROWS_WITH_AS(lay_out_stages(plan, hardware),
                       "within: expected a part of a mesh of 12 x 9 tiles", PlanFault);
}

TEST_CASE("blocks are the mesh's groups where those have as many tiles and are enough") {
  CHECK(lay_out_stages(plan_of(2, 4), {4, 4}, {4, 1}) == Rectangles{{0, 0, 4, 1}, {0, 1, 4, 1}});
  CHECK(lay_out_stages(plan_of(2, 4), {4, 4}, {4, 2}) == Rectangles{{0, 0, 2, 2}, {2, 0, 2, 2}});
  // Three groups of 4 x 1 do not fit on 6 x 2 tiles, three blocks of 2 x 2 do.
  CHECK(lay_out_stages(plan_of(3, 4), {6, 2}, {4, 1}) ==
        Rectangles{{0, 0, 2, 2}, {2, 0, 2, 2}, {4, 0, 2, 2}});
}

TEST_CASE("strips in a line, upright where they are as high as the mesh") {
  constexpr auto kLine = StageLayout::line;
  CHECK(lay_out_stages(plan_of(3, 8, kLine), {6, 4}, {}) ==
        Rectangles{{0, 0, 2, 4}, {2, 0, 2, 4}, {4, 0, 2, 4}});
  CHECK(lay_out_stages(plan_of(2, 12, kLine), {6, 4}, {}) ==
        Rectangles{{0, 0, 3, 4}, {3, 0, 3, 4}});
  CHECK(lay_out_stages(plan_of(4, 6, kLine), {6, 4}, {}) ==
        Rectangles{{0, 0, 6, 1}, {0, 1, 6, 1}, {0, 2, 6, 1}, {0, 3, 6, 1}});
  CHECK_THROWS_AS(lay_out_stages(plan_of(4, 8, kLine), {6, 4}, {}), RequestError);
  CHECK_THROWS_AS(lay_out_stages(plan_of(2, 5, kLine), {6, 4}, {}), RequestError);
}

TEST_CASE("blocks on dead tiles are passed over, and the next ones taken") {
  Wafer mesh{6, 4};
  mesh.dead = {{3, 1, 1, 1}};
  CHECK(lay_out_stages(plan_of(2, 4), mesh, {}) == Rectangles{{0, 0, 2, 2}, {4, 0, 2, 2}});
  CHECK(lay_out_stages(plan_of(5, 4), mesh, {}) ==
        Rectangles{{0, 0, 2, 2}, {4, 0, 2, 2}, {4, 2, 2, 2}, {2, 2, 2, 2}, {0, 2, 2, 2}});
  // A row without any clear block turns nothing round.
  mesh.dead = {{0, 0, 6, 1}};
  CHECK(lay_out_stages(plan_of(2, 4), mesh, {}) == Rectangles{{0, 2, 2, 2}, {2, 2, 2, 2}});
}

TEST_CASE("rows begin behind dead tiles where the grid has too few clear blocks") {
  Wafer mesh{7, 2};
  mesh.dead = {{2, 0, 1, 1}};
  CHECK(lay_out_stages(plan_of(2, 4), mesh, {}) == Rectangles{{0, 0, 2, 2}, {4, 0, 2, 2}});
  CHECK(lay_out_stages(plan_of(3, 4), mesh, {}) ==
        Rectangles{{0, 0, 2, 2}, {3, 0, 2, 2}, {5, 0, 2, 2}});
  const Wafer upright{2, 7, {{0, 2, 1, 1}}};
  CHECK(lay_out_stages(plan_of(3, 4), upright, {}) ==
        Rectangles{{0, 0, 2, 2}, {0, 3, 2, 2}, {0, 5, 2, 2}});
}

TEST_CASE("stages have several shapes where too few of one fit around dead tiles") {
  // Two upright ones stand beside the dead tile, a level one lies above it.
  const Wafer mesh{3, 3, {{1, 1, 1, 1}}};
  CHECK(lay_out_stages(plan_of(3, 2), mesh, {}) ==
        Rectangles{{0, 0, 1, 2}, {2, 0, 1, 2}, {0, 2, 2, 1}});
}

TEST_CASE("stages that do not fit around dead tiles are told") {
  const Wafer mesh{6, 4, {{3, 1, 1, 1}}};  // 23 tiles are left
  CHECK_THROWS_WITH_AS(lay_out_stages(plan_of(6, 4), mesh, {}),
                       "6 stages of 4 tiles do not fit on a mesh of 6 x 4 around its dead tiles in "
                       "the layout s-shape: 1 are dead or cut off, the first (3, 1)",
                       InfeasibleError);
}

TEST_CASE("strips step around dead tiles, and are long blocks where none is left") {
  constexpr auto kLine = StageLayout::line;
  const Wafer mesh{6, 4, {{3, 1, 1, 1}}};
  CHECK(lay_out_stages(plan_of(5, 4, kLine), mesh, {}) ==
        Rectangles{{0, 0, 1, 4}, {1, 0, 1, 4}, {2, 0, 1, 4}, {4, 0, 1, 4}, {5, 0, 1, 4}});
  // Level ones begin behind the dead row where upright ones do not fit.
  CHECK(lay_out_stages(plan_of(2, 6, kLine), {3, 6, {{0, 0, 1, 1}, {2, 5, 1, 1}}}, {}) ==
        Rectangles{{0, 1, 3, 2}, {0, 3, 3, 2}});
  const Wafer diagonal{4, 4, {{0, 0, 1, 1}, {1, 1, 1, 1}, {2, 2, 1, 1}, {3, 3, 1, 1}}};
  CHECK(lay_out_stages(plan_of(2, 4, kLine), diagonal, {}) ==
        Rectangles{{2, 0, 2, 2}, {0, 2, 2, 2}});
}

TEST_CASE("stages fill nodes of switched hardware, or as much of each as divides them") {
  Hardware cluster = small_fabric(4, 3);
  cluster.topology = Topology::switched;
  CHECK(lay_out_stages(plan_of(3, 4), cluster) ==
        Rectangles{{0, 0, 4, 1}, {0, 1, 4, 1}, {0, 2, 4, 1}});
  CHECK(lay_out_stages(plan_of(3, 2), cluster) ==
        Rectangles{{0, 0, 2, 1}, {2, 0, 2, 1}, {0, 1, 2, 1}});
  // Six tiles are three of two nodes.
  CHECK(lay_out_stages(plan_of(1, 6), cluster) == Rectangles{{0, 0, 3, 2}});
  CHECK_THROWS_WITH_AS(lay_out_stages(plan_of(4, 4), cluster),
                       "4 stages of 4 tiles do not fit on 3 nodes of 4 tiles", RequestError);
  CHECK_THROWS_AS(lay_out_stages(plan_of(1, 4, StageLayout::line), cluster), RequestError);
}

TEST_CASE("stages on nodes pass dead tiles over") {
  Hardware cluster = small_fabric(4, 3);
  cluster.topology = Topology::switched;
  cluster.wafer.dead = {{1, 1, 1, 1}};
  CHECK(lay_out_stages(plan_of(2, 4), cluster) == Rectangles{{0, 0, 4, 1}, {0, 2, 4, 1}});
  CHECK(lay_out_stages(plan_of(3, 2), cluster) ==
        Rectangles{{0, 0, 2, 1}, {2, 0, 2, 1}, {2, 1, 2, 1}});
  CHECK_THROWS_WITH_AS(lay_out_stages(plan_of(3, 4), cluster),
                       "3 stages of 4 tiles do not fit on 3 nodes of 4 tiles around those that are "
                       "dead",
                       RequestError);
}

}  // namespace
}  // namespace waferloom::sim
