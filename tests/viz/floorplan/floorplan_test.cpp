#include "viz/floorplan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "model/placement.h"
#include "tests/viz/canvas/picture_reader.h"
#include "tests/viz/floorplan/sample_plans.h"

namespace waferloom::viz {
namespace {

using test::elements_named;
using test::grid_plan;
using test::groups_of;
using test::has_text;
using test::parse_xml;
using test::sample_plan;
using test::SamplePlan;
using test::two_small_kernels;
using test::XmlElement;

constexpr PictureFormat kFormats[] = {PictureFormat::svg, PictureFormat::png, PictureFormat::pdf};
const FloorplanOptions kBySlack{FloorplanOptions::Colour::slack};
constexpr double kHundredth = 0.0101;  // SVG coordinates have two decimals

XmlElement svg_of(const SamplePlan& plan, const FloorplanOptions& options = {}) {
  return parse_xml(draw_floorplan(plan.problem, plan.placement, PictureFormat::svg, options));
}

/// The rectangles of all drawn kernels, in order.
std::vector<const XmlElement*> kernel_boxes(const XmlElement& svg) {
  std::vector<const XmlElement*> boxes;
  for (const XmlElement* group : groups_of(svg, "kernel")) {
    const auto rects = elements_named(*group, "rect");
    REQUIRE(rects.size() == 1);
    boxes.push_back(rects[0]);
  }
  return boxes;
}

/// Stroke of each edge's shaft.
std::vector<std::string> edge_strokes(const XmlElement& svg) {
  std::vector<std::string> strokes;
  for (const XmlElement* group : groups_of(svg, "edge")) {
    strokes.push_back(elements_named(*group, "path").at(1)->attributes.at("stroke"));
  }
  return strokes;
}

/// How far the control point of each level edge lies below its beginning.
std::vector<double> edge_rises(const XmlElement& svg) {
  std::vector<double> rises;
  for (const XmlElement* group : groups_of(svg, "edge")) {
    std::string path = elements_named(*group, "path").at(1)->attributes.at("d");
    for (char& c : path) {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == ',') c = ' ';
    }
    std::istringstream numbers(path);
    double x = 0;
    double y = 0;
    double control_x = 0;
    double control_y = 0;
    numbers >> x >> y >> control_x >> control_y;
    rises.push_back(control_y - y);
  }
  return rises;
}

bool is_marked(const XmlElement& box) { return box.attributes.at("stroke") == hex(kAlarm); }

bool contains_text(const XmlElement& svg, const std::string& part) {
  return !test::find_all(svg, [&](const XmlElement& element) {
            return element.name == "text" && element.text.find(part) != std::string::npos;
          }).empty();
}

TEST_CASE("each kernel is one rectangle, to scale, with the origin at the lower left") {
  const SamplePlan plan = sample_plan(16, {633, 633});
  const XmlElement svg = svg_of(plan);
  const auto boxes = kernel_boxes(svg);
  REQUIRE(boxes.size() == 16);
  const double pitch = 760.0 / 633;
  const double left = boxes[0]->number("x");
  const double bottom = boxes[0]->number("y") + boxes[0]->number("height");
  REQUIRE(plan.placement.kernels[0].x == 0);
  REQUIRE(plan.placement.kernels[0].y == 0);
  for (KernelIndex i = 0; i < 16; ++i) {
    CAPTURE(i);
    const Rectangle tiles = rectangle(plan.problem.kernel(i), plan.placement.kernels[i]);
    const double x = boxes[i]->number("x") - left;
    const double y = bottom - boxes[i]->number("y") - boxes[i]->number("height");
    CHECK(std::abs(x - double(tiles.x) * pitch) < 2 * kHundredth);
    CHECK(std::abs(y - double(tiles.y) * pitch) < 4 * kHundredth);
    CHECK(std::abs(boxes[i]->number("width") - double(tiles.width) * pitch) < kHundredth);
    CHECK(std::abs(boxes[i]->number("height") - double(tiles.height) * pitch) < kHundredth);
    CHECK(boxes[i]->attributes.at("fill") == hex(type_colour(plan.problem.kernel(i).formal)));
  }
}

/// The names beside the mesh, without what follows them.
std::vector<std::string> names_beside(const XmlElement& svg) {
  std::vector<std::string> names;
  for (const XmlElement* group : groups_of(svg, "outside-labels")) {
    for (const XmlElement* text : elements_named(*group, "text")) {
      names.push_back(text->text.substr(0, text->text.find(' ')));
    }
  }
  return names;
}

TEST_CASE("every kernel has its name, inside or beside the mesh, at 16 and at 100 kernels") {
  for (const std::size_t kernels : {std::size_t{16}, std::size_t{100}}) {
    const SamplePlan plan = sample_plan(kernels, {633, 633});
    const XmlElement svg = svg_of(plan);
    const auto boxes = kernel_boxes(svg);
    const auto labels = groups_of(svg, "labels");
    REQUIRE(labels.size() == 1);
    const std::vector<std::string> beside = names_beside(svg);
    for (KernelIndex i = 0; i < kernels; ++i) {
      const std::string& name = plan.problem.kernels()[i].name;
      CAPTURE(name);
      const auto names = test::find_all(
          *labels[0], [&](const XmlElement& element) { return element.text == name; });
      REQUIRE(names.size() + std::size_t(std::count(beside.begin(), beside.end(), name)) == 1);
      if (names.empty() || names[0]->attributes.contains("transform")) continue;
      CHECK(names[0]->number("x") >= boxes[i]->number("x"));
      CHECK(names[0]->number("x") + names[0]->number("textLength") <=
            boxes[i]->number("x") + boxes[i]->number("width"));
      CHECK(names[0]->number("y") - 0.7 * names[0]->number("font-size") >= boxes[i]->number("y"));
      CHECK(names[0]->number("y") <= boxes[i]->number("y") + boxes[i]->number("height"));
    }
    CHECK(!has_text(svg, "too small for their names"));
  }
}

TEST_CASE("sizes stand below the names where they can be read") {
  const SamplePlan plan = sample_plan(16, {633, 633});
  const XmlElement svg = svg_of(plan);
  for (KernelIndex i = 0; i < 16; ++i) {
    const Rectangle tiles = rectangle(plan.problem.kernel(i), plan.placement.kernels[i]);
    CHECK(has_text(*groups_of(svg, "labels")[0],
                   std::to_string(tiles.width) + "×" + std::to_string(tiles.height)));
  }
}

TEST_CASE("no name or size is smaller than nine pixels of a picture 1,600 wide") {
  for (const SamplePlan& plan : {sample_plan(100, {633, 633}), grid_plan(150, {2500, 2500})}) {
    const XmlElement svg = svg_of(plan);
    for (const char* group : {"labels", "outside-labels"}) {
      for (const XmlElement* part : groups_of(svg, group)) {
        for (const XmlElement* text : elements_named(*part, "text")) {
          const bool is_mark = text->text == "in" || text->text == "out";
          const double pixels = text->number("font-size") * 1600 / svg.number("width");
          CHECK((is_mark || pixels >= 8.5));
        }
      }
    }
  }
}

TEST_CASE("a tall thin kernel is named upwards, one that is too thin and a speck beside the mesh") {
  SamplePlan plan = two_small_kernels({633, 633}, {"convolution_a", "b"});
  auto& tall = plan.placement.kernels[0];
  tall.execution.h = tall.execution.w = tall.execution.c[0] = 4;  // 3 × 80 tiles
  plan.placement.kernels[1].x = 600;                              // 3 × 2 tiles
  const XmlElement svg = svg_of(plan);
  // 3 tiles are 3.6 units: no room across.
  CHECK(elements_named(*groups_of(svg, "labels")[0], "text").empty());
  CHECK(has_text(svg, "convolution_a  3×80"));
  CHECK(has_text(svg, "b  3×2"));
  const SamplePlan small = [&] {
    SamplePlan copy = two_small_kernels({300, 300}, {"convolution_a", "b"});
    copy.placement = plan.placement;
    copy.placement.kernels[1].x = 290;
    return copy;
  }();
  const XmlElement closer = svg_of(small);
  const auto found = elements_named(*groups_of(closer, "labels")[0], "text");
  REQUIRE(!found.empty());
  CHECK(found[0]->text == "convolution_a");
  CHECK(found[0]->attributes.at("transform").ends_with("rotate(-90)"));
  CHECK(names_beside(closer) == std::vector<std::string>{"b"});
}

TEST_CASE("names keep clear of arrows where there is room") {
  // The edge from the lower left kernel to the upper right one runs through where k2 would be
  // named.
  SamplePlan plan = grid_plan(4, {96, 128});
  ProblemData data = plan.problem.data();
  data.connections = {{0, 3, {4, 4, 16}}};
  const XmlElement svg = svg_of({Problem(std::move(data)), plan.placement});
  const XmlElement* shaft = elements_named(*groups_of(svg, "edge")[0], "path").at(1);
  std::string path = shaft->attributes.at("d");
  for (char& c : path) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == ',') c = ' ';
  }
  std::istringstream numbers(path);
  Curve curve;
  numbers >> curve.from.x >> curve.from.y >> curve.control.x >> curve.control.y >> curve.to.x >>
      curve.to.y;
  for (const XmlElement* text : elements_named(*groups_of(svg, "labels")[0], "text")) {
    const double left = text->number("x");
    const double right = left + text->number("textLength");
    const double bottom = text->number("y");
    const double top = bottom - 0.73 * text->number("font-size");
    for (int i = 0; i <= 200; ++i) {
      const Point at = point_at(curve, i / 200.0);
      CHECK_FALSE((at.x > left && at.x < right && at.y > top && at.y < bottom));
    }
  }
}

TEST_CASE("title and score are those of the judge") {
  const SamplePlan plan = sample_plan(16, {633, 633});
  const XmlElement svg = svg_of(plan);
  const Score score = waferloom::score(plan.problem, plan.placement);
  const CostModel costs(plan.problem);
  CHECK(has_text(svg, plan.problem.name()));
  CHECK(has_text(svg, "time " + time_text(plan.problem, score.time) + " units · distance " +
                          distance_text(score.half_distance) + " tiles · adapter " +
                          std::to_string(score.adapter) + " mismatches · total " +
                          total_text(costs, costs.total(score))));
  CHECK(contains_text(svg,
                      "total = 1 × time + 1 × distance + 10 × adapter, time in the units of "
                      "the case"));
}

TEST_CASE("the small print names the files") {
  FloorplanOptions options;
  options.source = "P.kgraph, P.sol";
  CHECK(contains_text(svg_of(grid_plan(3, {200, 200}), options), "P.kgraph, P.sol · 3 kernels, "));
}

TEST_CASE("utilisation is of the tiles that work") {
  ProblemData data = two_small_kernels({6, 5}).problem.data();
  data.wafer.dead = {{0, 4, 6, 1}};  // the top row: 12 of 24 tiles are under kernels
  const SamplePlan plan{Problem(data), two_small_kernels({6, 5}).placement};
  CHECK(has_text(svg_of(plan), "50 %"));
  data.wafer.dead = {{0, 0, 6, 5}};
  CHECK(has_text(svg_of({Problem(data), plan.placement}), "100 %"));
}

TEST_CASE("utilisation is the share of tiles under kernels") {
  CHECK(has_text(svg_of(two_small_kernels({6, 4})), "50 %"));
  CHECK(has_text(svg_of(grid_plan(4, {96, 128})), "100 %"));
  SamplePlan doubled = two_small_kernels({6, 4});
  doubled.placement.kernels[1].x = 0;
  CHECK(has_text(svg_of(doubled), "25 %"));
}

TEST_CASE("each edge is an arrow, heavier for larger tensors") {
  const SamplePlan plan = sample_plan(16, {633, 633});
  const XmlElement svg = svg_of(plan);
  const auto edges = groups_of(svg, "edge");
  REQUIRE(edges.size() == plan.problem.connections().size());
  std::vector<std::pair<std::int64_t, double>> weights;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto paths = elements_named(*edges[i], "path");
    REQUIRE(paths.size() == 2);  // casing and shaft
    CHECK(elements_named(*edges[i], "polygon").size() == 1);
    weights.emplace_back(plan.problem.connections()[i].tensor.elements(),
                         paths[1]->number("stroke-width"));
  }
  std::sort(weights.begin(), weights.end());
  CHECK(weights.front().second < weights.back().second);
  for (std::size_t i = 1; i < weights.size(); ++i) {
    CHECK(weights[i - 1].second <= weights[i].second);
  }
}

TEST_CASE("adapter mismatches stand as numbers on their edges") {
  SamplePlan plan = two_small_kernels({60, 50});
  CHECK(groups_of(svg_of(plan), "adapter").empty());
  plan.placement.kernels[1].execution.h = 2;
  plan.placement.kernels[1].execution.c[0] = 2;
  const XmlElement svg = svg_of(plan);
  const auto badges = groups_of(svg, "adapter");
  REQUIRE(badges.size() == 1);
  CHECK(has_text(*badges[0], "2"));
  CHECK(has_text(svg, "mismatches in h, w, c (0–3)"));
}

TEST_CASE("edges with mismatches have their colour even where no number fits") {
  SamplePlan plan = two_small_kernels({600, 500});
  CHECK(edge_strokes(svg_of(plan)) == std::vector<std::string>{hex(kInk)});
  plan.placement.kernels[1].execution.h = 2;
  const XmlElement svg = svg_of(plan);
  CHECK(edge_strokes(svg) == std::vector<std::string>{hex(kAdapter)});
  CHECK(groups_of(svg, "adapter").empty());
  CHECK(has_text(svg, "with adapter mismatches"));
}

TEST_CASE("an edge that skips kernels of a row rises off it, the next one on its other side") {
  SamplePlan plan = grid_plan(7, {400, 100});
  ProblemData data = plan.problem.data();
  data.connections.push_back({0, 2, {4, 4, 16}});
  data.connections.push_back({2, 5, {4, 4, 16}});
  const XmlElement svg = svg_of({Problem(std::move(data)), plan.placement});
  const std::vector<double> rises = edge_rises(svg);
  REQUIRE(rises.size() == 8);
  for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(rises[i]) < 12);
  CHECK(std::abs(rises[6]) > 25);
  CHECK(std::abs(rises[7]) > std::abs(rises[6]));
  CHECK(rises[6] * rises[7] < 0);
}

TEST_CASE("the legend counts the kernels for whose names there is no room at all") {
  // Of 20,000 tiles a kernel of 48 × 64 is a speck of 1.8 × 2.4 units; a line of text is 9 units,
  // so 84 fit on each of the two sides of 760.
  CHECK(names_beside(svg_of(grid_plan(5, {20'000, 20'000}))).size() == 5);
  const XmlElement full = svg_of(grid_plan(168, {20'000, 20'000}));
  CHECK(names_beside(full).size() == 168);
  CHECK(!has_text(full, "too small for their names"));
  const XmlElement svg = svg_of(grid_plan(169, {20'000, 20'000}));
  CHECK(names_beside(svg).empty());
  CHECK(has_text(svg, "too small for their names"));
  CHECK(has_text(svg, "169"));
}

TEST_CASE("kernels at network inputs and outputs are marked") {
  const XmlElement svg = svg_of(sample_plan(4, {633, 633}));
  const auto& labels = *groups_of(svg, "labels")[0];
  CHECK(has_text(labels, "in"));
  CHECK(has_text(labels, "out"));
  CHECK(!has_text(svg_of(two_small_kernels({60, 50})), "in"));
}

TEST_CASE("by slack the slowest kernel is darkest and the legend has a bar") {
  SamplePlan plan = two_small_kernels({60, 50});
  plan.placement.kernels[1].execution.h =
      4;  // four times as fast: 75 % slack, the map ends at 80 %
  const XmlElement svg = svg_of(plan, kBySlack);
  const auto boxes = kernel_boxes(svg);
  REQUIRE(boxes.size() == 2);
  CHECK(boxes[0]->attributes.at("fill") == hex(slack_colour(0)));
  CHECK(boxes[1]->attributes.at("fill") == hex(slack_colour(0.75 / 0.8)));
  CHECK(has_text(svg, "80 % of its time"));
  CHECK(!has_text(svg, "conv"));
}

TEST_CASE("by load the legend says the share of the longest time") {
  SamplePlan plan = two_small_kernels({60, 50});
  plan.placement.kernels[1].execution.h = 4;  // a quarter of the time: the map ends at 20 %
  const XmlElement svg = svg_of(plan, {FloorplanOptions::Colour::load});
  const auto boxes = kernel_boxes(svg);
  CHECK(boxes[0]->attributes.at("fill") == hex(slack_colour(0)));
  CHECK(boxes[1]->attributes.at("fill") == hex(slack_colour(0.75 / 0.8)));
  CHECK(has_text(svg, "time, as a share of the longest"));
  CHECK(has_text(svg, "100 %"));
  CHECK(has_text(svg, "20 %"));
}

TEST_CASE("a legal placement has nothing red") {
  const SamplePlan plan = sample_plan(16, {633, 633});
  const std::string svg = draw_floorplan(plan.problem, plan.placement, PictureFormat::svg);
  CHECK(svg.find(hex(kAlarm)) == std::string::npos);
  CHECK(svg.find("ILLEGAL") == std::string::npos);
}

TEST_CASE("overlapping kernels are outlined and their shared tiles hatched") {
  SamplePlan plan = grid_plan(4, {200, 200});
  plan.placement.kernels[1].x -= 1;
  const XmlElement svg = svg_of(plan);
  const auto boxes = kernel_boxes(svg);
  CHECK(is_marked(*boxes[0]));
  CHECK(is_marked(*boxes[1]));
  CHECK(!is_marked(*boxes[2]));
  CHECK(!is_marked(*boxes[3]));
  CHECK(groups_of(svg, "overlaps")[0]->children.size() == 1);
  CHECK(contains_text(svg, "ILLEGAL · time"));
  CHECK(!contains_text(svg, "adapter 0 · total"));
  CHECK(has_text(svg, "pairs that overlap"));
}

TEST_CASE("what breaks a rule is named, however small the part that is seen") {
  SamplePlan plan = grid_plan(200, {20'000, 20'000});  // too many for names beside the mesh
  CHECK(names_beside(svg_of(plan)).empty());
  plan.placement.kernels[0].x = plan.placement.kernels[1].x;
  CHECK(names_beside(svg_of(plan)) == std::vector<std::string>{"k0", "k1"});
  for (PlacedKernel& placed : plan.placement.kernels) placed.x = placed.y = 0;
  const XmlElement heap = svg_of(plan);  // 200 offenders, and 168 places
  CHECK(names_beside(heap).size() == 168);
  CHECK(elements_named(*groups_of(heap, "labels")[0], "text").size() == 32);
  plan = grid_plan(3, {200, 200});
  plan.placement.kernels[1].x = 199;  // all but a column lies beyond the wafer
  CHECK(has_text(svg_of(plan), "k1"));
}

TEST_CASE("kernels outside are drawn where they can be seen, else listed") {
  SamplePlan plan = grid_plan(3, {200, 200});
  plan.placement.kernels[0].y = -1;
  plan.placement.kernels[1].x = 1'000'000;
  const XmlElement svg = svg_of(plan);
  const auto boxes = kernel_boxes(svg);
  REQUIRE(boxes.size() == 3);
  CHECK(is_marked(*boxes[0]));
  CHECK(is_marked(*boxes[1]));
  CHECK(!is_marked(*boxes[2]));
  CHECK(has_text(svg, "not wholly on the wafer"));
  CHECK(has_text(svg, "… of them beyond this picture"));
}

TEST_CASE("positions at the ends of 64 bits and senseless parameters can be drawn") {
  SamplePlan plan = grid_plan(6, {200, 200});
  plan.placement.kernels[0].x = std::numeric_limits<std::int64_t>::max();
  plan.placement.kernels[1].y = std::numeric_limits<std::int64_t>::min();
  plan.placement.kernels[2].execution.h = 0;
  plan.placement.kernels[3].execution.k[0] = std::numeric_limits<std::int64_t>::max();
  for (const PictureFormat format : kFormats) {
    CHECK(draw_floorplan(plan.problem, plan.placement, format).size() > 1000);
  }
  const std::string bytes = draw_floorplan(plan.problem, plan.placement, PictureFormat::svg);
  CHECK(bytes.find("nan") == std::string::npos);
  CHECK(bytes.find("inf") == std::string::npos);
  const XmlElement svg = parse_xml(bytes);
  CHECK(kernel_boxes(svg).size() == 4);
  CHECK(contains_text(svg, "ILLEGAL · not scored"));
  CHECK(has_text(svg, "parameters out of range, not drawn"));
}

TEST_CASE("too much memory is a broken rule too") {
  const SamplePlan plan = two_small_kernels({60, 50});
  ProblemData data;
  data.kernels = plan.problem.kernels();
  data.memory_limit = 31;  // the kernels need 4·4 + 4·4·4 = 80 words
  const XmlElement svg = svg_of({Problem(std::move(data)), plan.placement});
  for (const XmlElement* box : kernel_boxes(svg)) CHECK(is_marked(*box));
  CHECK(has_text(svg, "too much memory"));
}

TEST_CASE("a hostile title stays text") {
  const SamplePlan plan = two_small_kernels({6, 5});
  ProblemData data;
  data.name = "</title></svg><script x=\"1\">&amp;<b>";
  data.kernels = plan.problem.kernels();
  const SamplePlan titled{Problem(data), plan.placement};
  const XmlElement svg = svg_of(titled);
  CHECK(elements_named(svg, "script").empty());
  CHECK(svg.children[0].text == data.name);
  CHECK(has_text(svg, data.name));
}

TEST_CASE("a name of 100 letters is cut short on the picture and whole in the tooltip") {
  const std::string name(100, 'w');
  const XmlElement svg = svg_of(two_small_kernels({60, 50}, {name.c_str(), "k2"}));
  CHECK(!has_text(svg, name));
  CHECK(contains_text(*groups_of(svg, "outside-labels")[0], "w…"));
  CHECK(groups_of(svg, "kernel")[0]->children[0].text.starts_with(name + ": conv"));
}

TEST_CASE("the same placement gives the same bytes, PNG and SVG of one size") {
  const SamplePlan plan = sample_plan(16, {633, 633});
  for (const PictureFormat format : kFormats) {
    CHECK(draw_floorplan(plan.problem, plan.placement, format) ==
          draw_floorplan(plan.problem, plan.placement, format));
  }
  const auto size =
      test::png_size(draw_floorplan(plan.problem, plan.placement, PictureFormat::png));
  const XmlElement svg = svg_of(plan);
  CHECK(size.width == kPngScale * svg.number("width"));
  CHECK(size.height == kPngScale * svg.number("height"));
  CHECK(size.width > 1600);
  const std::string pdf = draw_floorplan(plan.problem, plan.placement, PictureFormat::pdf);
  CHECK(pdf.starts_with("%PDF-1."));
}

TEST_CASE("wafers of every shape, one kernel and 1,500 kernels can be drawn") {
  CHECK(kernel_boxes(svg_of(two_small_kernels({6, 2}))).size() == 2);
  CHECK(kernel_boxes(svg_of(grid_plan(1, {48, 64}))).size() == 1);
  CHECK(svg_of(grid_plan(20, {960, 64})).number("height") < 600);
  CHECK(svg_of(grid_plan(20, {48, 1280})).number("width") < 700);
  const SamplePlan many = grid_plan(1500, {2500, 2500});
  const std::string bytes = draw_floorplan(many.problem, many.placement, PictureFormat::svg);
  CHECK(bytes.size() < 3'000'000);
  CHECK(kernel_boxes(parse_xml(bytes)).size() == 1500);
}

TEST_CASE("all kernels on one spot: every one is marked, hatches stay few") {
  SamplePlan plan = grid_plan(300, {2500, 2500});
  for (PlacedKernel& placed : plan.placement.kernels) placed.x = placed.y = 0;
  const XmlElement svg = svg_of(plan);
  for (const XmlElement* box : kernel_boxes(svg)) CHECK(is_marked(*box));
  CHECK(groups_of(svg, "overlaps")[0]->children.size() <= 2'000);
  CHECK(has_text(svg, std::to_string(300 * 299 / 2)));
}

TEST_CASE("a placement of another problem is refused") {
  SamplePlan plan = two_small_kernels({6, 5});
  plan.placement.kernels.pop_back();
  CHECK_THROWS_AS(draw_floorplan(plan.problem, plan.placement, PictureFormat::svg),
                  std::logic_error);
}

TEST_CASE("dead tiles, regions and fixed kernels are drawn and explained") {
  const SamplePlan plain = two_small_kernels({20, 10});
  CHECK(groups_of(svg_of(plain), "dead").empty());
  ProblemData data = plain.problem.data();
  data.wafer.dead = {{10, 2, 3, 3}, {19, 9, 1, 1}};
  data.constraints.fixed = {FixedKernel{0, 0, 0, false, {}}};
  data.constraints.regions = {Region{{0, 1}, {0, 0, 9, 9}, RegionRule::inside, {}},
                              Region{{1}, {0, 0, 1, 9}, RegionRule::prefer, decimal6(2)}};
  const SamplePlan legal{Problem(data), plain.placement};
  const XmlElement svg = svg_of(legal);
  CHECK(groups_of(svg, "dead").size() == 1);
  CHECK(groups_of(svg, "fixed").size() == 1);
  CHECK(groups_of(svg, "region").size() == 2);
  CHECK(contains_text(svg, "dead tiles"));
  CHECK(contains_text(svg, "fixed kernels"));
  CHECK(contains_text(svg, "region to lie in"));
  CHECK_FALSE(contains_text(svg, "region to avoid"));
  CHECK(contains_text(svg, "preference"));
  CHECK_FALSE(contains_text(svg, "Broken rules"));
  data.wafer.dead.push_back({0, 0, 1, 1});
  data.constraints.regions[1].rule = RegionRule::outside;
  data.constraints.regions[1].area = {3, 0, 1, 1};
  const XmlElement broken = svg_of({Problem(std::move(data)), plain.placement});
  CHECK(contains_text(broken, "on dead tiles"));
  CHECK(contains_text(broken, "against a constraint"));
  CHECK(is_marked(*kernel_boxes(broken)[0]));
  CHECK(is_marked(*kernel_boxes(broken)[1]));
}

}  // namespace
}  // namespace waferloom::viz
