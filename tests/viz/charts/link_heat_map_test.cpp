#include "viz/link_heat_map.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>

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
  CHECK(elements(svg, "<polygon") == before + 3);  // two links and the arrow at the busier
  CHECK(svg.find("link north of tile (2, 1), 50 %") != std::string::npos);
  map.ports = {{FabricPort::Side::left, 2}};
  map.mesh.dead = {{4, 3, 1, 1}};
  const std::string more = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(elements(more, "<polygon") == before + 5);  // the port, and its sign in the legend
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

TEST_CASE("four links a tile are demanded") {
  LinkHeatMap map = small_link_map();
  map.link_busy.pop_back();
  CHECK_THROWS_AS(draw_link_heat_map(map, PictureFormat::svg), std::invalid_argument);
}

}  // namespace
}  // namespace waferloom::viz
