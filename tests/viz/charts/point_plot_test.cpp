#include "viz/point_plot.h"

#include <doctest/doctest.h>

#include <cmath>

#include "model/errors.h"
#include "tests/support/occurrences.h"

using namespace waferloom;
using namespace waferloom::viz;

namespace {

PointPlot plot() {
  return {.title = "cost and time",
          .facts = "less is better",
          .x_title = "cost",
          .y_title = "time",
          .points = {{1, 40, "a=1"}, {2, 20, "a=2"}, {3, 30}, {4, 10, "a=4"}},
          .front = {0, 1, 3}};
}

}  // namespace

TEST_CASE("points of the front are circles with tooltips") {
  const std::string svg = draw_point_plot(plot(), PictureFormat::svg);
  CHECK(test::occurrences(svg, "<circle") == 3);
  for (const char* part : {"a=1", "a=2", "a=4", "cost and time", "less is better"}) {
    CHECK(test::occurrences(svg, part) >= 1);
  }
  CHECK(svg == draw_point_plot(plot(), PictureFormat::svg));
  PointPlot turned = plot();
  turned.more_x_is_better = true;
  CHECK(svg != draw_point_plot(turned, PictureFormat::svg));
}

TEST_CASE("alike points and a single one have axes, too") {
  for (const double value : {0.0, -7.0, 1e12}) {
    const PointPlot alike{.title = "t", .points = {{value, value}, {value, value}}, .front = {0}};
    CHECK(test::occurrences(draw_point_plot(alike, PictureFormat::svg), "<circle") == 1);
  }
}

TEST_CASE("what cannot be drawn is refused") {
  CHECK_THROWS_AS(draw_point_plot({.title = "t"}, PictureFormat::svg), RequestError);
  PointPlot wrong = plot();
  wrong.points[2].y = std::nan("");
  CHECK_THROWS_AS(draw_point_plot(wrong, PictureFormat::svg), RequestError);
}
