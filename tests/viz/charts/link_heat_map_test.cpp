#include "viz/link_heat_map.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace waferloom::viz {
namespace {

LinkHeatMap small_link_map() {
  LinkHeatMap map;
  map.mesh = {5, 4};
  map.link_bytes.assign(80, 0);
  map.stages = {{0, 0, 2, 3}};
  map.title = "x.kgraph";
  return map;
}

TEST_CASE("a heat map has the busiest link's bytes, and runs of one load are one box") {
  LinkHeatMap map = small_link_map();
  map.link_bytes[4 * 5 + 0] = 800;  // (0, 1) and (1, 1) to the east
  map.link_bytes[4 * 6 + 0] = 800;
  map.link_bytes[4 * 12 + 3] = 100;  // (2, 2) to the south
  const std::string svg = draw_link_heat_map(map, PictureFormat::svg);
  CHECK(svg.find("busiest link 800 bytes") != std::string::npos);
  CHECK(svg.find("#6a001a") != std::string::npos);  // of the busiest
  CHECK(svg.find("#ffeda0") != std::string::npos);  // an eighth of it
  LinkHeatMap idle = small_link_map();
  CHECK(draw_link_heat_map(idle, PictureFormat::png).size() > 1'000);
}

TEST_CASE("four links a tile are demanded") {
  LinkHeatMap map = small_link_map();
  map.link_bytes.pop_back();
  CHECK_THROWS_AS(draw_link_heat_map(map, PictureFormat::svg), std::invalid_argument);
}

}  // namespace
}  // namespace waferloom::viz
