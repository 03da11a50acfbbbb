#include <doctest/doctest.h>

#include "viz/link_heat_map.h"

namespace waferloom::viz {
namespace {

TEST_CASE("a heat map of a hardware's links has its dead parts, its ports and what ran") {
  Hardware hardware;
  hardware.wafer = {3, 2, {{1, 1, 1, 1}}};
  hardware.dead_links = {{0, 0, Direction::east}};
  hardware.host_ports = {{Direction::west, 1, {}, 0, {}}};
  const LinkHeatMap map =
      hardware_links(hardware, std::vector<double>(24, 0.5), {{0, 0, 1, 2}}, "net", "facts");
  CHECK(map.mesh == hardware.wafer);
  CHECK(map.dead_links == hardware.dead_links);
  CHECK(map.ports.size() == 1);
  CHECK(map.stages == std::vector<Rectangle>{{0, 0, 1, 2}});
  CHECK(map.link_busy.size() == 24);
  CHECK(map.title == "net");
  CHECK(map.facts == "facts");
  CHECK_FALSE(map.switched);
}

TEST_CASE("switched hardware has no ports on an edge") {
  Hardware hardware;
  hardware.wafer = {2, 1};
  hardware.topology = Topology::switched;
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}};
  const LinkHeatMap map = hardware_links(hardware, std::vector<double>(8, 0), {}, "net");
  CHECK(map.switched);
  CHECK(map.ports.empty());
}

}  // namespace
}  // namespace waferloom::viz
