#include "viz/roofline.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/errors.h"
#include "tests/support/close_to.h"
#include "tests/viz/canvas/picture_reader.h"

namespace waferloom::viz {
namespace {

using test::close_to;

RooflinePlot two_mappings() {
  RooflinePlot plot;
  plot.title = "a layer";
  plot.flop_per_s = 1e14;
  plot.roofs = {{"ddr", 1e11}, {"network", 5e10}};
  plot.points = {{"apart", 1e13, {100, 4000}}, {"together", 8e13, {2000, 4000}}};
  return plot;
}

test::XmlElement drawn(const RooflinePlot& plot) {
  return test::parse_xml(draw_roofline(plot, PictureFormat::svg));
}

/// The centre of a group's circle.
test::XmlElement circle_of(const test::XmlElement& group) {
  return *test::elements_named(group, "circle").front();
}

TEST_CASE("a roofline names its roofs with their rates, and its mappings with what they reach") {
  const test::XmlElement svg = drawn(two_mappings());
  for (const char* text : {"a layer", "peak", "100 TFLOP/s", "ddr", "100 GB/s", "network",
                           "50 GB/s", "a  apart", "b  together", "10 TFLOP/s", "80 TFLOP/s"}) {
    INFO(std::string(text));
    CHECK(test::has_text(svg, text));
  }
  CHECK(test::groups_of(svg, "roof").size() == 3);
  CHECK(test::groups_of(svg, "mapping").size() == 2);
}

TEST_CASE("marks stand on logarithmic axes") {
  RooflinePlot plot = two_mappings();
  plot.points.push_back({"between", std::sqrt(1e13 * 8e13), {std::sqrt(100.0 * 2000), 4000}});
  const test::XmlElement svg = drawn(plot);
  const auto groups = test::groups_of(svg, "mapping");
  REQUIRE(groups.size() == 3);
  const test::XmlElement first = circle_of(*groups[0]);
  const test::XmlElement second = circle_of(*groups[1]);
  const test::XmlElement middle = circle_of(*groups[2]);
  // Two decimals each: half a hundredth of the one in the middle and as much of the mean.
  const auto halfway = [](double a, double b) { return close_to((a + b) / 2).or_within(0.01); };
  CHECK(middle.number("cx") == halfway(first.number("cx"), second.number("cx")));
  CHECK(middle.number("cy") == halfway(first.number("cy"), second.number("cy")));
  CHECK(first.number("cx") < second.number("cx"));
  CHECK(first.number("cy") > second.number("cy"));
}

TEST_CASE("a mapping that moves nothing has no mark, a chip alone no roof of its network") {
  const double infinity = std::numeric_limits<double>::infinity();
  RooflinePlot plot = two_mappings();
  plot.roofs[1].bytes_per_s = infinity;
  plot.points = {{"alone", 1e13, {100, infinity}}, {"still", 1e14, {infinity, infinity}}};
  const test::XmlElement svg = drawn(plot);
  CHECK(test::groups_of(svg, "roof").size() == 2);
  CHECK(test::has_text(svg, "no limit"));
  const auto groups = test::groups_of(svg, "mapping");
  REQUIRE(groups.size() == 2);
  CHECK(test::elements_named(*groups[0], "circle").size() == 1);
  CHECK(test::elements_named(*groups[1], "circle").empty());
}

TEST_CASE("all formats, the same bytes each time") {
  const RooflinePlot plot = two_mappings();
  CHECK(draw_roofline(plot, PictureFormat::svg) == draw_roofline(plot, PictureFormat::svg));
  CHECK(test::png_size(draw_roofline(plot, PictureFormat::png)).width > 500);
  CHECK(draw_roofline(plot, PictureFormat::pdf).rfind("%PDF", 0) == 0);
}

TEST_CASE("what is no roofline is refused") {
  RooflinePlot plot = two_mappings();
  plot.points[0].intensities.pop_back();
  CHECK_THROWS_AS(draw_roofline(plot, PictureFormat::svg), std::logic_error);
  plot = two_mappings();
  plot.flop_per_s = 0;
  CHECK_THROWS_AS(draw_roofline(plot, PictureFormat::svg), std::logic_error);
  plot = two_mappings();
  plot.points[1].intensities[0] = 0;
  CHECK_THROWS_AS(draw_roofline(plot, PictureFormat::svg), std::logic_error);
  plot = two_mappings();
  plot.roofs[0].bytes_per_s = -1;
  CHECK_THROWS_AS(draw_roofline(plot, PictureFormat::svg), std::logic_error);
  plot = two_mappings();
  plot.points.resize(kMostRoofPoints + 1, plot.points[0]);
  CHECK_THROWS_AS(draw_roofline(plot, PictureFormat::svg), RequestError);
}

}  // namespace
}  // namespace waferloom::viz
