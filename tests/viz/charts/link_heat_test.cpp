#include "viz/charts/link_heat.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace waferloom::viz {
namespace {

TEST_CASE("steps of one size end at the most, and nothing has no step") {
  const HeatScale scale = even_scale(4);
  CHECK(scale.step_of(0) == -1);
  CHECK(scale.step_of(0.5) == 0);
  CHECK(scale.step_of(0.51) == 1);
  CHECK(scale.step_of(3.5) == 6);
  CHECK(scale.step_of(4) == 7);
}

TEST_CASE("the scale of limits has a step that ends at 1, and one for all above 5") {
  const HeatScale scale = limit_scale();
  CHECK(scale.step_of(0) == -1);
  CHECK(scale.step_of(1e-9) == 0);
  CHECK(scale.step_of(0.02) == 0);
  CHECK(scale.step_of(0.5) == 4);
  CHECK(scale.step_of(1) == 5);
  CHECK(scale.step_of(1.0001) == 6);
  CHECK(scale.step_of(5) == 6);
  CHECK(scale.step_of(1e9) == 7);
}

TEST_CASE("the busiest link has a name, of several the first; loads are four a tile") {
  const Wafer mesh{3, 2};
  std::vector<double> loads(24, 0);
  loads[4 * 4 + 2] = 0.5;  // tile (1, 1) to the north
  loads[4 * 5 + 1] = 0.5;
  const LinkHeat heat{mesh, loads};
  CHECK(heat.most() == 0.5);
  CHECK(heat.name_of(heat.busiest()) == "link north of tile (1, 1)");
  CHECK_NOTHROW(check(heat));
  loads.pop_back();
  CHECK_THROWS_AS(check(heat), std::logic_error);
}

}  // namespace
}  // namespace waferloom::viz
