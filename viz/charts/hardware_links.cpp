#include <utility>

#include "viz/link_heat_map.h"

namespace waferloom::viz {

LinkHeatMap hardware_links(const Hardware& hardware, std::vector<double> link_busy,
                           std::vector<Rectangle> stages, std::string title, std::string facts) {
  LinkHeatMap map;
  map.mesh = hardware.wafer;
  map.link_busy = std::move(link_busy);
  map.stages = std::move(stages);
  map.title = std::move(title);
  map.facts = std::move(facts);
  map.switched = hardware.topology == Topology::switched;
  map.dead_links = hardware.dead_links;
  if (!map.switched)
    map.ports = hardware_fabric(hardware).ports.value_or(std::vector<FabricPort>{});
  return map;
}

}  // namespace waferloom::viz
