#include "viz/link_heat_map.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/viz/canvas/picture_reader.h"
#include "viz/floorplan/ports.h"

namespace waferloom::viz {
namespace {

LinkHeatMap small_link_map() {
  LinkHeatMap map;
  map.mesh = {5, 4};
  map.link_busy.assign(80, 0);
  map.stages = {{0, 0, 2, 3}};
  map.title = "x.kgraph";
  return map;
}

std::size_t elements(const std::string& svg, const std::string& tag) {
  std::size_t count = 0;
  for (auto at = svg.find(tag); at != std::string::npos; at = svg.find(tag, at + 1)) ++count;
  return count;
}

TEST_CASE("a heat map names the busiest link with its share, and runs of one load are one box") {
  LinkHeatMap map = small_link_map();
  map.mesh = {50, 40};  // tiles too small for four links each
  map.link_busy.assign(8'000, 0);
  map.link_busy[4 * 50 + 0] = 0.8;  // (0, 1) and (1, 1) to the east
  map.link_busy[4 * 51 + 0] = 0.8;
  map.link_busy[4 * 102 + 3] = 0.1;  // (2, 2) to the south
  const std::string svg = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(svg.find("busiest: link east of tile (0, 1), 80 % of the time") != std::string::npos);
  CHECK(svg.find("#6a001a") != std::string::npos);  // of the busiest
  CHECK(svg.find("#ffeda0") != std::string::npos);  // an eighth of it
  CHECK(svg.find("0.8 ") == std::string::npos);     // shares are told in per cent
  LinkHeatMap idle = small_link_map();
  CHECK(draw_link_heat_map(idle, PictureFormat::png).size() > 1'000);
  CHECK(draw_link_heat_map(idle, PictureFormat::svg).find("no link carried") != std::string::npos);
}

TEST_CASE("large tiles show their four links, ports and dead tiles are drawn") {
  LinkHeatMap map = small_link_map();
  const std::size_t before = elements(draw_link_heat_map(map, PictureFormat::svg), "<polygon");
  map.link_busy[4 * 7 + 2] = 0.5;
  map.link_busy[4 * 7 + 3] = 0.25;
  const std::string svg = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(elements(svg, "<polygon") == before + 4);  // two links, the arrow at the busier and its rim
  CHECK(svg.find("link north of tile (2, 1), 50 %") != std::string::npos);
  map.ports = {{FabricPort::Side::left, 2}};
  map.mesh.dead = {{4, 3, 1, 1}};
  const std::string more = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(elements(more, "<polygon") == before + 6);  // the port, and its sign in the legend
  CHECK(more.find("dead tiles") != std::string::npos);
}

TEST_CASE("dead tiles are hatched as in floorplans, on the map and in the legend") {
  LinkHeatMap map = small_link_map();
  CHECK(draw_link_heat_map(map, PictureFormat::svg).find("class=\"dead\"") == std::string::npos);
  map.mesh.dead = {{4, 3, 1, 1}};
  const std::string svg = draw_link_heat_map(map, PictureFormat::svg);
  const std::size_t group = svg.find("class=\"dead\"");
  REQUIRE(group != std::string::npos);
  const std::string dead = svg.substr(group, svg.find("</g>", group) - group);
  CHECK(elements(dead, "<rect") == 1);
  CHECK(elements(dead, "<path") == 1);  // the lines of the hatch
  const std::size_t fill = dead.find("fill=\"#");
  REQUIRE(fill != std::string::npos);
  CHECK(elements(svg, dead.substr(fill, 14)) == 2);  // the tile, and its sign in the legend
}

TEST_CASE("what ran stands below the title, and is shrunk rather than cut") {
  LinkHeatMap map = small_link_map();
  map.link_busy[2] = 0.25;
  map.facts = "TP8 DP2 PP20, 64 micro-batches of 1, 1f1b, recompute full, ZeRO 2, stride 7, yx";
  const auto svg = test::parse_xml(draw_link_heat_map(map, PictureFormat::svg));
  CHECK(test::has_text(svg, "Link loads of x.kgraph"));
  CHECK(test::has_text(svg, "busiest: link north of tile (0, 0), 25 % of the time · " + map.facts));
}

TEST_CASE("the legend says where the scale ends, unless a link is busy all the time") {
  LinkHeatMap map = small_link_map();
  map.link_busy[2] = 0.0051;
  const auto slack = test::parse_xml(draw_link_heat_map(map, PictureFormat::svg));
  CHECK(test::has_text(slack, "The scale ends at 0.51 %, not at 100 %."));
  map.link_busy[2] = 0.99;
  const std::string full = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(full.find("The scale ends") == std::string::npos);
}

TEST_CASE("dead links are drawn and counted where there are some") {
  LinkHeatMap map = small_link_map();
  CHECK(draw_link_heat_map(map, PictureFormat::svg).find("dead links") == std::string::npos);
  map.dead_links = {{1, 2, Direction::north}};
  const std::string svg = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(svg.find("dead links") != std::string::npos);
  CHECK(test::groups_of(test::parse_xml(svg), "dead-links").size() == 1);
}

TEST_CASE("ports of host and of DRAM are told apart") {
  LinkHeatMap map = small_link_map();
  map.ports = {{FabricPort::Side::left, 2, FabricPort::Kind::host},
               {FabricPort::Side::right, 1, FabricPort::Kind::dram}};
  const std::string svg = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(svg.find("host ports") != std::string::npos);
  CHECK(svg.find("DRAM ports") != std::string::npos);
  CHECK(elements(svg, "fill=\"" + hex(kPort)) >= 2);  // the wedge, and its sign in the legend
  CHECK(elements(svg, "fill=\"" + hex(kDramPort)) == 2);
}

/// The corners of the arrowhead at the busiest link, its tip first.
std::vector<Point> arrowhead(const test::XmlElement& busiest) {
  std::string text = test::elements_named(busiest, "polygon").back()->attributes.at("points");
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream numbers(text);
  std::vector<Point> corners(3);
  for (Point& corner : corners) numbers >> corner.x >> corner.y;
  return corners;
}

TEST_CASE("the busiest link's arrow points the way of the link at every tile") {
  LinkHeatMap map = small_link_map();
  map.mesh = {12, 8};  // a pitch that no binary fraction is
  const std::array<Point, 4> ways{{{1, 0}, {-1, 0}, {0, -1}, {0, 1}}};  // as Direction, on the page
  constexpr std::size_t kLinks = 384;                                   // four of each tile
  for (std::size_t link = 0; link < kLinks; ++link) {
    CAPTURE(link);
    map.link_busy.assign(kLinks, 0);
    map.link_busy[link] = 0.5;
    const auto svg = test::parse_xml(draw_link_heat_map(map, PictureFormat::svg));
    const std::vector<Point> head = arrowhead(*test::groups_of(svg, "busiest").at(0));
    const Point way = ways.at(link % 4);
    for (const Point& back : {head[1], head[2]}) {
      CHECK((head[0].x - back.x) * way.x + (head[0].y - back.y) * way.y > 3);
    }
  }
}

TEST_CASE("the ring at a large tile stays within it, off ports and numbers of the axes") {
  LinkHeatMap map = small_link_map();
  map.link_busy[4 * 5 + 2] = 0.5;  // (0, 1) to the north, at the left edge
  const auto svg = test::parse_xml(draw_link_heat_map(map, PictureFormat::svg));
  const auto* ring = test::elements_named(*test::groups_of(svg, "busiest").at(0), "circle").at(0);
  const auto* tile = test::elements_named(*test::groups_of(svg, "loads").at(0), "polygon").at(0);
  double left = 1e9;
  std::string text = tile->attributes.at("points");
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream numbers(text);
  for (double x = 0, y = 0; numbers >> x >> y;) left = std::min(left, x);
  CHECK(ring->number("cx") - ring->number("r") > left - 0.1);
}

TEST_CASE("four links a tile are demanded") {
  LinkHeatMap map = small_link_map();
  map.link_busy.pop_back();
  CHECK_THROWS_AS(draw_link_heat_map(map, PictureFormat::svg), std::logic_error);
}

}  // namespace
}  // namespace waferloom::viz
