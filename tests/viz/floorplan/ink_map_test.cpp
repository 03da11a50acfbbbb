#include "viz/floorplan/ink_map.h"

#include <doctest/doctest.h>

namespace waferloom::viz {
namespace {

TEST_CASE("a box is clear until it meets what is drawn") {
  // A level line at y = 50 from 10 to 90, three units wide: cells from 48 to 52.5.
  const InkMap ink({0, 0, 100, 100}, {{{{10, 50}, {50, 50}, {90, 50}}, 3}}, {});
  CHECK(ink.under({10, 0, 80, 47}) == 0);
  CHECK(ink.under({10, 53, 80, 40}) == 0);
  CHECK(ink.under({10, 45, 80, 10}) > 0);
  CHECK(ink.under({0, 40, 6, 20}) == 0);
  CHECK(ink.under({93, 40, 7, 20}) == 0);
}

TEST_CASE("a box counts the cells that it shares with boxes, each once") {
  // 30 × 30 units are 20 × 20 cells; half of the box asked for lies on them.
  const InkMap ink({0, 0, 90, 90}, {}, {{30, 30, 30, 30}, {30, 30, 30, 30}});
  CHECK(ink.under({0, 0, 90, 90}) == 400);
  CHECK(ink.under({45, 30, 30, 30}) == 200);
  CHECK(ink.under({60, 30, 30, 30}) == 0);
  CHECK(ink.under({-500, -500, 20, 20}) == 0);
}

TEST_CASE("blocks count on top of what is drawn") {
  InkMap ink({0, 0, 90, 90}, {}, {});
  CHECK(ink.under({0, 0, 90, 90}) == 0);
  ink.block({30, 30, 15, 15});  // 10 × 10 cells
  CHECK(ink.under({0, 0, 90, 90}) == 100);
  CHECK(ink.under({0, 0, 30, 90}) == 0);
}

TEST_CASE("the area need not begin at the corner of the page") {
  const InkMap ink({100, 200, 60, 60}, {}, {{130, 230, 15, 15}});
  CHECK(ink.under({130, 230, 15, 15}) == 100);
  CHECK(ink.under({30, 30, 15, 15}) == 0);
}

}  // namespace
}  // namespace waferloom::viz
