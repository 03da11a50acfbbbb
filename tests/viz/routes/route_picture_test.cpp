#include "viz/route_picture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/viz/canvas/picture_reader.h"

namespace waferloom::viz {
namespace {

constexpr std::int64_t kSide = 76;  // tiles of ten page units

/// Two blocks of 10 x 20 tiles, 10 tiles apart, on a mesh of 76 x 76, three neighbouring lanes
/// between them, one in from the west side, one out to it.
struct Sample {
  Traffic traffic;
  Routes routes;

  Sample() {
    traffic.blocks = {{"a", {10, 10, 10, 20}}, {"b & c", {30, 10, 10, 20}}};
    traffic.ports = {{"p", {0, 12}, std::nullopt}};
    traffic.period_ps = 1'000;
    add({"a -> b & c", TensorKind::edge, 0, 1, 300});
    for (const std::int64_t y : {20, 21, 22}) {
      lane({{19, y}, {30, y}, 100, {{Direction::east, 11}}, y - 20});
    }
    add({"x -> a", TensorKind::input, TrafficTensor::kOutside, 0, 10});
    lane({{0, 12}, {10, 12}, 10, {{Direction::east, 10}}, 0, 0});
    add({"b & c -> y", TensorKind::output, 1, TrafficTensor::kOutside, 0});
  }

  void add(const TrafficTensor& tensor) {
    traffic.tensors.push_back(tensor);
    routes.tensors.push_back({tensor.name, tensor.bytes, {}});
  }
  void lane(const RoutedLane& lane) { routes.tensors.back().lanes.push_back(lane); }

  RoutePicture picture() const { return {{kSide, kSide}, {}, traffic, routes}; }
};

std::vector<double> no_loads() {
  return std::vector<double>(static_cast<std::size_t>(4 * kSide * kSide), 0);
}

test::XmlElement drawn(const RoutePicture& picture) {
  return test::parse_xml(draw_routes(picture, PictureFormat::svg));
}

/// The groups of class "tensor" by their tooltips, and what is in them.
std::string tooltip(const test::XmlElement& group) {
  return test::elements_named(group, "title").front()->text;
}

/// Whether a path of boxes among a group's holds one of this size.
bool has_box(const test::XmlElement& group, const std::string& size) {
  const auto paths = test::elements_named(group, "path");
  return std::any_of(paths.begin(), paths.end(), [&](const test::XmlElement* path) {
    return path->attributes.at("d").find(size) != std::string::npos;
  });
}

TEST_CASE("each tensor with lanes is one group with a tooltip, and as wide as its lanes") {
  const Sample sample;
  const auto svg = drawn(sample.picture());
  const auto groups = test::groups_of(svg, "tensor");
  REQUIRE(groups.size() == 2);  // "b & c -> y" has no lanes
  CHECK(tooltip(*groups[0]) == "a → b & c: 3 lanes in 1 bundle, at most 11 hops, 300 B a sample");
  CHECK(tooltip(*groups[1]) == "x → a: 1 lane in 1 bundle, at most 10 hops, 10 B a sample");
  CHECK(has_box(*groups[0], "h120v30h"));  // twelve tiles of ten units by three
  CHECK(has_box(*groups[1], "h110v10h"));
  for (const test::XmlElement* group : groups) {
    CHECK(test::elements_named(*group, "polygon").size() == 1);  // the arrowhead
  }
  CHECK(test::has_text(svg, "a → b & c"));
  CHECK(test::has_text(svg, "b & c"));  // the block's name
  CHECK(test::elements_named(svg, "title").front()->text == "Routes of ");
}

TEST_CASE("a pale band joins lanes that are a little apart, not those far from each other") {
  Sample sample;
  RoutedLane& upper = sample.routes.tensors[0].lanes[2];
  RoutePicture picture = sample.picture();
  picture.mesh = {2 * kSide, 2 * kSide};  // a tile is five units, twelve are bridged
  for (const std::int64_t row : {23, 24}) {
    CAPTURE(row);
    upper.from.y = row;
    upper.to.y = row;
    const auto svg = drawn(picture);
    const auto groups = test::groups_of(svg, "tensor");
    CHECK(has_box(*groups[0], "h60v10h"));  // rows 20 and 21
    CHECK(has_box(*groups[0], "h60v5h"));
    CHECK(has_box(*groups[0], "h60v20h") == (row == 23));  // rows 20 to 23
  }
}

TEST_CASE("ports in use are marked beyond the mesh") {
  const Sample sample;
  const auto svg = drawn(sample.picture());
  const auto ports = test::groups_of(svg, "ports");
  REQUIRE(ports.size() == 1);
  CHECK(test::elements_named(*ports[0], "polygon").size() == 1);
  CHECK(test::has_text(svg, "in"));
  CHECK_FALSE(test::has_text(svg, "out"));
}

TEST_CASE("the legend names twelve tensors, and counts the others with their lanes") {
  Sample sample;
  for (int i = 0; i < 14; ++i) {
    sample.add({"t" + std::to_string(i) + " -> u", TensorKind::edge, 0, 1, 500 - i});
    sample.lane({{19, 12 + i}, {30, 12 + i}, 500 - i, {{Direction::east, 11}}});
    sample.lane({{19, 40 + i}, {30, 40 + i}, 0, {{Direction::east, 11}}});
  }
  const auto svg = drawn(sample.picture());
  CHECK(test::groups_of(svg, "tensor").size() == 16);
  CHECK(test::has_text(svg, "t0 → u"));
  CHECK(test::has_text(svg, "t11 → u"));
  CHECK_FALSE(test::has_text(svg, "t12 → u"));
  CHECK(
      test::has_text(svg, "4 others"));  // of two lanes each t12 and t13, of three and one the rest
  CHECK(test::has_text(svg, "8"));
}

TEST_CASE("maps of loads say which link is the busiest, on one scale") {
  const Sample sample;
  RoutePicture picture = sample.picture();
  picture.title = "case";
  picture.loads = {{"before", no_loads()}, {"after", no_loads()}};
  picture.loads[0].busy[4 * 3 + 2] = 2.5;                               // (3, 0) to the north
  picture.loads[1].busy[static_cast<std::size_t>(4 * kSide)] = 0.3125;  // (0, 1) to the east
  const std::string text = draw_routes(picture, PictureFormat::svg);
  const auto svg = test::parse_xml(text);
  CHECK(test::has_text(svg, "Routes of case"));
  CHECK(test::has_text(svg,
                       "2 tensors in 4 lanes · busiest link 0.312 of the slowest stage's time, "
                       "before 2.5"));
  CHECK(test::has_text(svg, "before"));
  CHECK(test::has_text(svg, "busiest link 2.5 of the slowest stage: north of tile (3, 0)"));
  CHECK(test::has_text(svg, "busiest link 0.312 of the slowest stage: east of tile (0, 1)"));
  CHECK(test::groups_of(svg, "busiest").size() == 2);
  CHECK(test::groups_of(svg, "loads").size() == 2);
  // Up to 5, and up to 0.5: at the load, and in the legend.
  const auto count = [&](const std::string& colour) {
    std::size_t number = 0;
    for (auto at = text.find(colour); at != std::string::npos; at = text.find(colour, at + 1)) {
      ++number;
    }
    return number;
  };
  CHECK(count("#bd0026") == 2);
  CHECK(count("#fc4e2a") == 2);
  CHECK(count("#6a001a") == 1);
  picture.loads = {{"idle", no_loads()}};
  CHECK(test::has_text(drawn(picture), "no link carries anything"));
}

TEST_CASE("dead tiles and links are drawn on the plan and on every map") {
  const Sample sample;
  RoutePicture picture = sample.picture();
  CHECK(test::groups_of(drawn(picture), "dead").empty());
  picture.mesh.dead = {{50, 50, 3, 2}};
  picture.dead_links = {{2, 2, Direction::east}};
  picture.loads = {{"before", no_loads()}, {"after", no_loads()}};
  const auto svg = drawn(picture);
  CHECK(test::groups_of(svg, "dead").size() == 3);
  CHECK(test::groups_of(svg, "dead-links").size() == 3);
  CHECK(test::has_text(svg, "dead tiles"));
}

TEST_CASE("all formats come out, the same bytes every time, on meshes of any shape") {
  const Sample sample;
  RoutePicture picture = sample.picture();
  picture.loads = {{"after", no_loads()}};
  for (const PictureFormat format : {PictureFormat::svg, PictureFormat::png, PictureFormat::pdf}) {
    const std::string bytes = draw_routes(picture, format);
    CHECK(bytes.size() > 2'000);
    CHECK(bytes == draw_routes(picture, format));
  }
  Traffic traffic;
  const Routes routes;
  traffic.blocks = {{"only", {0, 0, 1, 1}}};
  for (const Wafer& mesh : {Wafer{1, 1}, Wafer{400, 3}, Wafer{3, 400}}) {
    const std::vector<double> busy(static_cast<std::size_t>(4 * mesh.width * mesh.height), 0);
    const RoutePicture bare{mesh, {}, traffic, routes, {}, {{"after", busy}}};
    CHECK(test::groups_of(drawn(bare), "tensor").empty());
  }
}

TEST_CASE("values that do not belong together are refused") {
  const Sample sample;
  RoutePicture tints = sample.picture();
  tints.tints = {kInk};
  CHECK_THROWS_AS(draw_routes(tints, PictureFormat::svg), std::logic_error);
  RoutePicture loads = sample.picture();
  loads.loads = {{"after", {1, 2}}};
  CHECK_THROWS_AS(draw_routes(loads, PictureFormat::svg), std::logic_error);
  const Routes none;
  const RoutePicture routes{{kSide, kSide}, {}, sample.traffic, none};
  CHECK_THROWS_AS(draw_routes(routes, PictureFormat::svg), std::logic_error);
}

}  // namespace
}  // namespace waferloom::viz
