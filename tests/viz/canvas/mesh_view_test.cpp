#include "viz/canvas/mesh_view.h"

#include <doctest/doctest.h>

namespace waferloom::viz {
namespace {

TEST_CASE("steps are 1, 2 or 5 times a power of ten") {
  CHECK(nice_step(0.1) == 1);
  CHECK(nice_step(1) == 1);
  CHECK(nice_step(1.5) == 2);
  CHECK(nice_step(5) == 5);
  CHECK(nice_step(5.1) == 10);
  CHECK(nice_step(1001) == 2000);
}

TEST_CASE("tiles count upwards, pages downwards") {
  const MeshView view{{0, 0, 10, 20}, {100, 50}, 2};
  const Box all = frame(view);
  CHECK(all.x == 100);
  CHECK(all.y == 50);
  CHECK(all.width == 20);
  CHECK(all.height == 40);
  const Box corner = to_page(view, {0, 0, 1, 1});
  CHECK(corner.x == 100);
  CHECK(corner.y == 88);  // the lowest row of the page's part
  CHECK(corner.height == 2);
  const Box outside = to_page(view, {-1, 20, 1, 1});
  CHECK(outside.x == 98);
  CHECK(outside.y == 48);
}

}  // namespace
}  // namespace waferloom::viz
